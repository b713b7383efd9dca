"""Score rows: what the likelihood of one stage of a score model sees of the trial table."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from judgestats.trials.cell import Cell
from judgestats.trials.variant import Variant

Index = NDArray[np.int64]


@dataclass(frozen=True)
class ScoreRows:
    """Outcomes with counts, one row per cell x item x variant x outcome (x base score) that occurs.

    Rows are in canonical order (cell, item, variant, base, outcome), so the order of the input rows changes nothing.

    Parameters
    ----------
    stage : str
        ``"validity"`` (outcome 0 lost, 1 valid), ``"shift"`` of the ordinal model (outcome = index of the score level),
        ``"moved"`` (outcome 1 where a pair's scores differ) or ``"shift"`` of the paired model (outcome = difference,
        variant minus base, in steps of the scale, never 0).
    cells : tuple of Cell
        All declared cells, sorted; a cell may have no row.
    items : tuple of tuple of str
        Item names of each cell, sorted; `item` indexes into them.
    variants : tuple of Variant
        Base first, then the others sorted; `variant` indexes into them. Paired stages have no row of variant 0.
    outcomes : int
        Number of levels of the scale, or 2 for ``validity`` and ``moved``.
    cell, item, variant, outcome, count : ndarray, dims (row,)
        Codes and how many trials (or pairs) a row stands for.
    base : ndarray, dims (row,), optional
        Level index of the pair's base score; only in paired stages.
    """

    stage: str
    cells: tuple[Cell, ...]
    items: tuple[tuple[str, ...], ...]
    variants: tuple[Variant, ...]
    outcomes: int
    cell: Index
    item: Index
    variant: Index
    outcome: Index
    count: Index
    base: Index | None = None

    def __post_init__(self) -> None:
        if not self.variants or not self.variants[0].is_base:
            raise ValueError("the first variant must be the base")
        if np.any(self.count < 1):
            raise ValueError("every row needs a count of at least 1")

    def select(self, index: int) -> ScoreRows:
        """Return the rows of the one cell at position `index`."""
        keep = self.cell == index
        return replace(
            self,
            cells=(self.cells[index],),
            items=(self.items[index],),
            cell=np.zeros(int(keep.sum()), dtype=np.int64),
            item=self.item[keep],
            variant=self.variant[keep],
            outcome=self.outcome[keep],
            count=self.count[keep],
            base=None if self.base is None else self.base[keep],
        )

    def totals(self) -> Index:
        """Return counts by cell, variant and outcome, dims (cell, variant, outcome); not for differences."""
        out = np.zeros((len(self.cells), len(self.variants), self.outcomes), dtype=np.int64)
        np.add.at(out, (self.cell, self.variant, self.outcome), self.count)
        return out
