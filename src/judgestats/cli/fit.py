"""``judgestats fit``: both stages of an analysis, as draws and a table of effects; no checks, no pages."""

from __future__ import annotations

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
from judgestats.cli.session import Voice, guarded


@guarded
def fit(
    analysis: AnalysisPath,
    out: OutFolder,
    data: DataFolder = None,
    overwrite: Overwrite = False,
    engine: EngineOption = None,
    seed: RootSeed = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Fit both stages and write draws.nc; a later run in the same folder goes on from there."""
    from judgestats.cli.effects import effect_lines
    from judgestats.cli.running import Request, left_out_lines, watched

    voice = Voice(as_json, quiet)
    request = Request(analysis, data, out, overwrite=overwrite, seed=seed, engine=engine)
    with watched(request, voice) as study:
        notices = study.setup.table.notices
        records = study.records()
        path = study.write_draws(whole=False)
    voice.result(
        "\n".join([*effect_lines(records), *left_out_lines(notices), f"Draws: {path}"]),
        {"draws": str(path), "records": [record.to_dict() for record in records]},
    )
