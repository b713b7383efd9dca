"""Label permutation: data sets that differ from the observed one only in which block each answer is said to come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Scheme = Literal["within_item", "between_items", "between_clusters", "within_judge"]
Table = NDArray[np.int64]


@dataclass(frozen=True)
class LabelledUnits:
    """Trials of one cell by the unit within which an item's labels can move.

    Parameters
    ----------
    item : ndarray, dims (unit,)
        Item of each unit; a unit is an item, or an item x cluster pair where there are clusters.
    stratum : ndarray, dims (unit,)
        Cluster of the unit's item where the item stays within one cluster, else 0 for all.
    cluster : ndarray, dims (unit,)
        Cluster of each unit, 0 for all where the table has none.
    table : ndarray, dims (unit, 4)
        Congruent trials and successes, incongruent trials and successes.
    """

    item: NDArray[np.int64]
    stratum: NDArray[np.int64]
    cluster: NDArray[np.int64]
    table: Table

    @classmethod
    def of(cls, counts: StageCounts) -> LabelledUnits:
        """Return the units of a one-cell table, in canonical order."""
        cluster = np.zeros_like(counts.item) if counts.cluster is None else counts.cluster
        pairs, unit = np.unique(np.stack([counts.item, cluster], axis=1), axis=0, return_inverse=True)
        table = np.zeros((len(pairs), 4), dtype=np.int64)
        column = np.where(counts.block > 0, 0, 2)
        np.add.at(table, (unit.ravel(), column), counts.trials)
        np.add.at(table, (unit.ravel(), column + 1), counts.successes)
        item = pairs[:, 0]
        nested = len(np.unique(item)) == len(item)
        return cls(item, pairs[:, 1] if nested else np.zeros_like(item), pairs[:, 1], table)

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Return which units hold both blocks, dims (unit,)."""
        return np.asarray((self.table[:, 0] > 0) & (self.table[:, 2] > 0))

    @property
    def one_block_items(self) -> bool:
        """Return whether every item stands in one block only."""
        both = np.zeros((int(self.item.max(initial=-1)) + 1, 2), dtype=bool)
        both[self.item[self.table[:, 0] > 0], 0] = True
        both[self.item[self.table[:, 2] > 0], 1] = True
        return not bool(np.any(both.all(axis=1)))

    @property
    def one_block_clusters(self) -> bool:
        """Return whether there are several clusters and each holds one block only, both blocks occurring."""
        congruent = np.unique(self.cluster[self.table[:, 0] > 0])
        incongruent = np.unique(self.cluster[self.table[:, 2] > 0])
        apart = np.intersect1d(congruent, incongruent).size == 0
        return bool(apart and congruent.size and incongruent.size)

    def default_scheme(self) -> Scheme:
        """Return the scheme at the level at which labels were assigned."""
        if self.one_block_clusters:
            return "between_clusters"
        return "between_items" if self.one_block_items else "within_item"

    def refusal(self, scheme: Scheme, asked: LabelledUnits | None = None) -> str | None:
        """Return why `scheme` cannot permute these units, or None.

        Parameters
        ----------
        scheme : str
            The scheme.
        asked : LabelledUnits, optional
            The units of all trials that were asked, lost ones included: they show at which level labels were assigned. An item
            that lost its answers of one block was still asked in both. Default: these units.
        """
        asked = self if asked is None else asked
        if len(self.table) == 0:
            return "there is no valid trial"
        if scheme == "within_item" and not self.complete.any():
            return "no item (within one cluster, where there are clusters) holds valid trials of both blocks"
        if scheme == "between_items" and not asked.one_block_items:
            return "items were asked in both blocks, so the label was not assigned between items"
        if scheme == "between_clusters" and not asked.one_block_clusters:
            return (
                "clusters were asked in both blocks (or there are none), so the label was not assigned between clusters"
            )
        return None


def units_asked(asked: StageCounts | None, cell: Cell, valid: LabelledUnits) -> LabelledUnits:
    """Return the units in which `cell` was asked, lost trials included; those of its valid trials where nothing else is known."""
    if asked is None or cell not in asked.cells:
        return valid
    found = LabelledUnits.of(asked.select(asked.cells.index(cell)))
    return found if len(found.table) else valid


def permuted(units: LabelledUnits, scheme: Scheme, rng: np.random.Generator, permutations: int) -> Table:
    """Return unit tables under permuted labels, dims (permutation, unit, 4).

    ``within_item`` moves labels among the trials of a unit that holds both blocks; an incomplete unit keeps its label.
    ``between_items`` moves labels among items (within a cluster that contains whole items). ``between_clusters`` moves labels
    among whole clusters, such as conversations that hold one block each. ``within_judge`` moves labels among all trials of the
    judge x domain cell, whatever the item.
    """
    if scheme == "within_item":
        return _within_units(units.table, units.complete, rng, permutations)
    if scheme == "between_items":
        return _between_groups(units, units.item, units.stratum, rng, permutations)
    if scheme == "between_clusters":
        return _between_groups(units, units.cluster, np.zeros_like(units.cluster), rng, permutations)
    return _within_cell(units.table, rng, permutations)


def _within_units(table: Table, complete: NDArray[np.bool_], rng: np.random.Generator, permutations: int) -> Table:
    """Successes of the congruent side are hypergeometric: n_c draws without replacement from the unit's trials."""
    out = np.broadcast_to(table, (permutations, *table.shape)).copy()
    move = np.flatnonzero(complete)
    successes = table[move, 1] + table[move, 3]
    failures = table[move, 0] + table[move, 2] - successes
    congruent = rng.hypergeometric(successes, failures, table[move, 0], size=(permutations, move.size))
    out[:, move, 1] = congruent
    out[:, move, 3] = successes - congruent
    return out


def _between_groups(
    units: LabelledUnits,
    group: NDArray[np.int64],
    stratum_of_unit: NDArray[np.int64],
    rng: np.random.Generator,
    permutations: int,
) -> Table:
    """Move the label of whole groups (items or clusters), each of which stands in one block, within their stratum."""
    groups, of_unit = np.unique(group, return_inverse=True)
    congruent = np.zeros(groups.size, dtype=bool)
    congruent[of_unit[units.table[:, 0] > 0]] = True
    stratum = np.zeros(groups.size, dtype=np.int64)
    stratum[of_unit] = stratum_of_unit
    labels = np.empty((permutations, groups.size), dtype=bool)
    for level in np.unique(stratum):
        here = np.flatnonzero(stratum == level)
        labels[:, here] = rng.permuted(np.broadcast_to(congruent[here], (permutations, here.size)), axis=1)
    trials = units.table[:, 0] + units.table[:, 2]
    successes = units.table[:, 1] + units.table[:, 3]
    side = labels[:, of_unit]
    return np.stack([side * trials, side * successes, ~side * trials, ~side * successes], axis=-1)


def _within_cell(table: Table, rng: np.random.Generator, permutations: int) -> Table:
    """Congruent labels are dealt to successes and failures of all units without replacement."""
    successes = table[:, 1] + table[:, 3]
    failures = table[:, 0] + table[:, 2] - successes
    groups = np.concatenate([successes, failures])
    congruent = int(table[:, 0].sum())
    dealt = rng.multivariate_hypergeometric(groups, congruent, size=permutations, method="marginals")
    k_c, f_c = dealt[:, : len(table)], dealt[:, len(table) :]
    return np.stack([k_c + f_c, k_c, successes - k_c + failures - f_c, successes - k_c], axis=-1)


def item_tables(units: LabelledUnits, tables: Table) -> Table:
    """Sum unit tables to items, dims (permutation, item, 4)."""
    items, of_unit = np.unique(units.item, return_inverse=True)
    if items.size == len(units.item):
        return tables
    out = np.zeros((tables.shape[0], items.size, 4), dtype=np.int64)
    for unit, place in enumerate(of_unit):
        out[:, place] += tables[:, unit]
    return out


def pattern_counts(tables: Table) -> tuple[Table, Table]:
    """Collapse item tables to patterns, dims (pattern, 4), and counts of them, dims (permutation, pattern)."""
    base = int(tables.max(initial=0)) + 1
    keys = ((tables[..., 0] * base + tables[..., 1]) * base + tables[..., 2]) * base + tables[..., 3]
    distinct, which = np.unique(keys, return_inverse=True)
    which = which.reshape(keys.shape)
    counts = np.zeros((tables.shape[0], distinct.size), dtype=np.int64)
    np.add.at(counts, (np.arange(tables.shape[0])[:, None], which), 1)
    digits = [distinct // base**p % base for p in (3, 2, 1, 0)]
    patterns = np.stack(digits, axis=1)
    keep = patterns[:, 0] + patterns[:, 2] > 0
    return patterns[keep], counts[:, keep]
