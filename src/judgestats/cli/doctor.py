"""``judgestats doctor``: what is installed here, and whether a small fit gives the right number."""

from __future__ import annotations

import typer

from judgestats.cli.options import AsJson, Debug
from judgestats.cli.session import UNEXPECTED, Voice, guarded


@guarded
def doctor(as_json: AsJson = False, debug: Debug = False) -> None:
    """Print versions, engines and devices, and fit a small table against a frozen number."""
    from judgestats.study.doctor import examine

    found = examine()
    Voice(as_json).result("\n".join(found.lines()), found.to_dict())
    if not found.healthy:
        raise typer.Exit(UNEXPECTED)
