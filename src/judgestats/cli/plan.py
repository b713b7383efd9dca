"""``judgestats plan``: what a run would do, without fitting anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgestats.cli.options import AnalysisPath, AsJson, DataFolder, Debug, EngineOption, RootSeed
from judgestats.cli.session import Voice, guarded


@guarded
def plan(
    analysis: AnalysisPath,
    data: DataFolder = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", envvar="JUDGESTATS_OUT", help="Look there for finished work.")
    ] = None,
    engine: EngineOption = None,
    seed: RootSeed = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Print trials, model, priors, engines with the reason, finished work and a rough cost. Fits nothing."""
    from judgestats.cli.running import Request
    from judgestats.spec.catalog import model_verdict
    from judgestats.study.plan import make_plan
    from judgestats.study.score_plan import make_score_plan

    request = Request(analysis, data, out or Path(), seed=seed, engine=engine)
    loaded = request.load()
    make = make_score_plan if model_verdict(loaded.model) == "score" else make_plan
    made = make(loaded, request.data_folder(loaded), out)
    Voice(as_json).result("\n".join(made.lines()), made.to_dict())
