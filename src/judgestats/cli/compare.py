"""``judgestats compare``: contrasts of matching cells between two runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgestats.cli.options import AsJson, Debug
from judgestats.cli.session import Voice, guarded


@guarded
def compare(
    first: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of one run.")],
    second: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the other run.")],
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Print second minus first of Delta P and validity for each judge and domain that both runs hold."""
    from judgestats.study.compare import compare_runs

    found = compare_runs(first, second)
    Voice(as_json).result("\n".join(found.lines()), found.to_dict())
