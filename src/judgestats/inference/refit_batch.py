"""Refit batch: posterior means of Delta P for many data sets of one cell on one shared lattice."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from judgestats.inference.cell_posterior import CellModel
from judgestats.inference.lattice import Box, Lattice, Range
from judgestats.inference.pattern_table import PatternTable
from judgestats.inference.patterns import PatternCounts
from judgestats.inference.posterior_box import locate
from judgestats.inference.quadrature import logistic_normal_mean, node_count
from judgestats.spec.model import StageSpec

Array = NDArray[np.float64]
EDGE_LIMIT = 1e-6
MEAN_LIMIT = 1e-5
_CHUNK = 128  # data sets a block: its weights stay in the processor's cache
_PROBES = 12
_LEVELS = ((13, 9), (17, 11), (25, 17), (37, 25))


@dataclass(frozen=True)
class RefitMeans:
    """Posterior means of the marginal Delta P of a batch of data sets.

    Parameters
    ----------
    means : ndarray, dims (dataset,)
        Probability scale; NaN where a refit failed.
    failed : int
        Number of NaN.
    error : float
        Largest change of a mean over the probed data sets when every step is halved and the quadrature nodes doubled.
    """

    means: Array
    failed: int
    error: float


def refit_means(
    stage: StageSpec,
    patterns: NDArray[np.int64],
    counts: NDArray[np.int64],
    on_step: Callable[[int, int], None] | None = None,
) -> RefitMeans:
    """Return the posterior mean of the marginal Delta P for every row of `counts`.

    All data sets share one table of pattern log-likelihoods on one lattice, so a refit is a product of a row of counts with
    that table, an exponential and two sums. The lattice covers the posteriors of the extreme data sets; a data set with more
    than 1e-6 of its mass at an edge is refitted on a lattice of its own. The step is halved until no probed mean moves by more
    than 1e-5.

    Parameters
    ----------
    stage : StageSpec
        Terms alpha, beta, sigma_item; clusters cannot be batched.
    patterns : ndarray, dims (pattern, 4)
        Item patterns of all data sets.
    counts : ndarray, dims (dataset, pattern)
        Items of each data set with each pattern.
    on_step : callable, optional
        Called with (data sets done, data sets in all).
    """
    box = _covering_box(stage, patterns, counts)
    probes = _probes(patterns, counts)
    table, error = None, np.inf
    with threadpool_limits(1, "blas"):
        for points, scale_points in _LEVELS:
            lattice = Lattice.over(box, points, scale_points)
            nodes = _nodes(lattice, patterns)
            coarse = _Table(stage, lattice, patterns, nodes)
            fine = _Table(stage, lattice.doubled(), patterns, 2 * nodes - 1)
            error = float(np.max(np.abs(coarse.means(counts[probes])[0] - fine.means(counts[probes])[0])))
            # The coarse table is the one whose error was just measured.
            table = coarse
            if error <= MEAN_LIMIT:
                break
        assert table is not None
        means, edges = _in_blocks(table, counts, on_step)
        for row in np.flatnonzero(edges > EDGE_LIMIT):
            means[row] = _own_lattice(stage, patterns, counts[row])
    return RefitMeans(means, int(np.isnan(means).sum()), error)


class _Table:
    """Pattern log-likelihoods and the functionals of a refit at the nodes of one lattice."""

    def __init__(self, stage: StageSpec, lattice: Lattice, patterns: NDArray[np.int64], nodes: int) -> None:
        model = CellModel(
            stage, PatternCounts(patterns, np.zeros(len(patterns), np.int64), np.zeros(0, np.int64)), None
        )
        self.log_likelihood: Array = PatternTable(lattice, nodes).each(patterns).reshape(len(patterns), -1)
        self.log_prior: Array = (model.log_prior(lattice) + lattice.log_trapezium()).ravel()
        sigma, alpha, beta = np.meshgrid(*lattice.axes, indexing="ij")
        congruent = logistic_normal_mean(alpha + beta / 2, sigma)
        incongruent = logistic_normal_mean(alpha - beta / 2, sigma)
        edge = (alpha == alpha.flat[0]) | (alpha == alpha.flat[-1]) | (beta == beta.flat[0]) | (beta == beta.flat[-1])
        edge |= sigma == lattice.scales[0][-1]
        if lattice.scales[0][0] > 0:
            edge |= sigma == lattice.scales[0][0]
        self.functionals: Array = np.stack(
            [np.ones(sigma.size), (congruent - incongruent).ravel(), edge.ravel()], axis=1
        )

    def means(self, counts: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return the posterior mean and the edge mass of each data set, dims (dataset,) each."""
        logs = counts.astype(np.float64) @ self.log_likelihood
        logs += self.log_prior
        logs -= logs.max(axis=1, keepdims=True)
        np.exp(logs, out=logs)
        sums = logs @ self.functionals
        return sums[:, 1] / sums[:, 0], sums[:, 2] / sums[:, 0]


def _in_blocks(
    table: _Table, counts: NDArray[np.int64], on_step: Callable[[int, int], None] | None
) -> tuple[Array, Array]:
    blocks = [counts[start : start + _CHUNK] for start in range(0, len(counts), _CHUNK)]
    results: list[tuple[Array, Array]] = []
    # NumPy releases the interpreter lock in products and exponentials, so threads use both cores without copying the table.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, result in enumerate(pool.map(table.means, blocks), start=1):
            results.append(result)
            if on_step is not None:
                on_step(min(done * _CHUNK, len(counts)), len(counts))
    return np.concatenate([r[0] for r in results]), np.concatenate([r[1] for r in results])


def raw_difference(patterns: NDArray[np.int64], counts: NDArray[np.int64]) -> Array:
    """Return the raw conditional difference of each data set, dims (dataset,); NaN where a block has no trial."""
    n_c, k_c, n_i, k_i = (counts @ patterns).T.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(k_c / n_c - k_i / n_i)


def _probes(patterns: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return data sets spread over the range of the raw difference, both extremes included."""
    order = np.argsort(np.nan_to_num(raw_difference(patterns, counts)), kind="stable")
    return np.unique(order[np.linspace(0, len(order) - 1, min(_PROBES, len(order))).astype(np.int64)])


def _covering_box(stage: StageSpec, patterns: NDArray[np.int64], counts: NDArray[np.int64]) -> Box:
    boxes = [_box(stage, patterns, counts[row]) for row in _probes(patterns, counts)]

    def hull(ranges: list[Range]) -> Range:
        return min(r[0] for r in ranges), max(r[1] for r in ranges)

    return Box((hull([b.scales[0] for b in boxes]),), hull([b.alpha for b in boxes]), hull([b.beta for b in boxes]))


def _model(stage: StageSpec, patterns: NDArray[np.int64], counts: NDArray[np.int64]) -> CellModel:
    held = counts > 0
    return CellModel(stage, PatternCounts(patterns[held], counts[held], np.zeros(0, np.int64)), None)


def _box(stage: StageSpec, patterns: NDArray[np.int64], counts: NDArray[np.int64]) -> Box:
    model = _model(stage, patterns, counts)
    return locate(lambda lattice: model.log_posterior(lattice, model.nodes(lattice)), model.prior_box())


def _nodes(lattice: Lattice, patterns: NDArray[np.int64]) -> int:
    return node_count(float(lattice.scales[0][-1]) / 2, int((patterns[:, 0] + patterns[:, 2]).max(initial=1)))


def _own_lattice(stage: StageSpec, patterns: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    lattice = Lattice.over(_box(stage, patterns, counts), 25, 17)
    mean, edge = _Table(stage, lattice, patterns, _nodes(lattice, patterns)).means(counts[None, :])
    return float(mean[0]) if edge[0] <= EDGE_LIMIT else float("nan")
