"""Permutation p-values: two-sided, never zero, with their Monte Carlo interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

Array = NDArray[np.float64]
TIE = 1e-9  # statistics of equal data sets differ by rounding only


def monte_carlo_p(null: Array, observed: float) -> tuple[float, float, float]:
    """Return the two-sided p of Monte Carlo refits and its 95 % interval.

    p is twice the smaller of the two one-sided p = (b + 1)/(m + 1), b counting refits at least as far out on that side. Where
    the null distribution is symmetric about 0 this is the share of refits with |statistic| at least as large; where it is not
    (pairs that lost one answer keep their label and shift it), |statistic| would hide an extreme result on one side. A failed
    refit (NaN) counts as an exceedance on both sides, so p is then an upper bound.

    Parameters
    ----------
    null : ndarray, dims (permutation,)
        Statistics of the refits; NaN where a refit failed.
    observed : float
        Observed statistic, finite.

    Returns
    -------
    p, lower, upper : float
        In (0, 1]; the interval is the Clopper-Pearson interval of the smaller tail, doubled.

    References
    ----------
    Phipson & Smyth (2010), doi 10.2202/1544-6115.1585.
    """
    m = null.size
    b = min(_tails(null, observed))
    lower = float(beta.ppf(0.025, b, m - b + 1)) if b > 0 else 0.0
    upper = float(beta.ppf(0.975, b + 1, m - b)) if b < m else 1.0
    return min(1.0, 2 * (b + 1) / (m + 1)), min(1.0, 2 * lower), min(1.0, 2 * upper)


def exact_p(values: Array, probabilities: Array, observed: float) -> float:
    """Return the two-sided p of an enumerated null distribution; failed outcomes (NaN) count as exceedances."""
    failed = float(probabilities[np.isnan(values)].sum())
    above = float(probabilities[values >= observed - TIE].sum())
    below = float(probabilities[values <= observed + TIE].sum())
    return min(1.0, 2 * (min(above, below) + failed))


def smallest_exact_p(values: Array, probabilities: Array) -> float:
    """Return the smallest p that an enumerated null distribution can give."""
    known = values[~np.isnan(values)]
    if known.size == 0:
        return 1.0
    return min(exact_p(values, probabilities, float(end)) for end in (known.min(), known.max()))


def smallest_monte_carlo_p(null: Array, observed: float) -> float:
    """Return the smallest p that these refits could have given: that of their most extreme data set."""
    known = np.append(null[~np.isnan(null)], observed)
    ties = min(int(np.sum(known <= known.min() + TIE)), int(np.sum(known >= known.max() - TIE)))
    return min(1.0, 2 * ties / (null.size + 1))


def mid_p(null: Array, observed: float, rng: np.random.Generator) -> float:
    """Return the two-sided p with random breaking of ties, uniform under the null.

    The observed statistic takes a uniformly random place among the refits that tie with it.
    """
    above = int(np.sum(null > observed + TIE))
    ties = int(np.sum(np.abs(null - observed) <= TIE))
    one_sided = (above + int(rng.integers(0, ties + 1)) + rng.uniform()) / (null.size + 1)
    return 2 * min(one_sided, 1 - one_sided)


def smallest_over_cells(observed: Array, draws: Array) -> Array:
    """Return for each cell the p-value of the smallest p over all cells.

    Cells are permuted independently, so the i-th permutation of every cell together is one draw of the joint null. Every draw
    gets the two-sided p that it would have had as the observed one; a cell's value is the share of draws (the observed data
    among them) whose smallest p over cells is at most the cell's own. This is the maximum statistic on a scale that is fair to
    cells of different size.

    Parameters
    ----------
    observed : ndarray, dims (cell,)
        Observed statistics.
    draws : ndarray, dims (cell, permutation)
        Statistics of the permuted refits; NaN where a refit failed.

    References
    ----------
    Westfall & Young (1993), Resampling-Based Multiple Testing, minimum-p method.
    """
    everything = np.round(np.concatenate([observed[:, None], draws], axis=1) / TIE) * TIE
    ranks = np.stack([_two_sided(row) for row in everything])
    smallest = ranks.min(axis=0)
    return np.array([np.mean(smallest <= own + 1e-12) for own in ranks[:, 0]])


def _two_sided(values: Array) -> Array:
    """Return the two-sided p of every value among all; a failed one (NaN) is more extreme than any, on both sides."""
    failed = np.isnan(values)
    ordered = np.sort(values[~failed])
    below = np.searchsorted(ordered, values, side="right")
    above = ordered.size - np.searchsorted(ordered, values, side="left")
    p = np.minimum(1.0, 2 * (np.minimum(below, above) + failed.sum()) / values.size)
    return np.where(failed, 0.0, p)


def _tails(null: Array, observed: float) -> tuple[int, int]:
    failed = int(np.isnan(null).sum())
    above = int(np.sum(null >= observed - TIE)) + failed
    below = int(np.sum(null <= observed + TIE)) + failed
    return above, below
