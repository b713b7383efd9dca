"""Patterns: items with equal answers, collapsed to one row with a count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgestats.trials.counts import StageCounts


@dataclass(frozen=True)
class PatternCounts:
    """Distinct item answers of one cell and how many items gave each.

    Parameters
    ----------
    patterns : ndarray, dims (pattern, 4)
        Columns: congruent trials, congruent successes, incongruent trials, incongruent successes.
    counts : ndarray, dims (pattern,)
        Items with that pattern.
    of_item : ndarray, dims (item,)
        Pattern index of each item that has a trial; -1 for items without one in this stage.
    """

    patterns: NDArray[np.int64]
    counts: NDArray[np.int64]
    of_item: NDArray[np.int64]


def item_table(counts: StageCounts) -> NDArray[np.int64]:
    """Return trials and successes of each item of a one-cell table, dims (item, 4), columns as in PatternCounts."""
    if len(counts.cells) != 1:
        raise ValueError("item_table takes the counts of one cell; use StageCounts.select")
    table = np.zeros((len(counts.items[0]), 4), dtype=np.int64)
    column = np.where(counts.block > 0, 0, 2)
    np.add.at(table, (counts.item, column), counts.trials)
    np.add.at(table, (counts.item, column + 1), counts.successes)
    return table


def collapse(table: NDArray[np.int64]) -> PatternCounts:
    """Collapse an item table, dims (item, 4), to its distinct rows; items without a trial are left out.

    The likelihood of a cell depends on its items only through these counts, which is exact: item effects are exchangeable.
    """
    of_item = np.full(len(table), -1, dtype=np.int64)
    seen = (table[:, 0] + table[:, 2]) > 0
    if not seen.any():
        return PatternCounts(np.zeros((0, 4), dtype=np.int64), np.zeros(0, dtype=np.int64), of_item)
    patterns, inverse, counts = np.unique(table[seen], axis=0, return_inverse=True, return_counts=True)
    of_item[seen] = inverse.ravel()
    return PatternCounts(patterns, counts.astype(np.int64), of_item)
