"""Likelihood units: what is left out by leave-one-out, and which rows belong to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.patterns import collapse, item_table
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import StageCounts

UnitKind = Literal["item", "cluster", "item given the sampled cluster effects"]


@dataclass(frozen=True)
class UnitRows:
    """Rows of counts grouped by unit, the form in which a likelihood is integrated.

    Parameters
    ----------
    block : ndarray, dims (row,)
        Block code, -1/2 or +1/2.
    trials, successes : ndarray, dims (row,)
        Counts.
    unit : ndarray, dims (row,)
        Unit of each row, ascending, every unit from 0 to `size` - 1 present.
    size : int
        Number of units.
    """

    block: NDArray[np.float64]
    trials: NDArray[np.float64]
    successes: NDArray[np.float64]
    unit: NDArray[np.int64]
    size: int

    @property
    def largest(self) -> float:
        """Return the largest number of trials that share one effect."""
        return float(np.bincount(self.unit, weights=self.trials).max()) if self.size else 0.0


@dataclass(frozen=True)
class ItemPatterns:
    """Items of one cell collapsed to their distinct answers.

    Parameters
    ----------
    rows : UnitRows
        One unit per distinct pattern.
    names : tuple of str
        Items that have a trial in this stage.
    of_name : ndarray, dims (name,)
        Pattern of each of them.
    """

    rows: UnitRows
    names: tuple[str, ...]
    of_name: NDArray[np.int64]


def unit_kind(stage: StageSpec, counts: StageCounts) -> UnitKind:
    """Return the unit of one cell.

    Without clusters it is the item. Where each item lies in one cluster, items of a cluster are dependent and the
    cluster is the unit. Where clusters cross items no unit is independent of the rest: the unit is the item given
    the sampled cluster effects, which says how well a new item is predicted under the same clusters.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    counts : StageCounts
        Counts of one cell.
    """
    if not stage.has("sigma_cluster") or counts.cluster is None:
        return "item"
    pairs = np.unique(np.stack([counts.item, counts.cluster]), axis=1)
    nested = pairs.shape[1] == np.unique(pairs[0]).size
    return "cluster" if nested else "item given the sampled cluster effects"


def item_patterns(counts: StageCounts) -> ItemPatterns:
    """Collapse the items of one cell to patterns; clusters, if any, are added up."""
    found = collapse(item_table(counts))
    seen = found.of_item >= 0
    names = tuple(name for name, kept in zip(counts.items[0], seen, strict=True) if kept)
    return ItemPatterns(pattern_rows(found.patterns), names, found.of_item[seen])


def pattern_rows(patterns: NDArray[np.int64]) -> UnitRows:
    """Return rows of patterns, dims (pattern, 4): congruent trials, successes, incongruent trials, successes."""
    size = len(patterns)
    unit = np.repeat(np.arange(size), 2)
    trials = patterns[:, [0, 2]].ravel()
    keep = trials > 0
    return UnitRows(
        block=np.tile([0.5, -0.5], size)[keep],
        trials=trials[keep].astype(np.float64),
        successes=patterns[:, [1, 3]].ravel()[keep].astype(np.float64),
        unit=unit[keep],
        size=size,
    )


def cluster_patterns(counts: StageCounts) -> tuple[UnitRows, tuple[str, ...], NDArray[np.float64]]:
    """Return the item patterns of a cell whose clusters hold whole items, with how many each cluster holds.

    Returns
    -------
    rows : UnitRows
        One unit per distinct item pattern.
    names : tuple of str
        Clusters that have a trial in this stage.
    holds : ndarray, dims (pattern, cluster)
        Items of each pattern in each cluster.
    """
    if counts.cluster is None or counts.clusters is None:
        raise ValueError("these counts have no cluster")
    found = collapse(item_table(counts))
    cluster_of_item = np.full(len(counts.items[0]), -1, dtype=np.int64)
    cluster_of_item[counts.item] = counts.cluster
    seen = found.of_item >= 0
    present, column = np.unique(cluster_of_item[seen], return_inverse=True)
    holds = np.zeros((len(found.patterns), present.size))
    np.add.at(holds, (found.of_item[seen], column.ravel()), 1.0)
    names = tuple(counts.clusters[0][index] for index in present)
    return pattern_rows(found.patterns), names, holds


def grouped_rows(
    block: NDArray[np.float64],
    trials: NDArray[np.int64],
    successes: NDArray[np.int64],
    group: NDArray[np.int64],
) -> tuple[UnitRows, NDArray[np.int64], NDArray[np.int64]]:
    """Group arbitrary rows by `group`.

    Returns
    -------
    rows : UnitRows
        The rows in order of group.
    order : ndarray, dims (row,)
        Position of each returned row in the input.
    groups : ndarray, dims (unit,)
        Value of `group` of each unit.
    """
    order = np.argsort(group, kind="stable")
    groups, unit = np.unique(group[order], return_inverse=True)
    rows = UnitRows(
        block[order],
        trials[order].astype(np.float64),
        successes[order].astype(np.float64),
        unit.ravel().astype(np.int64),
        groups.size,
    )
    return rows, order.astype(np.int64), groups
