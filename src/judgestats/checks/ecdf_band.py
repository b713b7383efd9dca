"""ECDF band: a simultaneous envelope for the empirical distribution function of uniform ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

Array = NDArray[np.float64]
_SIMULATIONS = 4000
_POINTS = 100


@dataclass(frozen=True)
class EcdfBand:
    """Envelope of the ECDF of n independent uniforms at fixed points.

    Parameters
    ----------
    points : ndarray, dims (point,)
        Evaluation points in (0, 1).
    lower, upper : ndarray, dims (point,)
        Ends of the band for the ECDF, in [0, 1].
    probability : float
        Probability that the whole ECDF of uniforms lies inside.
    """

    points: Array
    lower: Array
    upper: Array
    probability: float

    def excess(self, values: Array) -> float:
        """Return how far the ECDF of `values` leaves the band, at most 0 when it stays inside."""
        ecdf = np.searchsorted(np.sort(values), self.points, side="right") / values.size
        return float(np.max(np.maximum(self.lower - ecdf, ecdf - self.upper)))


def ecdf_band(size: int, probability: float, rng: np.random.Generator) -> EcdfBand:
    """Return the simultaneous band for `size` uniforms.

    Pointwise binomial intervals of level gamma are taken at 100 points, with gamma chosen by simulation so that a whole ECDF
    of uniforms stays inside with the given probability.

    Parameters
    ----------
    size : int
        Number of values, at least 10.
    probability : float
        Simultaneous probability, in (0, 1).
    rng : numpy.random.Generator
        For the simulation of gamma.

    References
    ----------
    Säilynoja, Bürkner & Vehtari (2022), doi 10.1007/s11222-022-10090-6.
    """
    points = np.arange(1, _POINTS + 1) / (_POINTS + 1)
    smallest = np.empty(_SIMULATIONS)
    for i in range(_SIMULATIONS):
        counts = np.searchsorted(np.sort(rng.uniform(size=size)), points, side="right")
        tails = np.minimum(binom.cdf(counts, size, points), binom.sf(counts - 1, size, points))
        smallest[i] = 2 * tails.min()
    gamma = float(np.quantile(smallest, 1 - probability))
    lower = binom.ppf(gamma / 2, size, points) / size
    upper = binom.ppf(1 - gamma / 2, size, points) / size
    return EcdfBand(points, lower, upper, probability)
