"""Stage counts: what the likelihood of one stage sees of the trial table."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from judgestats.trials.cell import Cell

CONGRUENT = 0.5
INCONGRUENT = -0.5


@dataclass(frozen=True)
class StageCounts:
    """Successes out of trials, one row per cell x item x cluster x block that holds at least one trial.

    In the validity stage a trial is any trial with a block and a success is a valid answer; in the shift stage a trial
    is a valid trial and a success is a task-consistent answer. Rows are in canonical order (cell, item, cluster,
    block), so the order of the input rows changes nothing.

    Parameters
    ----------
    stage : str
        ``"validity"`` or ``"shift"``.
    cells : tuple of Cell
        All declared cells, sorted; a cell may have no row.
    items : tuple of tuple of str
        Item names of each cell, sorted; `item` indexes into them.
    clusters : tuple of tuple of str, optional
        Cluster names of each cell; None when the trial table has no cluster.
    cell, item, block, trials, successes : ndarray, dims (row,)
        Cell index, item index within the cell, block code (-1/2 incongruent, +1/2 congruent) and counts.
    cluster : ndarray, dims (row,), optional
        Cluster index within the cell.
    """

    stage: str
    cells: tuple[Cell, ...]
    items: tuple[tuple[str, ...], ...]
    clusters: tuple[tuple[str, ...], ...] | None
    cell: NDArray[np.int64]
    item: NDArray[np.int64]
    cluster: NDArray[np.int64] | None
    block: NDArray[np.float64]
    trials: NDArray[np.int64]
    successes: NDArray[np.int64]

    def __post_init__(self) -> None:
        if np.any(self.trials < 1) or np.any(self.successes < 0) or np.any(self.successes > self.trials):
            raise ValueError("every row needs trials >= 1 and 0 <= successes <= trials")
        if not np.all(np.isin(self.block, (CONGRUENT, INCONGRUENT))):
            raise ValueError("block codes must be -0.5 (incongruent) or +0.5 (congruent)")

    def select(self, index: int) -> StageCounts:
        """Return the counts of the one cell at position `index`."""
        keep = self.cell == index
        return replace(
            self,
            cells=(self.cells[index],),
            items=(self.items[index],),
            clusters=None if self.clusters is None else (self.clusters[index],),
            cell=np.zeros(int(keep.sum()), dtype=np.int64),
            item=self.item[keep],
            cluster=None if self.cluster is None else self.cluster[keep],
            block=self.block[keep],
            trials=self.trials[keep],
            successes=self.successes[keep],
        )

    def totals(self) -> NDArray[np.int64]:
        """Return trials and successes by cell and block, dims (cell, block, 2); block 0 is congruent."""
        out = np.zeros((len(self.cells), 2, 2), dtype=np.int64)
        side = (self.block < 0).astype(np.int64)
        trials, successes = out[:, :, 0], out[:, :, 1]  # views
        np.add.at(trials, (self.cell, side), self.trials)
        np.add.at(successes, (self.cell, side), self.successes)
        return out
