"""Predictive statistics: what replicated counts are compared with observed counts on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]
MOST_SUCCESSES_LISTED = 4


@dataclass(frozen=True)
class Statistic:
    """One statistic of the counts of a cell.

    Parameters
    ----------
    name : str
        E.g. ``rate`` or ``items_with_k_successes=2``.
    block : {"congruent", "incongruent"} or None
        The block it is about; None for both.
    observed : float
        Its value on the observed counts.
    replicated : ndarray, dims (draw,)
        Its value on every replicate.
    """

    name: str
    block: Literal["congruent", "incongruent"] | None
    observed: float
    replicated: Array


def mid_p(observed: float, replicated: Array) -> float:
    """Return P(T_rep > T) + P(T_rep = T) / 2, in [0, 1]; values within 1e-10 count as equal."""
    equal = np.abs(replicated - observed) < 1e-10
    return float(np.mean(np.where(equal, 0.5, replicated > observed)))


def cell_statistics(counts: StageCounts, replicates: Array) -> tuple[Statistic, ...]:
    """Return every statistic that the design of a cell supports.

    Parameters
    ----------
    counts : StageCounts
        Observed counts of one cell.
    replicates : ndarray, dims (draw, row)
        Replicated successes of the same rows.

    Returns
    -------
    tuple of Statistic
        Rates by block and their difference; where items have more than one trial, the number of items with k successes,
        the items that succeed in one block only, and the variance over items of the share of successes; the variance
        over clusters where there are clusters. With one trial an item the statistics over items only repeat the
        rate, and are left out.
    """
    both = np.concatenate([counts.successes[None, :].astype(np.float64), replicates])
    found = [*_rates(counts, both), *_by_item(counts, both)]
    if counts.cluster is not None:
        found += _variance(counts, both, counts.cluster, "variance_over_clusters")
    return tuple(found)


def _statistic(name: str, block: Literal["congruent", "incongruent"] | None, values: Array) -> Statistic:
    return Statistic(name, block, float(values[0]), values[1:])


def _rates(counts: StageCounts, both: Array) -> list[Statistic]:
    found: list[Statistic] = []
    rates: list[Array] = []
    sides: tuple[tuple[Literal["congruent", "incongruent"], NDArray[np.bool_]], ...] = (
        ("congruent", counts.block > 0),
        ("incongruent", counts.block < 0),
    )
    for name, side in sides:
        if side.any():
            rates.append(both[:, side].sum(axis=1) / counts.trials[side].sum())
            found.append(_statistic("rate", name, rates[-1]))
    if len(rates) == 2:
        found.append(_statistic("rate_difference", None, rates[0] - rates[1]))
    if rates:
        found.append(_statistic("successes", None, both.sum(axis=1)))
    return found


def _by_item(counts: StageCounts, both: Array) -> list[Statistic]:
    trials = group_sums(counts.trials[None, :].astype(np.float64), counts.item)[0]
    if trials.size < 2 or trials.max() < 2:
        return []
    successes = group_sums(both, counts.item)
    found: list[Statistic] = []
    if trials.max() <= MOST_SUCCESSES_LISTED:
        for k in range(int(trials.max()) + 1):
            found.append(_statistic(f"items_with_k_successes={k}", None, (successes == k).sum(axis=1).astype(float)))
    else:
        found.append(_statistic("items_without_success", None, (successes == 0).sum(axis=1).astype(float)))
        found.append(_statistic("items_without_failure", None, (successes == trials).sum(axis=1).astype(float)))
    return [*found, *_one_block_only(counts, both), *_variance(counts, both, counts.item, "variance_over_items")]


def _one_block_only(counts: StageCounts, both: Array) -> list[Statistic]:
    """Count items that always succeed in one block and never in the other: too many point to block slopes by item."""
    up, down = counts.block > 0, counts.block < 0
    size = int(counts.item.max()) + 1
    trials = [group_sums((counts.trials * side)[None, :].astype(float), counts.item, size)[0] for side in (up, down)]
    successes = [group_sums(both * side, counts.item, size) for side in (up, down)]
    seen = (trials[0] > 0) & (trials[1] > 0)
    if not seen.any():
        return []
    all_of = [(s == t) & seen for s, t in zip(successes, trials, strict=True)]
    none_of = [(s == 0) & seen for s in successes]
    return [
        _statistic("items_congruent_only", None, (all_of[0] & none_of[1]).sum(axis=1).astype(float)),
        _statistic("items_incongruent_only", None, (all_of[1] & none_of[0]).sum(axis=1).astype(float)),
    ]


def _variance(counts: StageCounts, both: Array, group: NDArray[np.int64], name: str) -> list[Statistic]:
    trials = group_sums(counts.trials[None, :].astype(np.float64), group)[0]
    if trials.size < 2 or trials.max() < 2:
        return []
    return [_statistic(name, None, np.var(group_sums(both, group) / trials, axis=1, ddof=1))]


def group_sums(values: Array, group: NDArray[np.int64], size: int | None = None) -> Array:
    """Return sums over rows by group, dims (draw, group); groups without a row are absent unless `size` is given."""
    if size is None:
        found, group = np.unique(group, return_inverse=True)
        size = found.size
    out = np.zeros((values.shape[0], size))
    order = np.argsort(group, kind="stable")
    if order.size:
        present, starts = np.unique(group[order], return_index=True)
        out[:, present] = np.add.reduceat(values[:, order], starts, axis=1)
    return out
