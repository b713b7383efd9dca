"""Stage notes: what a reader must know about the data behind a fit, one sentence each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.terms.product import group_levels
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

FEW_LEVELS = 5  # below this a group standard deviation is close to its prior (Austin 2010, PMC2949382)


def stage_notes(stage: StageSpec, counts: StageCounts) -> tuple[str, ...]:
    """Return the sentences that every engine puts on a fit.

    They name cells without trials, with one block only, with separation (all or no successes in a block), with one
    item and with at most one trial an item, and standard deviations that few levels inform.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    counts : StageCounts
        Its counts.

    Returns
    -------
    tuple of str
        Sentences in the order of the cells; empty when there is nothing to say.
    """
    totals = counts.totals()
    notes: list[str] = []
    for index, cell in enumerate(counts.cells):
        notes += _cell_notes(stage, counts, index, cell, totals[index])
    return tuple(notes + _pooling_notes(stage, counts))


def _cell_notes(stage: StageSpec, counts: StageCounts, index: int, cell: Cell, totals: NDArray[np.int64]) -> list[str]:
    where = f"{cell}, {stage.name} stage"
    trials = "valid trial" if stage.given == "valid" else "trial"
    asked, successes = totals[:, 0], totals[:, 1]
    if not asked.any():
        return [f"{where}: there is no {trials}, so every number of this cell is its prior."]
    notes = []
    if not asked.all():
        present, missing = ("congruent", "incongruent") if asked[0] else ("incongruent", "congruent")
        notes.append(
            f"{where}: no {trials} is {missing}, so the data inform the {present} block alone and the difference between "
            "the blocks rests on the priors."
        )
    notes += _separation(stage, where, asked, successes)
    rows = counts.cell == index
    per_item = np.bincount(counts.item[rows], weights=counts.trials[rows])
    if np.count_nonzero(per_item) == 1:
        notes.append(f"{where}: there is one item only, so the item standard deviation is close to its prior.")
    elif per_item.max() <= 1 and not any(t.factors == ("domain",) for t in stage.terms if t.group == "item"):
        notes.append(
            f"{where}: no item has more than one {trials}, so the item standard deviation is close to its prior."
        )
    return notes


def _separation(stage: StageSpec, where: str, asked: NDArray[np.int64], successes: NDArray[np.int64]) -> list[str]:
    parts = []
    for side, block in enumerate(("congruent", "incongruent")):
        n, k = int(asked[side]), int(successes[side])
        if n and k in (0, n):
            share = f"{'all' if k else 'none'} of {n} {block} trials are" if n > 1 else f"the one {block} trial is"
            event = stage.response if k or n > 1 else f"not {stage.response}"
            bound = f"the rule of three, for independent trials, bounds the rate of the other outcome by {min(1.0, 3 / n):.3g}"
            parts.append(f"{share} {event} ({bound})")
    if not parts:
        return []
    why = "the likelihood has no maximum there, so the width of the posterior is set by the prior"
    return [f"{where}: {' and '.join(parts)}; {why}."]


def _pooling_notes(stage: StageSpec, counts: StageCounts) -> list[str]:
    levels = group_levels(counts.cells)
    notes = []
    for group in ("judge", "domain"):
        size = len(levels[group])
        if size < FEW_LEVELS and any(t.group == group for t in (*stage.pooled("intercept"), *stage.pooled("block"))):
            plural = "s" if size != 1 else ""
            notes.append(
                f"{stage.name} stage: {size} {group}{plural} inform{'' if plural else 's'} the standard deviation over "
                f"{group}s; below {FEW_LEVELS} levels it stays close to its prior, and so does the pooling."
            )
    return notes
