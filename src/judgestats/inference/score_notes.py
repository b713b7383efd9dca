"""Score notes: what a reader must know about the data behind a score fit, one sentence each."""

from __future__ import annotations

import numpy as np

from judgestats.inference.stage_notes import FEW_LEVELS
from judgestats.inference.terms.product import group_levels
from judgestats.spec.model import StageSpec
from judgestats.trials.score_rows import ScoreRows

TRIALS = {"validity": "trial", "moved": "valid pair", "shift": "valid score"}


def score_notes(stage: StageSpec, rows: ScoreRows) -> tuple[str, ...]:
    """Return the sentences that go with a score fit.

    They name cells without rows, without the base or another variant, with one outcome only and with one item, and pooling
    over few levels.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    rows : ScoreRows
        Its rows.

    Returns
    -------
    tuple of str
        Sentences in the order of the cells; empty when there is nothing to say.
    """
    notes: list[str] = []
    for index in range(len(rows.cells)):
        notes += _cell_notes(stage, rows, index)
    return tuple(notes + _pooling_notes(stage, rows))


def _cell_notes(stage: StageSpec, rows: ScoreRows, index: int) -> list[str]:
    part = rows.select(index)
    where = f"{rows.cells[index]}, {stage.name} stage"
    trials = "pair whose scores differ" if stage.family == "rounded_t" else TRIALS.get(stage.name, "trial")
    if not len(part.cell):
        return [f"{where}: there is no {trials}, so nothing is estimated."]
    notes = []
    asked = np.bincount(part.variant, weights=part.count, minlength=len(rows.variants))
    if rows.base is None and not asked[0]:
        notes.append(f"{where}: the base has no {trials}, so no variant has a reference and no effect is reported.")
    missing = [str(v) for v, n in zip(rows.variants, asked, strict=True) if not n and not v.is_base]
    if missing:
        notes.append(f"{where}: there is no {trials} of {', '.join(missing)}, so nothing is estimated there.")
    if len(np.unique(part.outcome)) == 1 and stage.family != "rounded_t":
        total = int(part.count.sum())
        what = _outcome(stage, int(part.outcome[0]))
        notes.append(
            f"{where}: all {total} {trials}s {what}; the likelihood has no maximum there, so the width of the posterior is set "
            "by the prior."
        )
    items = len(np.unique(part.item))
    if items == 1 and stage.has("sigma_item"):
        notes.append(f"{where}: there is one item only, so the item standard deviation is close to its prior.")
    elif stage.has("sigma_item") and np.bincount(part.item, weights=part.count).max() <= 1:
        notes.append(
            f"{where}: no item has more than one {trials}, so the item standard deviation is close to its prior."
        )
    return notes


def _outcome(stage: StageSpec, outcome: int) -> str:
    if stage.name == "validity":
        return "are valid" if outcome else "are lost"
    if stage.name == "moved":
        return "differ" if outcome else "have equal scores"
    return "are at one level"


def _pooling_notes(stage: StageSpec, rows: ScoreRows) -> list[str]:
    levels = group_levels(rows.cells)
    notes = []
    for group in ("judge", "domain"):
        size = len(levels[group])
        if size < FEW_LEVELS and any(t.group == group for t in (*stage.pooled("intercept"), *stage.pooled("variant"))):
            verb = "inform" if size != 1 else "informs"
            notes.append(
                f"{stage.name} stage: {size} {group}{'s' if size != 1 else ''} {verb} the standard deviation over {group}s; "
                f"below {FEW_LEVELS} levels it stays close to its prior, and so does the pooling."
            )
    return notes
