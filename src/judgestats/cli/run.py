"""``judgestats run``: an analysis from trials to pages."""

from __future__ import annotations

from typing import Annotated

import typer

from judgestats.cli.options import (
    AnalysisPath,
    AsJson,
    DataFolder,
    Debug,
    EngineOption,
    OutFolder,
    Overwrite,
    Quiet,
    RootSeed,
)
from judgestats.cli.session import guarded


@guarded
def run(
    analysis: AnalysisPath,
    out: OutFolder,
    data: DataFolder = None,
    overwrite: Overwrite = False,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            metavar="RULE",
            envvar="JUDGESTATS_FAIL_ON",
            help="Exit 6 when met: bias (an interval beyond the ROPE), undecided (any not inside it), loss (validity "
            "differs between blocks).",
        ),
    ] = None,
    engine: EngineOption = None,
    seed: RootSeed = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run an analysis: read, fit, check, falsify, report. Finished work in DIR is kept and skipped."""
    from judgestats.cli.running import Request, run_and_say

    request = Request(analysis, data, out, overwrite=overwrite, seed=seed, engine=engine, fail_on=fail_on)
    run_and_say(request, as_json=as_json, quiet=quiet)
