"""Cell lattice: one likelihood of a cell on a grid, under which priors and left-out items are exchanged at no cost.

The likelihood is the expensive part of an exact refit and does not depend on the priors; leaving out one item subtracts
one term from it. So a table of refits needs one lattice that is wide enough for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.line_quantity import LineQuantity
from judgestats.draws.lines import Lines
from judgestats.inference.cell_posterior import CellModel
from judgestats.inference.lattice import Box, Lattice
from judgestats.inference.lattice_probabilities import block_probabilities
from judgestats.inference.nested_table import nested_log_likelihood
from judgestats.inference.pattern_table import PatternTable
from judgestats.inference.posterior_box import locate
from judgestats.spec.model import StageSpec

Array = NDArray[np.float64]

_SEARCH_NODES = 31
_NODES = 61
_DELTA_NODES = 121  # the widest priors reach item sds of 15 and more
_POINTS = {1: (33, 25), 2: (25, 13)}  # least nodes of alpha and beta, of each scale, by number of scales


@dataclass(frozen=True)
class CellLattice:
    """The likelihood of one cell on a lattice.

    Parameters
    ----------
    model : CellModel
        Items (and clusters) of the cell, with the priors as fitted.
    lattice : Lattice
        Nodes of (scales..., alpha, beta).
    log_likelihood : ndarray, dims (scales..., alpha, beta)
        Natural log, item and cluster effects integrated out, no binomial constant.
    """

    model: CellModel
    lattice: Lattice
    log_likelihood: Array

    @classmethod
    def over(cls, model: CellModel, others: Iterable[StageSpec] = ()) -> CellLattice:
        """Return a lattice that holds the posterior under the model's own priors and under those of `others`."""
        boxes = [_box(model), *(_box(replace(model, stage=stage)) for stage in others)]
        points, scale_points = _POINTS[len(model.scale_names)]
        lattice = Lattice.over(_union(boxes), points, scale_points)
        return cls.on(model, lattice)

    @classmethod
    def on(cls, model: CellModel, lattice: Lattice) -> CellLattice:
        """Return the likelihood of `model` on a given lattice."""
        return cls(model, lattice, _log_likelihood(model, lattice))

    def log_posterior(self, stage: StageSpec | None = None) -> Array:
        """Return the unnormalised log posterior times trapezium weights, dims (scales..., alpha, beta).

        Parameters
        ----------
        stage : StageSpec, optional
            The stage with other priors; the fitted ones if None.
        """
        model = self.model if stage is None else replace(self.model, stage=stage)
        total: Array = self.log_likelihood + model.log_prior(self.lattice) + self.lattice.log_trapezium()
        return total

    @cached_property
    def delta(self) -> Array:
        """Marginal difference between the blocks at every node, dims (scales..., alpha, beta), probability scale."""
        congruent, incongruent = block_probabilities(self.lattice, _DELTA_NODES)
        return (congruent - incongruent).reshape(self.lattice.shape)

    def mean_delta(self, log_posterior: Array) -> float:
        """Return the posterior mean of the marginal difference; the trapezium rule converges geometrically for it."""
        return float(np.sum(normalised(log_posterior) * self.delta))

    def effect(self, stage: StageSpec | None = None) -> LineQuantity:
        """Return the posterior of the marginal difference between the blocks under the priors of `stage`."""
        size = self.lattice.beta.size
        lines = Lines.of({}, self.lattice.beta, self.log_posterior(stage).reshape(-1, size))
        return LineQuantity(self.delta.reshape(-1, size)[lines.index], lines)


def normalised(logs: Array) -> Array:
    """Return weights that sum to 1 from their logs."""
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _log_likelihood(model: CellModel, lattice: Lattice) -> Array:
    if model.clusters is None:
        return PatternTable(lattice, _NODES).total(model.items.patterns, model.items.counts)
    return nested_log_likelihood(lattice, model.items.patterns, model.clusters, _NODES)


def _box(model: CellModel) -> Box:
    return locate(lambda lattice: model.log_posterior(lattice, _SEARCH_NODES), model.prior_box())


def _union(boxes: list[Box]) -> Box:
    def hull(ranges: Iterable[tuple[float, float]]) -> tuple[float, float]:
        lows, highs = zip(*ranges, strict=True)
        return min(lows), max(highs)

    scales = tuple(hull(box.scales[k] for box in boxes) for k in range(len(boxes[0].scales)))
    return Box(scales, hull(box.alpha for box in boxes), hull(box.beta for box in boxes))
