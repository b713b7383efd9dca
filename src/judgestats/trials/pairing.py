"""Pairing: each trial of a variant with the base trial of the same item, and a count of what found none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judgestats.trials.base_sets import NO_BASE, OTHER_CONTEXT, OTHER_REPEAT, BaseSets, combined_codes
from judgestats.trials.columns import weights
from judgestats.trials.status import Status
from judgestats.trials.table import Score, TrialTable
from judgestats.trials.variant import BASE_CUE

Index = NDArray[np.int64]

LOST = "pair_lost"
SEVERAL = -2
"""Mark of a trial whose bases have different scores, until it is matched by rank."""
REASONS: tuple[str, ...] = (NO_BASE, OTHER_CONTEXT, OTHER_REPEAT, LOST)


@dataclass(frozen=True)
class Pairs:
    """Valid variant trials, each with the level of its base.

    Parameters
    ----------
    row : ndarray, dims (pair,)
        Position of the variant trial in the table.
    level, base : ndarray, dims (pair,)
        Index of the score's level and of the base's level on the scale.
    count : ndarray, dims (pair,)
        Trials that the pair stands for.
    left_out : dict of str to ndarray, dims (left,)
        Reason to positions of the variant trials without a pair: no base trial of the item (``no_base``), one in another
        prompt configuration, judge version, rater or dimension only (``other_context``), base trials of other repeats only
        (``other_repeat``), one score of the pair lost (``pair_lost``).
    several : int
        Trials that met base trials of different scores, none of which was theirs by a repeat.
    """

    row: Index
    level: Index
    base: Index
    count: Index
    left_out: dict[str, Index]
    several: int


def level_index(score: NDArray[np.float64], scale: Score) -> Index:
    """Return the index of each score's level on the scale, dims (trial,); -1 where there is no score."""
    steps = np.round((score - scale.lowest) / scale.step)
    return np.where(np.isnan(steps), -1, steps).astype(np.int64)


def pair_trials(table: TrialTable) -> Pairs:
    """Pair each trial of a variant with the base of the same judge, domain, item and prompt configuration.

    Where both carry a repeat, the base of the same repeat is the partner; a base without one serves every repeat. Where
    several base trials remain, trials and bases are matched by rank: of V valid trials of the variant, the k-th smallest
    score meets the (2k - 1)/(2V) quantile of the valid base scores, a quantile midway between two levels going to the even
    one of the levels around it. So one variant trial meets the median of its bases, and equal sets of scores give
    differences of 0: repeats that carry no name never invent a shift.

    Every trial of a variant is in a pair or counted in `left_out`.
    """
    frame, scale = table.frame, table.score
    weight = weights(frame)
    level = level_index(frame["score"].to_numpy(dtype=np.float64), scale)
    level = np.where(np.asarray(frame["status"] == Status.VALID.value), level, -1)
    asked = weight > 0
    is_base = (
        np.asarray(frame["cue"].fillna(BASE_CUE) == BASE_CUE) if "cue" in frame else np.ones(len(frame), dtype=bool)
    )
    variant = np.flatnonzero(~is_base & asked)
    sets = BaseSets.of(frame, np.flatnonzero(is_base & asked), level, weight)
    found, reason = sets.partners(variant)
    base = np.full(len(variant), -1, dtype=np.int64)
    met = found >= 0
    base[met] = np.where(sets.least[found[met]] == sets.most[found[met]], sets.least[found[met]], SEVERAL)
    base[level[variant] < 0] = -1
    reason = np.where(met & (base == -1), LOST, reason)
    single = base >= 0
    several = base == SEVERAL
    ranked = _by_rank(sets, variant[several], found[several], level, weight, frame)
    parts = [(variant[single], base[single], weight[variant[single]]), ranked]
    row, partner, count = (np.concatenate([part[i] for part in parts]).astype(np.int64) for i in range(3))
    return Pairs(
        row=row,
        level=level[row],
        base=partner,
        count=count,
        left_out={name: variant[reason == name] for name in REASONS},
        several=int(weight[variant[several]].sum()),
    )


def _by_rank(
    sets: BaseSets, rows: Index, found: Index, level: Index, weight: Index, frame: pd.DataFrame
) -> tuple[Index, Index, Index]:
    """Return rows, base levels and counts of the trials that meet base trials of different scores."""
    code = combined_codes(frame.iloc[rows], tuple(name for name in ("cue", "polarity") if name in frame))
    group = found * (int(code.max(initial=0)) + 1) + code
    order = np.lexsort((level[rows], group))
    mine = np.repeat(order, weight[rows[order]])  # one entry a trial, in order of the scores within a group
    _, start, which, size = np.unique(group[mine], return_index=True, return_inverse=True, return_counts=True)
    rank = np.arange(len(mine)) - start[which]
    base = sets.quantile(found[mine], rank, size[which])
    pair, count = np.unique(rows[mine] * (int(base.max(initial=0)) + 1) + base, return_counts=True)
    return pair // (int(base.max(initial=0)) + 1), pair % (int(base.max(initial=0)) + 1), count.astype(np.int64)
