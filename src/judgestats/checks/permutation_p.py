"""Permutation p-values: never zero, with their Monte Carlo interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

TIE = 1e-9  # statistics of equal data sets differ by rounding only


def monte_carlo_p(null: NDArray[np.float64], observed: float, failed: int = 0) -> tuple[float, float, float]:
    """Return the two-sided p = (b + 1)/(m + 1) and the 95 % Clopper-Pearson interval of the exceedance probability.

    A failed refit counts as an exceedance, so p is then an upper bound.

    Parameters
    ----------
    null : ndarray, dims (permutation,)
        Statistics of the refits; NaN where a refit failed.
    observed : float
        Observed statistic.
    failed : int
        Number of failed refits.

    References
    ----------
    Phipson & Smyth (2010), doi 10.2202/1544-6115.1585.
    """
    m = null.size
    b = int(np.sum(np.abs(null[~np.isnan(null)]) >= abs(observed) - TIE)) + failed
    lower = float(beta.ppf(0.025, b, m - b + 1)) if b > 0 else 0.0
    upper = float(beta.ppf(0.975, b + 1, m - b)) if b < m else 1.0
    return (b + 1) / (m + 1), lower, upper


def exact_p(values: NDArray[np.float64], probabilities: NDArray[np.float64], observed: float) -> float:
    """Return the two-sided p of an enumerated null distribution."""
    return float(min(1.0, probabilities[np.abs(values) >= abs(observed) - TIE].sum()))


def mid_p(null: NDArray[np.float64], observed: float, rng: np.random.Generator) -> float:
    """Return the p-value with random breaking of ties, uniform under the null.

    The observed statistic takes a uniformly random place among the refits that tie with it.
    """
    size, seen = np.abs(null), abs(observed)
    above = int(np.sum(size > seen + TIE))
    ties = int(np.sum(np.abs(size - seen) <= TIE))
    return (above + int(rng.integers(0, ties + 1)) + rng.uniform()) / (null.size + 1)
