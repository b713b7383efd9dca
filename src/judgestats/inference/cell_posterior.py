"""Cell posterior: the posterior of one cell on a lattice, refined until halving its steps changes nothing that is reported."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.lines import Lines
from judgestats.inference.lattice import Box, Lattice
from judgestats.inference.nested_table import cluster_of_items, nested_log_likelihood
from judgestats.inference.pattern_table import PatternTable
from judgestats.inference.patterns import PatternCounts, collapse, item_table
from judgestats.inference.quadrature import node_count
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]


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

    def lines(self, coarse: Lines | None = None) -> Lines:
        """Return the posterior on lines along beta."""
        logs = (self.log_density + self.lattice.log_trapezium()).reshape(-1, self.lattice.beta.size)
        others = np.meshgrid(*self.lattice.axes[:-1], indexing="ij")
        parameters = {name: grid.ravel() for name, grid in zip(self.names[:-1], others, strict=True)}
        return Lines.of(parameters, self.lattice.beta, logs, coarse)
