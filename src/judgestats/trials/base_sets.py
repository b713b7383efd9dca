"""Base sets: the base trials that a trial of a variant may be paired with, and their scores in order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Index = NDArray[np.int64]

ITEM: tuple[str, ...] = ("judge", "domain", "item")
CONTEXT: tuple[str, ...] = ("prompt_config", "judge_version", "rater", "dimension")
"""Columns beside the item in which a variant and its base must agree: else the difference is not the cue's alone."""

NO_BASE = "no_base"
OTHER_CONTEXT = "other_context"
OTHER_REPEAT = "other_repeat"


@dataclass(frozen=True)
class BaseSets:
    """Sets of base trials by code, and the code of each trial of the table.

    A key is an item in its context. Its base trials form one set for each repeat, one of those without a repeat, and one of
    all; the code of a set is key x `width` + repeat, with 0 for no repeat and 1 for all.

    Parameters
    ----------
    key, item, repeat : ndarray, dims (trial,)
        Codes of every trial of the table; repeats count from 2, 0 is none.
    width : int
        Codes of repeats.
    codes : ndarray, dims (set,)
        Sorted codes of the sets that hold a base trial, valid or not.
    least, most : ndarray, dims (set,)
        Smallest and largest valid level, -1 where no trial is valid.
    before, total : ndarray, dims (set,)
        Valid trials in all sets before, and in this one.
    levels, reach : ndarray, dims (member,)
        Levels of the valid trials, sorted within each set, and the running number of trials up to each.
    items : ndarray
        Codes of the items that have a base trial in any context.
    """

    key: Index
    item: Index
    repeat: Index
    width: int
    codes: Index
    least: Index
    most: Index
    before: Index
    total: Index
    levels: Index
    reach: Index
    items: Index

    @classmethod
    def of(cls, frame: pd.DataFrame, rows: Index, level: Index, weight: Index) -> BaseSets:
        """Collect the base trials at `rows`; `level` is -1 for a lost one, `weight` how many trials a row stands for."""
        item = combined_codes(frame, ITEM)
        key = combined_codes(frame, (*ITEM, *(name for name in CONTEXT if name in frame)))
        repeat = np.zeros(len(frame), dtype=np.int64)
        if "repeat" in frame:
            known, _ = pd.factorize(frame["repeat"])
            repeat = np.where(known < 0, 0, known + 2).astype(np.int64)
        width = int(repeat.max(initial=0)) + 2
        member = np.concatenate([key[rows] * width + repeat[rows], key[rows] * width + 1])
        codes, owner = np.unique(member, return_inverse=True)
        valid = np.tile(level[rows] >= 0, 2)
        owner, levels, counts = owner[valid], np.tile(level[rows], 2)[valid], np.tile(weight[rows], 2)[valid]
        order = np.lexsort((levels, owner))
        owner, levels, reach = owner[order], levels[order], np.cumsum(counts[order])
        total = np.zeros(len(codes), dtype=np.int64)
        np.add.at(total, owner, counts[order])
        least, most = (np.full(len(codes), -1, dtype=np.int64) for _ in range(2))
        most[owner] = levels  # the last one of a set stays
        least[owner[::-1]] = levels[::-1]
        return cls(
            key=key,
            item=item,
            repeat=repeat,
            width=width,
            codes=codes,
            least=least,
            most=most,
            before=np.cumsum(total) - total,
            total=total,
            levels=levels,
            reach=reach,
            items=np.unique(item[rows]),
        )

    def partners(self, trial: Index) -> tuple[Index, NDArray[np.str_]]:
        """Return the position of the set that each trial meets (-1 for none) and, where it meets none, why."""
        key, repeat = self.key[trial] * self.width, self.repeat[trial]
        same, unnamed, whole = self._find(key + repeat), self._find(key), self._find(key + 1)
        found = np.where(repeat == 0, whole, np.where(same >= 0, same, unnamed))
        reason = np.full(len(trial), "", dtype="U16")
        lacking = found < 0
        reason[lacking] = NO_BASE
        reason[lacking & np.isin(self.item[trial], self.items)] = OTHER_CONTEXT
        reason[lacking & (whole >= 0)] = OTHER_REPEAT
        return found, reason

    def _find(self, code: Index) -> Index:
        if not len(self.codes):
            return np.full(len(code), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.codes, code), len(self.codes) - 1)
        return np.where(self.codes[at] == code, at, -1)

    def quantile(self, at: Index, rank: Index, size: Index) -> Index:
        """Return the (2 rank + 1)/(2 size) quantile of the levels of the sets at `at`, rounded half to even.

        Where a share falls on the boundary of two scores the quantile is their midpoint, as for a median.

        Parameters
        ----------
        at, rank, size : ndarray, dims (trial,)
            Position of the set, rank of the trial from 0, and number of trials that are ranked.
        """
        share, unit = (2 * rank + 1) * self.total[at], 2 * size  # whole numbers, so a boundary is met exactly
        first = self.before[at] - (-share // unit)
        after = self.before[at] + np.minimum(share // unit + 1, self.total[at])
        low, high = (self.levels[np.searchsorted(self.reach, number)] for number in (first, after))
        middle: Index = np.round((low + high) / 2).astype(np.int64)  # NumPy rounds a half to the even level
        return middle


def combined_codes(frame: pd.DataFrame, names: tuple[str, ...]) -> Index:
    """Return one code for each combination of the columns, dims (trial,); an empty entry is a value of its own."""
    out = np.zeros(len(frame), dtype=np.int64)
    for name in names:
        codes, uniques = pd.factorize(frame[name])
        _, out = np.unique(out * (len(uniques) + 1) + codes + 1, return_inverse=True)
    return out
