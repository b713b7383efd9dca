"""Cell posterior: the posterior of one cell on a lattice, refined until halving its steps changes nothing that is reported."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from judgestats.draws.fit import WeightedNodes
from judgestats.inference.lattice import Box, Lattice
from judgestats.inference.nested_table import cluster_of_items, nested_log_likelihood
from judgestats.inference.pattern_table import PatternTable
from judgestats.inference.patterns import PatternCounts, collapse, item_table
from judgestats.inference.quadrature import node_count
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]
_DROPPED = 1e-7  # total weight of the nodes that are left out of the weighted nodes
_FINER = 5  # stretches per step of beta, for each of two phases
_GOLDEN = (5**0.5 - 1) / 2  # its multiples modulo 1 spread evenly
_LINE_DEPTH = 28.0  # nats below the mode under which a whole line along beta is left out


@dataclass(frozen=True)
class CellModel:
    """The log posterior of one cell as a function of the lattice.

    Parameters
    ----------
    stage : StageSpec
        Priors of alpha, beta, sigma_item and, with clusters, sigma_cluster.
    items : PatternCounts
        Collapsed items.
    clusters : ndarray or None, dims (cluster, pattern)
        Items of each cluster with each pattern, where clusters contain whole items.
    """

    stage: StageSpec
    items: PatternCounts
    clusters: NDArray[np.int64] | None

    @classmethod
    def of(cls, stage: StageSpec, counts: StageCounts) -> CellModel:
        """Return the model of a one-cell table."""
        items = collapse(item_table(counts))
        if not stage.has("sigma_cluster"):
            return cls(stage, items, None)
        of_item = cluster_of_items(counts)
        if of_item is None or counts.clusters is None:
            raise ValueError("clusters that cross items cannot be integrated out on a lattice")
        clusters = np.zeros((len(counts.clusters[0]), len(items.counts)), dtype=np.int64)
        seen = items.of_item >= 0
        np.add.at(clusters, (of_item[seen], items.of_item[seen]), 1)
        return cls(stage, items, clusters[clusters.sum(axis=1) > 0])

    def key(self) -> tuple[StageSpec, bytes, bytes, bytes]:
        """Return what the posterior depends on: two cells with equal keys have equal posteriors."""
        clusters = b"" if self.clusters is None else self.clusters[np.lexsort(self.clusters.T)].tobytes()
        return self.stage, self.items.patterns.tobytes(), self.items.counts.tobytes(), clusters

    @property
    def scale_names(self) -> tuple[str, ...]:
        """Return the names of the scale parameters in lattice order."""
        return ("sigma_item",) if self.clusters is None else ("sigma_item", "sigma_cluster")

    @property
    def most_trials(self) -> int:
        """Return the largest number of trials of one item."""
        return int((self.items.patterns[:, 0] + self.items.patterns[:, 2]).max(initial=1))

    def nodes(self, lattice: Lattice) -> int:
        """Return the quadrature nodes for a coarse lattice: resolved up to half the largest sigma, the rest is the tail."""
        return node_count(float(lattice.scales[0][-1]) / 2, self.most_trials)

    def prior_box(self) -> Box:
        """Return the ranges of the priors, seven standard deviations to either side."""
        alpha, beta = self.stage.term("alpha").prior, self.stage.term("beta").prior
        return Box(
            tuple((0.0, 7 * self.stage.term(name).prior.sd) for name in self.scale_names),
            (alpha.mean - 7 * alpha.sd, alpha.mean + 7 * alpha.sd),
            (beta.mean - 7 * beta.sd, beta.mean + 7 * beta.sd),
        )

    def log_prior(self, lattice: Lattice) -> Array:
        """Return the log prior density, dims (scales..., alpha, beta)."""
        total = np.zeros((1,) * len(lattice.axes))
        names = (*self.scale_names, "alpha", "beta")
        for dim, (name, nodes) in enumerate(zip(names, lattice.axes, strict=True)):
            shape = [-1 if d == dim else 1 for d in range(len(lattice.axes))]
            total = total + self.stage.term(name).prior.log_density(nodes).reshape(shape)
        return total

    def log_posterior(self, lattice: Lattice, nodes: int) -> Array:
        """Return the unnormalised log posterior density, dims (scales..., alpha, beta)."""
        if self.clusters is None:
            likelihood = PatternTable(lattice, nodes).total(self.items.patterns, self.items.counts)
        else:
            likelihood = nested_log_likelihood(lattice, self.items.patterns, self.clusters, nodes)
        total: Array = likelihood + self.log_prior(lattice)
        return total


@dataclass(frozen=True)
class CellPosterior:
    """The posterior of one cell on one lattice.

    Parameters
    ----------
    names : tuple of str
        Parameter names in the order of the lattice's dims.
    lattice : Lattice
        The nodes.
    nodes : int
        Quadrature nodes of the item effect.
    log_density : ndarray, dims (scales..., alpha, beta)
        Unnormalised log posterior density.
    """

    names: tuple[str, ...]
    lattice: Lattice
    nodes: int
    log_density: Array

    @classmethod
    def on(cls, model: CellModel, lattice: Lattice, nodes: int) -> CellPosterior:
        """Evaluate `model` on `lattice`."""
        return cls((*model.scale_names, "alpha", "beta"), lattice, nodes, model.log_posterior(lattice, nodes))

    def weights(self) -> Array:
        """Return the normalised weights of the nodes, dims (scales..., alpha, beta)."""
        logs = self.log_density + self.lattice.log_trapezium()
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def edge_mass(self) -> float:
        """Return the largest posterior mass at an outer edge: both ends of alpha and beta, the ends of scales other than 0."""
        weights, found = self.weights(), 0.0
        for dim, nodes in enumerate(self.lattice.axes):
            marginal = weights.sum(axis=tuple(d for d in range(weights.ndim) if d != dim))
            found = max(found, float(marginal[-1]))
            if nodes[0] != 0.0 or dim >= len(self.lattice.scales):
                found = max(found, float(marginal[0]))
        return found

    def weighted_nodes(self) -> WeightedNodes:
        """Return the posterior as weighted nodes, each with the stretch of beta that its weight stands for.

        Every reported quantity is smooth in the other parameters and monotone in beta given them. A distribution function at t is
        therefore a smooth sum over lines along beta once the weight of a node is spread over its stretch; nodes as bare points
        would pass t in steps.
        """
        beta, step = self.lattice.beta, float(self.lattice.beta[1] - self.lattice.beta[0])
        lines = (self.log_density + self.lattice.log_trapezium()).reshape(-1, beta.size)
        alive = np.flatnonzero(lines.max(axis=1) > lines.max() - _LINE_DEPTH)
        cubic = CubicSpline(beta, lines[alive], axis=1).c.transpose(0, 2, 1)[
            ..., None
        ]  # dims (power, line, interval, 1)
        # Lines have different phases, so the ends of stretches do not line up. The pair +-phase keeps data with swapped blocks
        # mirrored, and equal phases at both ends of alpha keep data with swapped answers mirrored.
        size = self.lattice.alpha.size
        place = alive - alive % size + np.minimum(alive % size, size - 1 - alive % size)
        phase = ((place * _GOLDEN) % 1.0 / 2)[:, None]
        inside = np.stack([np.arange(_FINER) + 0.5 + phase, np.arange(_FINER) + 0.5 - phase]) * (step / _FINER)
        x = inside[:, :, None, :]  # dims (sign, line, 1, stretch)
        values = ((cubic[0] * x + cubic[1]) * x + cubic[2]) * x + cubic[3]
        weights = _sharpened(np.exp(values - values.max()).reshape(2, alive.size, -1))
        weights /= weights.sum()
        keep = np.nonzero(weights > _DROPPED / weights.size)
        others = np.unravel_index(alive[keep[1]], self.lattice.shape[:-1])
        parameters = {n: self.lattice.axes[d][others[d]] for d, n in enumerate(self.names[:-1])}
        interval, stretch = keep[2] // _FINER, keep[2] % _FINER
        parameters["beta"] = beta[interval] + inside[keep[0], keep[1], stretch]
        kept = weights[keep]
        return WeightedNodes(parameters, kept / kept.sum(), step / (2 * _FINER))


def _sharpened(weights: Array) -> Array:
    """Return weights whose even spread over their stretches has the density that the weights have at the middles.

    Spreading convolves a density f with a box of width h, which adds h^2/24 f''; that is taken off beforehand by the second
    difference, so what is left is of order h^4.
    """
    padded = np.pad(weights, ((0, 0), (0, 0), (1, 1)))
    return np.maximum(weights - (padded[..., 2:] - 2 * weights + padded[..., :-2]) / 24, 0.0)
