"""Item differences: per item and variant, the sum of the paired differences between variant and base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgestats.trials.cell import Cell
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.variant import Variant

Index = NDArray[np.int64]


@dataclass(frozen=True)
class ItemDifferences:
    """Paired differences of one cell, summed over the pairs of an item, in steps of the scale.

    Parameters
    ----------
    cell : Cell
        The cell.
    items : tuple of str
        Items with a pair or more.
    variants : tuple of Variant
        Variants beside the base.
    total, pairs, moved : ndarray, dims (item, variant)
        Sum of the differences (variant minus base, steps), number of pairs, and number of pairs that differ.
    """

    cell: Cell
    items: tuple[str, ...]
    variants: tuple[Variant, ...]
    total: Index
    pairs: Index
    moved: Index

    def shift(self, step: float) -> NDArray[np.float64]:
        """Return the mean paired difference of every variant in score points, dims (variant,); NaN without a pair."""
        pairs = self.pairs.sum(axis=0)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.total.sum(axis=0) * step / np.where(pairs, pairs, np.nan))


def item_differences(pairs: Mapping[str, ScoreRows]) -> tuple[ItemDifferences, ...]:
    """Return the differences of every cell.

    Parameters
    ----------
    pairs : mapping of str to ScoreRows
        Stages ``moved`` (every pair) and ``shift`` (the differences that are not 0) of the paired model.

    Raises
    ------
    ValueError
        If a stage is missing, or the two disagree on cells, variants or on how many pairs differ.
    """
    missing = [name for name in ("moved", "shift") if name not in pairs]
    if missing:
        raise ValueError(f"paired differences need the stages moved and shift; missing: {', '.join(missing)}")
    moved, shift = pairs["moved"], pairs["shift"]
    if moved.cells != shift.cells or moved.variants != shift.variants:
        raise ValueError("the stages moved and shift must hold the same cells and variants")
    found = tuple(_of_cell(moved.select(i), shift.select(i)) for i in range(len(moved.cells)))
    if sum(int(one.moved.sum()) for one in found) != int(shift.count.sum()):
        raise ValueError("the stage shift must hold one difference for every pair that the stage moved says differs")
    return found


def _of_cell(moved: ScoreRows, shift: ScoreRows) -> ItemDifferences:
    names = tuple(sorted({moved.items[0][i] for i in moved.item.tolist()}))
    place = {name: i for i, name in enumerate(names)}
    shape = (len(names), len(moved.variants))
    asked, differ, total = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    at = (_rows(moved, place), moved.variant)
    np.add.at(asked, at, moved.count)
    np.add.at(differ, at, moved.count * moved.outcome)
    np.add.at(total, (_rows(shift, place), shift.variant), shift.count * shift.outcome)
    # The base is the first variant and has no pair with itself.
    return ItemDifferences(moved.cells[0], names, moved.variants[1:], total[:, 1:], asked[:, 1:], differ[:, 1:])


def _rows(rows: ScoreRows, place: Mapping[str, int]) -> Index:
    unknown = sorted({rows.items[0][i] for i in rows.item.tolist()} - set(place))
    if unknown:
        raise ValueError(f"items of the stage shift without a pair in the stage moved: {', '.join(unknown[:3])}")
    return np.array([place[rows.items[0][i]] for i in rows.item.tolist()], dtype=np.int64)
