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
from scipy.interpolate import CubicSpline

from judgestats.draws.stretched import Stretched
from judgestats.inference.cell_posterior import CellModel
from judgestats.inference.lattice import Box, Lattice
from judgestats.inference.nested_table import nested_log_likelihood
from judgestats.inference.pattern_table import PatternTable
from judgestats.inference.posterior_box import locate
from judgestats.inference.quadrature import logistic_normal_mean
from judgestats.spec.model import StageSpec

Array = NDArray[np.float64]

_SEARCH_NODES = 31
_NODES = 61
_DELTA_NODES = 121  # the widest priors reach item sds of 15 and more
_POINTS = {1: (33, 25), 2: (25, 13)}  # least nodes of alpha and beta, of each scale, by number of scales
_FINER = 8  # stretches per step of beta
_NEGLIGIBLE = 1e-13


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
        return self._delta_ends[..., ::_FINER].reshape(self.lattice.shape)

    def mean_delta(self, log_posterior: Array) -> float:
        """Return the posterior mean of the marginal difference; the trapezium rule converges geometrically for it."""
        return float(np.sum(normalised(log_posterior) * self.delta))

    def effect(self, stage: StageSpec | None = None) -> Stretched:
        """Return the posterior of the marginal difference between the blocks under the priors of `stage`.

        The log-likelihood is interpolated along beta by cubics and every weight is spread over its stretch of beta, in
        which the difference is monotone, so that quantiles are smooth.
        """
        used = self.model.stage if stage is None else stage
        model = replace(self.model, stage=used)
        finer = Lattice(self.lattice.scales, self.lattice.alpha, self._middles)
        logs = self._fine_log_likelihood + model.log_prior(finer) + self.lattice.log_trapezium()
        weights = normalised(logs).ravel()
        keep = weights > _NEGLIGIBLE
        ends = self._delta_ends
        low, high = ends[..., :-1].ravel()[keep], ends[..., 1:].ravel()[keep]
        kept = weights[keep]
        return Stretched(low, high, kept / kept.sum())

    @cached_property
    def _middles(self) -> Array:
        beta, step = self.lattice.beta, 2 * self.lattice.step
        return (beta[:-1, None] + step * (np.arange(_FINER) + 0.5) / _FINER).ravel()

    @cached_property
    def _fine_log_likelihood(self) -> Array:
        spline = CubicSpline(self.lattice.beta, self.log_likelihood, axis=-1)
        return np.asarray(spline(self._middles), dtype=np.float64)

    @cached_property
    def _delta_ends(self) -> Array:
        """Marginal difference at the ends of every stretch of beta, dims (scale, alpha, end).

        The ends of the stretches lie on a grid of eta whose step is that of the lattice's own linear predictors over
        _FINER, so a small table of probabilities is gathered instead of one quadrature per node.
        """
        lattice, step = self.lattice, self.lattice.step / _FINER
        i = _FINER * lattice.ratio * np.arange(lattice.alpha.size)[:, None]
        q = np.arange(_FINER * (lattice.beta.size - 1) + 1)
        index = np.arange(i[-1, 0] + q[-1] + 1) * step
        spread = _total_scale(lattice)[:, None]
        congruent = logistic_normal_mean(lattice.alpha[0] + lattice.beta[0] / 2 + index, spread, _DELTA_NODES)
        incongruent = logistic_normal_mean(lattice.alpha[0] - lattice.beta[-1] / 2 + index, spread, _DELTA_NODES)
        return np.asarray(congruent[:, i + q] - incongruent[:, i - q + q[-1]])


def normalised(logs: Array) -> Array:
    """Return weights that sum to 1 from their logs."""
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _total_scale(lattice: Lattice) -> Array:
    """Return the sd of item and cluster effects together at every node of the scales, dims (scale,)."""
    grids = np.meshgrid(*lattice.scales, indexing="ij")
    return np.asarray(np.sqrt(sum(grid**2 for grid in grids))).ravel()


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
