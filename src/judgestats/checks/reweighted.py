"""Reweighted draws: a quantity under another prior, from draws under the fitted one by smoothed importance weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgestats.draws import arviz
from judgestats.draws.intervals import tail_probability
from judgestats.draws.summary import Source, Summary

Array = NDArray[np.float64]
KHAT_LIMIT = 0.7


@dataclass(frozen=True)
class Weights:
    """Importance weights of draws.

    Parameters
    ----------
    values : ndarray, dims (chain, draw)
        Pareto-smoothed, sum 1.
    khat : float
        Pareto k of the raw ratios; above 0.7 the weights are not to be trusted. -inf where the ratios do not vary.
    """

    values: Array
    khat: float

    @property
    def trusted(self) -> bool:
        """Whether the Pareto k is at most 0.7."""
        return self.khat <= KHAT_LIMIT

    @property
    def size(self) -> float:
        """Draws that equal weights would need for the same precision, 1 / sum w^2."""
        return float(1.0 / np.sum(self.values**2))


def importance_weights(log_ratio: Array) -> Weights:
    """Return smoothed weights from log ratios of the other prior to the fitted one.

    Parameters
    ----------
    log_ratio : ndarray, dims (chain, draw)
        Natural log; a constant does not matter.

    References
    ----------
    Vehtari et al. 2024, arXiv:1507.02646.
    """
    # `psislw` takes log-likelihoods, whose negatives are the log ratios.
    log_weights, khat = arviz.psislw(-log_ratio)
    weights = np.exp(log_weights - np.max(log_weights))
    return Weights(np.asarray(weights / weights.sum()), float(khat))


def reweighted_summary(
    values: Array,
    weights: Weights,
    *,
    source: Source,
    ci_prob: float = 0.95,
    rope: tuple[float, float] | None = None,
) -> Summary:
    """Return the summary of weighted draws; intervals are equal-tailed.

    Parameters
    ----------
    values : ndarray, dims (chain, draw)
        Draws of the quantity.
    weights : Weights
        Their weights.
    source : {"independent", "markov"}
        Draws of chains count as their effective number.
    ci_prob, rope : float, tuple of float, optional
        As in `judgestats.draws.summary.summarise`.
    """
    w, x = weights.values, values
    mean = float(np.sum(w * x))
    sd = float(np.sqrt(np.sum(w * (x - mean) ** 2)))
    size = weights.size * _efficiency(x, source)
    tail = tail_probability(ci_prob)
    lower, median, upper = weighted_quantiles(x, w, (tail, 0.5, 1 - tail)).tolist()
    step = np.sqrt(tail * (1 - tail) / size)
    ends = weighted_quantiles(x, w, np.clip([tail - step, tail + step, 1 - tail - step, 1 - tail + step], 0, 1))
    return Summary(
        mean=mean,
        median=median,
        sd=sd,
        lower=lower,
        upper=upper,
        ci_prob=ci_prob,
        ci_kind="eti",
        p_gt_0=_below(-x, w, 0.0),
        p_rope=None if rope is None else _below(x, w, rope[1]) - _below(x, w, rope[0]),
        rope=rope,
        rhat=None,
        ess_bulk=None,
        ess_tail=None,
        mcse=sd / float(np.sqrt(size)),
        mcse_lower=float(ends[1] - ends[0]) / 2,
        mcse_upper=float(ends[3] - ends[2]) / 2,
    )


def weighted_quantiles(values: Array, weights: Array, probs: ArrayLike) -> Array:
    """Return quantiles of weighted draws, by the mid-rank rule of `judgestats.draws.intervals.quantiles`."""
    flat, order = values.ravel(), np.argsort(values, axis=None, kind="stable")
    mass = weights.ravel()[order]
    place = np.cumsum(mass) - mass / 2
    return np.asarray(np.interp(np.asarray(probs, dtype=np.float64), place / mass.sum(), flat[order]))


def _below(values: Array, weights: Array, threshold: float) -> float:
    return float(np.sum(weights * ((values < threshold) + 0.5 * (values == threshold))))


def _efficiency(values: Array, source: Source) -> float:
    if source != "markov" or np.ptp(values) == 0:
        return 1.0
    size = float(arviz.ess_bulk(values)) / values.size
    return min(1.0, size) if np.isfinite(size) else 1.0
