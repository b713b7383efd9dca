"""Nested table: log-likelihood of a cell whose clusters contain whole items, both effects integrated out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.lattice import Lattice
from judgestats.inference.pattern_table import PatternTable
from judgestats.inference.quadrature import REACH
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]


def cluster_of_items(counts: StageCounts) -> NDArray[np.int64] | None:
    """Return the cluster of each item of a one-cell table, dims (item,), or None where an item meets several clusters.

    Items without a trial get -1.
    """
    if counts.cluster is None:
        return None
    of_item = np.full(len(counts.items[0]), -1, dtype=np.int64)
    of_item[counts.item] = counts.cluster
    return of_item if np.array_equal(of_item[counts.item], counts.cluster) else None


def nested_log_likelihood(
    lattice: Lattice, patterns: NDArray[np.int64], clusters: NDArray[np.int64], nodes: int
) -> Array:
    """Return the log-likelihood of a cell, dims (sigma_item, sigma_cluster, alpha, beta).

    A cluster effect w shifts alpha, so with H_c(alpha, beta, sigma_item) the log-likelihood of the items of cluster c,

        log p(cluster c) = log integral N(w; 0, sigma_cluster^2) exp H_c(alpha + w, beta, sigma_item) dw,

    a convolution along alpha, which the lattice does with its own step. H_c of one cluster is much wider than the posterior of
    alpha, so that step resolves it; the engine's gate measures what is left by doubling.

    Parameters
    ----------
    lattice : Lattice
        Two scales: sigma_item, sigma_cluster.
    patterns : ndarray, dims (pattern, 4)
        Distinct item patterns.
    clusters : ndarray, dims (cluster, pattern)
        Items of each cluster with each pattern.
    nodes : int
        Quadrature nodes of the item effect.
    """
    sigma_item, sigma_cluster = lattice.scales
    step = float(lattice.alpha[1] - lattice.alpha[0])
    extra = int(np.ceil(REACH * sigma_cluster[-1] / step))
    extended = lattice.alpha[0] + step * np.arange(-extra, lattice.alpha.size + extra)
    wide = Lattice((sigma_item,), extended, lattice.beta, lattice.ratio)
    by_pattern = PatternTable(wide, nodes).each(patterns)
    kernel = _kernel(lattice, extended, sigma_cluster)
    distinct, multiplicity = np.unique(clusters, axis=0, return_counts=True)
    total = np.zeros((sigma_item.size, sigma_cluster.size * lattice.alpha.size, lattice.beta.size))
    for row, times in zip(distinct, multiplicity, strict=True):
        log_h = np.tensordot(row.astype(np.float64), by_pattern, axes=1)
        top = log_h.max(axis=1, keepdims=True)
        # dims (sigma_item, sigma_cluster x alpha, beta)
        inner = np.matmul(kernel, np.exp(log_h - top))
        total += float(times) * (np.log(np.maximum(inner, 1e-300)) + top)
    return total.reshape(sigma_item.size, sigma_cluster.size, lattice.alpha.size, lattice.beta.size)


def _kernel(lattice: Lattice, extended: Array, sigma_cluster: Array) -> Array:
    """Return normalised normal weights from each alpha to the extended nodes, dims (sigma_cluster x alpha, extended)."""
    gap = extended[None, None, :] - lattice.alpha[None, :, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        log_weight = -0.5 * (gap / sigma_cluster[:, None, None]) ** 2
    # At sigma_cluster = 0 the normal is a point mass at gap 0; 0/0 there is that point.
    near = np.abs(gap) < (lattice.alpha[1] - lattice.alpha[0]) / 2
    log_weight = np.where(sigma_cluster[:, None, None] == 0.0, np.where(near, 0.0, -np.inf), log_weight)
    weight = np.exp(log_weight)
    weight /= weight.sum(axis=-1, keepdims=True)
    return weight.reshape(-1, extended.size)
