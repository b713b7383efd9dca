"""Opening: the run of an analysis in its folder, of the kind that its model's verdict calls for."""

from __future__ import annotations

from pathlib import Path

from judgestats.inference.contract import Progress
from judgestats.spec.catalog import model_verdict
from judgestats.study.analysis import Analysis
from judgestats.study.folder import claim
from judgestats.study.invocation import Invocation
from judgestats.study.run import Run
from judgestats.study.score_run import ScoreRun
from judgestats.study.score_setup import prepare_scores
from judgestats.study.setup import prepare


def open_run(
    analysis: Analysis,
    data: Path | None,
    out: Path,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
    invocation: Invocation | None = None,
) -> Run | ScoreRun:
    """Claim a folder for an analysis, read its trials and resolve its model.

    Parameters
    ----------
    analysis : Analysis
        What to run.
    data : Path, optional
        Folder of the trials; None for simulated judges.
    out : Path
        Folder to write to: new, empty, or that of an earlier run of the same analysis.
    overwrite : bool
        Start afresh, in whatever folder.
    progress : callable, optional
        Progress callback.
    invocation : Invocation, optional
        What was typed, for the command that the report prints.

    Raises
    ------
    ConfigError, TrialDataError
        See `claim`, `prepare` and `prepare_scores`.
    """
    verdict = model_verdict(analysis.model)
    card = claim(out, analysis.name, overwrite=overwrite)
    if verdict == "score":
        scores = prepare_scores(analysis, data, out)
        return ScoreRun(scores, out, card, invocation=invocation, fresh=overwrite, progress=progress)
    choices = prepare(analysis, data, out)
    return Run(choices, out, card, invocation=invocation, fresh=overwrite, progress=progress)
