"""Lattice: the regular grid over (scales, alpha, beta) on which the exact engine evaluates a posterior.

The trapezium rule on a regular grid converges geometrically for a smooth density that has died out at the edges. The
likelihood is an even function of each standard deviation (a random effect is symmetric), and so is the half-normal prior,
so a grid that starts at 0 with half weight there is the trapezium rule over the whole line and keeps that rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Range = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """Ranges of the parameters of one cell, log-odds scale.

    Parameters
    ----------
    scales : tuple of (float, float)
        Ranges of sigma_item and, for nested clusters, sigma_cluster; a lower end is 0 unless the posterior has died out there.
    alpha, beta : (float, float)
        Ranges of the intercept and of the block effect.
    """

    scales: tuple[Range, ...]
    alpha: Range
    beta: Range


@dataclass(frozen=True)
class Lattice:
    """A regular grid whose linear predictors fall on a grid of their own.

    The step of alpha is a whole multiple (`ratio`) of half the step of beta, so eta_congruent = alpha + beta/2 and
    eta_incongruent = alpha - beta/2 take only ratio (A - 1) + B values each: item likelihoods are evaluated on those and
    gathered.

    Parameters
    ----------
    scales : tuple of ndarray
        Nodes of sigma_item and, for nested clusters, sigma_cluster, log-odds scale, ascending.
    alpha, beta : ndarray, dims (alpha,), (beta,)
        Nodes, log-odds scale, ascending.
    """

    scales: tuple[NDArray[np.float64], ...]
    alpha: NDArray[np.float64]
    beta: NDArray[np.float64]
    ratio: int = 1

    @classmethod
    def over(cls, box: Box, points: int, scale_points: int) -> Lattice:
        """Return a lattice over `box` with at least `points` nodes for alpha and for beta, `scale_points` for each scale."""
        alpha_step = (box.alpha[1] - box.alpha[0]) / (points - 1)
        half_step = min(alpha_step, (box.beta[1] - box.beta[0]) / (2 * (points - 1)))
        ratio = int(alpha_step / half_step + 1e-9)
        return cls(
            tuple(np.linspace(lo, hi, scale_points) for lo, hi in box.scales),
            _centred(box.alpha, ratio * half_step),
            _centred(box.beta, 2 * half_step),
            ratio,
        )

    def doubled(self) -> Lattice:
        """Return the lattice with every step halved, keeping the old nodes."""
        return Lattice(tuple(_halved(x) for x in self.scales), _halved(self.alpha), _halved(self.beta), self.ratio)

    @property
    def axes(self) -> tuple[NDArray[np.float64], ...]:
        """Return the nodes of every dim in the order (scales..., alpha, beta)."""
        return (*self.scales, self.alpha, self.beta)

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the sizes of (scales..., alpha, beta)."""
        return tuple(x.size for x in self.axes)

    @property
    def step(self) -> float:
        """Return the step of the linear predictors, half that of beta."""
        return float(self.beta[1] - self.beta[0]) / 2

    @property
    def eta_size(self) -> int:
        """Return how many values each linear predictor takes."""
        return self.ratio * (self.alpha.size - 1) + self.beta.size

    def log_trapezium(self) -> NDArray[np.float64]:
        """Return the log trapezium weights, dims (scales..., 1, 1): log(1/2) at a scale of 0, 0 elsewhere."""
        total = np.zeros((1,) * (len(self.scales) + 2))
        for position, nodes in enumerate(self.scales):
            weights = np.where(nodes == 0.0, np.log(0.5), 0.0)
            total = total + weights.reshape([-1 if d == position else 1 for d in range(total.ndim)])
        return total

    def eta(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the values of the congruent and the incongruent linear predictor, dims (eta,) each."""
        index = np.arange(self.eta_size)
        congruent = self.alpha[0] + self.beta[0] / 2 + self.step * index
        incongruent = self.alpha[0] - self.beta[-1] / 2 + self.step * index
        return congruent, incongruent

    def gather(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the index of each (alpha, beta) node in the two eta grids, dims (alpha, beta) each."""
        i = self.ratio * np.arange(self.alpha.size)[:, None]
        j = np.arange(self.beta.size)[None, :]
        return i + j, i - j + self.beta.size - 1


def _halved(nodes: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.linspace(nodes[0], nodes[-1], 2 * nodes.size - 1)


def _centred(ends: Range, step: float) -> NDArray[np.float64]:
    """Return nodes of the given step that cover the range, centred on it so that a mirrored range gives mirrored nodes."""
    half = int(np.ceil((ends[1] - ends[0]) / (2 * step) - 1e-9))
    return np.asarray((ends[0] + ends[1]) / 2 + step * np.arange(-half, half + 1))
