"""``judgestats falsify``: permutation of block labels alone."""

from __future__ import annotations

from typing import Annotated

import typer

from judgestats.cli.options import AnalysisPath, AsJson, DataFolder, Debug, OutFolder, Overwrite, Quiet, RootSeed
from judgestats.cli.session import Voice, guarded


@guarded
def falsify(
    analysis: AnalysisPath,
    out: OutFolder,
    data: DataFolder = None,
    overwrite: Overwrite = False,
    permutations: Annotated[
        int | None, typer.Option("--permutations", min=1, help="Refits a scheme, in place of the analysis's.")
    ] = None,
    seed: RootSeed = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Refit under permuted block labels and print where the observed effect sits among the refits."""
    from judgestats.cli.effects import falsification_lines
    from judgestats.cli.running import Request, left_out_lines, watched
    from judgestats.study.codec import encode

    voice = Voice(as_json, quiet)
    request = Request(analysis, data, out, overwrite=overwrite, seed=seed, permutations=permutations)
    with watched(request, voice) as study:
        notices = study.setup.table.notices
        rows = study.falsification()
    voice.result(
        "\n".join([*falsification_lines(rows), *left_out_lines(notices)]),
        {"falsification": [encode(row) for row in rows]},
    )
