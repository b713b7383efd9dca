"""Pairing: each trial of a variant with the base trial of the same item, and a count of what found none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judgestats.trials.columns import weights
from judgestats.trials.status import Status
from judgestats.trials.table import Score, TrialTable
from judgestats.trials.variant import BASE_CUE

Index = NDArray[np.int64]

ITEM: tuple[str, ...] = ("judge", "domain", "item")
CONTEXT: tuple[str, ...] = ("prompt_config", "judge_version", "rater", "dimension")
"""Columns beside the item in which a variant and its base must agree: else the difference is not the cue's alone."""

NO_BASE = "no_base"
OTHER_CONTEXT = "other_context"
OTHER_REPEAT = "other_repeat"
LOST = "pair_lost"
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
    is_base = np.asarray(frame["cue"] == BASE_CUE) if "cue" in frame else np.ones(len(frame), dtype=bool)
    variant = np.flatnonzero(~is_base & asked)
    sets = _BaseSets.of(frame, np.flatnonzero(is_base & asked), level, weight)
    found, reason = sets.partners(variant)
    base = np.full(len(variant), -1, dtype=np.int64)
    met = found >= 0
    base[met] = np.where(sets.least[found[met]] == sets.most[found[met]], sets.least[found[met]], -2)
    base[level[variant] < 0] = -1
    reason = np.where(met & (base == -1), LOST, reason)
    single = base >= 0
    ranked = _by_rank(sets, variant, found, level, weight, frame, base == -2)
    parts = [
        (variant[single], base[single], weight[variant[single]]),
        *ranked,
    ]
    row, partner, count = (np.concatenate([part[i] for part in parts]).astype(np.int64) for i in range(3))
    return Pairs(
        row=row,
        level=level[row],
        base=partner,
        count=count,
        left_out={name: variant[reason == name] for name in REASONS},
        several=int(weight[variant[base == -2]].sum()),
    )


@dataclass(frozen=True)
class _BaseSets:
    """Sets of base trials that a variant trial may meet, by code, and the code of each trial of the table.

    A key is the item in its context. Its base trials form one set for each repeat (code of key x repeat), one of those
    without a repeat, and one of all.
    """

    key: Index
    """Context of each trial, dims (trial,)."""
    item: Index
    repeat: Index
    """Repeat of each trial from 2; 0 without one."""
    width: int
    codes: Index
    """Sorted codes of the sets that hold a trial, dims (set,)."""
    least: Index
    """Smallest and largest valid level of each set, -1 where none is valid, dims (set,)."""
    most: Index
    members: dict[int, tuple[Index, Index]]
    """Levels and weights of the valid trials of the sets in which levels differ."""
    items_with_base: Index

    @classmethod
    def of(cls, frame: pd.DataFrame, rows: Index, level: Index, weight: Index) -> _BaseSets:
        item = _codes(frame, ITEM)
        key = _codes(frame, (*ITEM, *(name for name in CONTEXT if name in frame)))
        repeat = np.zeros(len(frame), dtype=np.int64)
        if "repeat" in frame:
            known, _ = pd.factorize(frame["repeat"])
            repeat = np.where(known < 0, 0, known + 2).astype(np.int64)
        width = int(repeat.max(initial=0)) + 2
        own, whole = key[rows] * width + repeat[rows], key[rows] * width + 1
        member = np.concatenate([own, whole])
        levels, counts = np.tile(level[rows], 2), np.tile(weight[rows], 2)
        codes, inverse = np.unique(member, return_inverse=True)
        most = np.full(len(codes), -1, dtype=np.int64)
        np.maximum.at(most, inverse, levels)
        least = np.full(len(codes), np.iinfo(np.int64).max)
        valid = levels >= 0
        np.minimum.at(least, inverse[valid], levels[valid])
        least = np.where(most < 0, -1, least)
        order = np.argsort(inverse, kind="stable")
        edges = np.searchsorted(inverse[order], np.arange(len(codes) + 1))
        members = {}
        for code in np.flatnonzero(least != most):
            part = order[edges[code] : edges[code + 1]]
            part = part[valid[part]]
            members[int(code)] = (levels[part], counts[part])
        return cls(key, item, repeat, width, codes, least, most, members, np.unique(item[rows]))

    def find(self, code: Index) -> Index:
        """Return the position of each code among the sets, -1 where no base trial is in it."""
        if not len(self.codes):
            return np.full(len(code), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.codes, code), len(self.codes) - 1)
        return np.where(self.codes[at] == code, at, -1)

    def partners(self, variant: Index) -> tuple[Index, NDArray[np.str_]]:
        """Return the set that each variant trial meets (-1 for none) and why it meets none."""
        key, repeat = self.key[variant] * self.width, self.repeat[variant]
        same, unnamed, whole = self.find(key + repeat), self.find(key), self.find(key + 1)
        found = np.where(repeat == 0, whole, np.where(same >= 0, same, unnamed))
        reason = np.full(len(variant), "", dtype="U16")
        lacking = found < 0
        reason[lacking] = NO_BASE
        reason[lacking & np.isin(self.item[variant], self.items_with_base)] = OTHER_CONTEXT
        reason[lacking & (whole >= 0)] = OTHER_REPEAT
        return found, reason


def _codes(frame: pd.DataFrame, names: tuple[str, ...]) -> Index:
    """Return one code for each combination of the columns, dims (trial,); an empty entry is a value of its own."""
    out = np.zeros(len(frame), dtype=np.int64)
    for name in names:
        codes, uniques = pd.factorize(frame[name])
        _, out = np.unique(out * (len(uniques) + 1) + codes + 1, return_inverse=True)
    return out


def _by_rank(
    sets: _BaseSets,
    variant: Index,
    found: Index,
    level: Index,
    weight: Index,
    frame: pd.DataFrame,
    open_: NDArray[np.bool_],
) -> list[tuple[Index, Index, Index]]:
    """Return (rows, base levels, counts) of the trials that meet base trials of different scores."""
    if not open_.any():
        return []
    rows = variant[open_]
    code = _codes(frame.iloc[rows], tuple(name for name in ("cue", "polarity") if name in frame))
    group = found[open_] * (int(code.max()) + 1) + code
    order = np.lexsort((level[rows], group))
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    out = []
    for part in np.split(order, starts[1:]):
        levels, counts = sets.members[int(found[open_][part[0]])]
        mine = np.repeat(rows[part], weight[rows[part]])
        base = quantile_levels(levels, counts, len(mine))
        pairs, count = np.unique(np.stack([mine, base]), axis=1, return_counts=True)
        out.append((pairs[0], pairs[1], count.astype(np.int64)))
    return out


def quantile_levels(levels: Index, counts: Index, size: int) -> Index:
    """Return the (2k - 1)/(2 size) quantiles of levels with counts, k = 1..size, rounded half to even, dims (size,).

    Where such a share falls on the boundary of two scores the quantile is their midpoint, as for a median.
    """
    order = np.argsort(levels, kind="stable")
    ends = np.cumsum(counts[order])
    # Shares in units of 1 / (2 size): exact in whole numbers, so a boundary is met exactly.
    share = (2 * np.arange(size, dtype=np.int64) + 1) * ends[-1]
    low = levels[order][np.searchsorted(ends * 2 * size, share, side="left")]
    high = levels[order][np.minimum(np.searchsorted(ends * 2 * size, share, side="right"), len(order) - 1)]
    middle: Index = np.round((low + high) / 2).astype(np.int64)  # NumPy rounds a half to the even level
    return middle
