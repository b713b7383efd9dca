"""Units: the levels that carry an independent varying effect, and where each row and each cell finds its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgestats.spec.term import Term
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Index = NDArray[np.int64]


@dataclass(frozen=True)
class Units:
    """Independent levels of one varying term.

    Items of one cell are units of their own; items that the judges of a domain share are one unit for all those judges.

    Parameters
    ----------
    size, scales : int
        Number of units and of standard deviations.
    of_row : ndarray, dims (row,)
        Unit of each row of the counts.
    scale : ndarray, dims (unit,)
        Which standard deviation a unit takes.
    scale_of_cell : ndarray, dims (cell,)
        Which standard deviation a cell takes.
    of_level : ndarray, dims (level,)
        Unit of every level of every cell, in the flat order (cell, level) of the result tree.
    """

    size: int
    scales: int
    of_row: Index
    scale: Index
    scale_of_cell: Index
    of_level: Index


def item_units(term: Term, counts: StageCounts) -> Units:
    """Return the units of a term that varies by item: per cell, or shared by the judges of a domain."""
    return _units(term, counts.cells, counts.items, counts.cell, counts.item)


def cluster_units(term: Term, counts: StageCounts) -> Units:
    """Return the units of a term that varies by cluster.

    Raises
    ------
    ValueError
        If the counts hold no clusters.
    """
    if counts.clusters is None or counts.cluster is None:
        raise ValueError(f"term {term.name!r} varies by cluster, and the counts of stage {counts.stage!r} have none")
    return _units(term, counts.cells, counts.clusters, counts.cell, counts.cluster)


def _units(term: Term, cells: Sequence[Cell], names: Sequence[Sequence[str]], cell: Index, level: Index) -> Units:
    offset = np.concatenate([[0], np.cumsum([len(part) for part in names])]).astype(np.int64)
    cell_of_level = np.repeat(np.arange(len(cells)), [len(part) for part in names])
    if term.factors == ("domain",):
        domains = sorted({c.domain for c in cells})
        scale_of_cell = np.array([domains.index(c.domain) for c in cells], dtype=np.int64)
        keys = [(int(scale_of_cell[c]), name) for c, part in enumerate(names) for name in part]
        known = {key: i for i, key in enumerate(sorted(set(keys)))}
        of_level = np.array([known[key] for key in keys], dtype=np.int64)
        scale = np.array([key[0] for key in known], dtype=np.int64)
    else:
        scale_of_cell = np.arange(len(cells), dtype=np.int64)
        of_level = np.arange(offset[-1], dtype=np.int64)
        scale = cell_of_level.astype(np.int64)
    return Units(
        size=len(scale),
        scales=int(scale_of_cell.max(initial=-1)) + 1,
        of_row=of_level[offset[cell] + level] if len(cell) else np.zeros(0, dtype=np.int64),
        scale=scale,
        scale_of_cell=scale_of_cell,
        of_level=of_level,
    )
