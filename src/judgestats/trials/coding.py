"""Coding: from trials to the counts that the likelihood of each stage sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judgestats.trials.cell import Cell
from judgestats.trials.columns import BLOCKS, weights
from judgestats.trials.counts import CONGRUENT, INCONGRUENT, StageCounts
from judgestats.trials.status import Status
from judgestats.trials.table import TrialTable

NO_CLUSTER = "(none)"
"""Cluster of trials that name none in a table where others do."""


def stage_counts(table: TrialTable) -> dict[str, StageCounts]:
    """Return the counts of the validity and the shift stage.

    Trials without a block are left out (the table's notice ``no_block`` counts them). Clusters are there only when the
    table has the column; both stages share cells, items and clusters. A row that stands for `n` equal trials counts
    `n` times.

    Returns
    -------
    dict of str to StageCounts
        ``validity``: valid out of asked; ``shift``: consistent out of valid.
    """
    grid = _Grid.of(table)
    valid = grid.weight * grid.valid
    return {
        "validity": grid.counts("validity", grid.weight, valid),
        "shift": grid.counts("shift", valid, valid * grid.consistent),
    }


def invalid_as_inconsistent(table: TrialTable) -> StageCounts:
    """Return a shift stage in which every lost trial counts as inconsistent.

    This is the labelled sensitivity rule; no other code path turns a lost trial into an outcome.
    """
    grid = _Grid.of(table)
    return grid.counts("shift", grid.weight, grid.weight * grid.valid * grid.consistent)


@dataclass(frozen=True)
class _Grid:
    """Integer codes of all trials with a block, dims (trial,); items and clusters are numbered within their cell."""

    cells: tuple[Cell, ...]
    items: tuple[tuple[str, ...], ...]
    clusters: tuple[tuple[str, ...], ...] | None
    cell: NDArray[np.int64]
    item: NDArray[np.int64]
    cluster: NDArray[np.int64] | None
    congruent: NDArray[np.bool_]
    weight: NDArray[np.int64]
    valid: NDArray[np.bool_]
    consistent: NDArray[np.bool_]

    @classmethod
    def of(cls, table: TrialTable) -> _Grid:
        cells = table.cells()
        frame = table.frame
        _ = table.choice  # a table of scores has no consistent answers
        frame = frame[frame["block"].notna()] if "block" in frame else frame.iloc[:0].assign(block="")
        weight = weights(frame)
        if np.any(weight == 0):
            frame, weight = frame[weight > 0], weight[weight > 0]
        position = {(cell.judge, cell.domain): i for i, cell in enumerate(cells)}
        cell = cell_codes(frame, position)
        items, item = within_cell(cell, frame["item"], len(cells))
        clusters, cluster = None, None
        if "cluster" in table.frame and table.frame["cluster"].notna().any():
            clusters, cluster = within_cell(cell, frame["cluster"].fillna(NO_CLUSTER), len(cells))
        valid = np.asarray(frame["status"] == Status.VALID.value, dtype=bool)
        consistent = frame["consistent"].astype("boolean").fillna(False).to_numpy(dtype=bool)
        congruent = np.asarray(frame["block"] == BLOCKS[0], dtype=bool)
        return cls(cells, items, clusters, cell, item, cluster, congruent, weight, valid, consistent)

    def counts(self, stage: str, trials: NDArray[np.int64], successes: NDArray[np.int64]) -> StageCounts:
        """Return one row per cell x item x cluster x block that holds a trial, in that order."""
        n_items = max(map(len, self.items), default=0) or 1
        n_clusters = (max(map(len, self.clusters), default=0) if self.clusters else 0) or 1
        key = self.cell * n_items + self.item
        key = key * n_clusters + (self.cluster if self.cluster is not None else 0)
        key = key * 2 + self.congruent
        keep = trials > 0
        unique, inverse = np.unique(key[keep], return_inverse=True)
        asked, won = np.zeros(len(unique), dtype=np.int64), np.zeros(len(unique), dtype=np.int64)
        np.add.at(asked, inverse, trials[keep])
        np.add.at(won, inverse, successes[keep])
        rest = unique // 2
        return StageCounts(
            stage=stage,
            cells=self.cells,
            items=self.items,
            clusters=self.clusters,
            cell=rest // n_clusters // n_items,
            item=rest // n_clusters % n_items,
            cluster=None if self.cluster is None else rest % n_clusters,
            block=np.where(unique % 2 == 1, CONGRUENT, INCONGRUENT).astype(np.float64),
            trials=asked,
            successes=won,
        )


def cell_codes(frame: pd.DataFrame, position: dict[tuple[str, str], int]) -> NDArray[np.int64]:
    """Return the index of each trial's cell, dims (trial,); `position` gives it by judge and domain."""
    judge, judges = pd.factorize(frame["judge"])
    domain, domains = pd.factorize(frame["domain"])
    table = np.full((len(judges), len(domains)), -1, dtype=np.int64)
    for i, j in enumerate(judges):
        for k, d in enumerate(domains):
            table[i, k] = position.get((str(j), str(d)), -1)
    return table[judge, domain]


def within_cell(
    cell: NDArray[np.int64], names: pd.Series, n_cells: int
) -> tuple[tuple[tuple[str, ...], ...], NDArray[np.int64]]:
    """Return the sorted names of each cell and, for each trial, its position among them."""
    codes, uniques = pd.factorize(names)
    words = [str(word) for word in uniques]
    order = sorted(range(len(words)), key=words.__getitem__)
    rank = np.empty(len(words), dtype=np.int64)
    rank[order] = np.arange(len(words))
    size = max(len(words), 1)
    pairs, inverse = np.unique(cell * size + rank[codes], return_inverse=True)
    owner = pairs // size
    start = np.searchsorted(owner, np.arange(n_cells))
    ranked = [words[i] for i in order]
    levels = tuple(tuple(ranked[pair % size] for pair in pairs[owner == i]) for i in range(n_cells))
    return levels, (np.arange(len(pairs)) - start[owner])[inverse].astype(np.int64)
