"""Intervals: quantiles, equal-tailed and highest-density intervals of draws or weighted nodes.

Ours, because interval kinds have been mislabelled elsewhere and because weighted nodes are no draws: every interval
here carries its probability and its kind with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
IntervalKind = Literal["eti", "hdi"]
KINDS: tuple[IntervalKind, ...] = ("eti", "hdi")

_BINS = 1 << 14


@dataclass(frozen=True)
class Interval:
    """A credible interval with what it is.

    Parameters
    ----------
    lower, upper : float
        Ends, on the scale of the values.
    prob : float
        Posterior probability that it holds, in (0, 1).
    kind : {"eti", "hdi"}
        Equal-tailed or highest-density.
    """

    lower: float
    upper: float
    prob: float
    kind: IntervalKind


def interval(values: ArrayLike, prob: float, kind: IntervalKind, weights: ArrayLike | None = None) -> Interval:
    """Return the credible interval of draws (any shape) or of weighted nodes.

    Parameters
    ----------
    values : array_like
        Draws, or node values when `weights` is given; finite.
    prob : float
        Probability, in (0, 1).
    kind : {"eti", "hdi"}
        Kind of interval.
    weights : array_like, optional
        Non-negative weights of the nodes, same shape as `values`; they need not sum to 1.

    Returns
    -------
    Interval
        Ends with probability and kind.

    Raises
    ------
    ValueError
        If `prob` or `kind` is not allowed, or a value is not finite.
    """
    tail = tail_probability(prob)
    if kind == "eti":
        lower, upper = quantiles(values, (tail, 1.0 - tail), weights)
    elif kind == "hdi":
        lower, upper = _hdi(values, prob, weights)
    else:
        raise ValueError(f"interval kind must be one of {', '.join(KINDS)}, got {kind!r}")
    return Interval(float(lower), float(upper), prob, kind)


def tail_probability(prob: float) -> float:
    """Return the mass beyond each end of an equal-tailed interval of probability `prob`, which must lie in (0, 1)."""
    if not 0.0 < prob < 1.0:
        raise ValueError(f"interval probability must lie in (0, 1), got {prob}")
    return (1.0 - prob) / 2.0


def eti(values: ArrayLike, prob: float, weights: ArrayLike | None = None) -> Interval:
    """Return the equal-tailed interval; see `interval`."""
    return interval(values, prob, "eti", weights)


def hdi(values: ArrayLike, prob: float, weights: ArrayLike | None = None) -> Interval:
    """Return the highest-density interval of a distribution with one mode: the shortest interval; see `interval`."""
    return interval(values, prob, "hdi", weights)


def quantiles(values: ArrayLike, probs: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Return quantiles of draws or of weighted nodes.

    Both use mid-rank positions: sorted value k sits at C_k - w_k / 2 of the cumulated weight, with linear
    interpolation between neighbours, so the quantiles of mirrored values mirror exactly. Nodes whose weight is spread
    over a stretch are the matter of `judgestats.draws.stretched`.

    Parameters
    ----------
    values : array_like
        Draws of any shape, or node values.
    probs : array_like
        Probabilities in [0, 1].
    weights : array_like, optional
        Node weights; None weighs all draws alike.

    Returns
    -------
    ndarray, shape of `probs`
        Quantiles on the scale of the values.
    """
    p = np.asarray(probs, dtype=np.float64)
    if weights is None:
        return np.asarray(np.quantile(_finite(values), p, method="hazen"))
    flat, w = _nodes(values, weights)
    # Sorting half a million nodes for two ends is wasteful: a histogram finds the bins that hold them.
    if flat.size > 4 * _BINS:
        binned = _histogram(flat, w)
        return np.array([_binned_quantile(float(q), binned) for q in p.ravel()]).reshape(p.shape)
    ordered, position = _ordered(flat, w, 0.0, float(w.sum()))
    return np.asarray(np.interp(p, position, ordered))


def distribution(values: ArrayLike, threshold: float, weights: ArrayLike | None = None) -> float:
    """Return P(quantity <= threshold), in [0, 1]; mass exactly at the threshold counts half.

    Parameters
    ----------
    values, weights : array_like
        As in `quantiles`.
    threshold : float
        On the scale of the values.
    """
    if weights is None:
        flat = _finite(values)
        return float(np.mean((flat < threshold) + 0.5 * (flat == threshold)))
    flat, w = _nodes(values, weights)
    below = (flat < threshold) + 0.5 * (flat == threshold)
    return float(np.clip(np.dot(below, w) / w.sum(), 0.0, 1.0))


def _finite(values: ArrayLike) -> Array:
    flat = np.asarray(values, dtype=np.float64).ravel()
    if flat.size == 0 or not np.all(np.isfinite(flat)):
        raise ValueError("an interval needs at least one value, all of them finite")
    return flat


def _nodes(values: ArrayLike, weights: ArrayLike) -> tuple[Array, Array]:
    """Return the values and weights of the nodes of positive weight."""
    flat = np.asarray(values, dtype=np.float64).ravel()
    w = np.asarray(weights, dtype=np.float64).ravel()
    if w.shape != flat.shape:
        raise ValueError(f"weights and values differ in size: {w.size} and {flat.size}")
    if np.any(w < 0):
        raise ValueError("node weights must not be negative")
    kept = w > 0
    return _finite(flat[kept]), w[kept]


def _ordered(values: Array, weights: Array, before: float, total: float) -> tuple[Array, Array]:
    """Return distinct values in ascending order and the mid-rank position of each.

    Equal values are one node: otherwise the order in which they happen to stand would decide.

    Parameters
    ----------
    values, weights : ndarray, dims (node,)
        Nodes.
    before, total : float
        Weight that lies below these nodes, and weight of all.
    """
    order = np.argsort(values, kind="stable")
    ordered, w = values[order], weights[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] > ordered[:-1]]))
    if first.size < ordered.size:
        ordered, w = ordered[first], np.add.reduceat(w, first)
    return ordered, np.asarray((before + np.cumsum(w) - w / 2.0) / total)


@dataclass(frozen=True)
class _Histogram:
    values: Array
    weights: Array
    bin_of: NDArray[np.int32]
    cumulated: Array


def _histogram(values: Array, weights: Array) -> _Histogram:
    low, high = float(values.min()), float(values.max())
    scale = (_BINS - 1) / (high - low) if high > low else 0.0
    bin_of = ((values - low) * scale).astype(np.int32)
    mass = np.bincount(bin_of, weights=weights, minlength=_BINS)
    return _Histogram(values, weights, bin_of, np.cumsum(mass))


def _binned_quantile(prob: float, histogram: _Histogram) -> float:
    """Return the quantile that sorting all nodes would give, by sorting only the bins around it."""
    cumulated = histogram.cumulated
    total = float(cumulated[-1])
    at = min(int(np.searchsorted(cumulated, prob * total)), _BINS - 1)
    # The two neighbours that are interpolated may sit in the occupied bins beside the one that holds the target.
    first = int(np.searchsorted(cumulated, cumulated[at - 1])) if at > 0 else 0
    last = min(int(np.searchsorted(cumulated, cumulated[at], side="right")), _BINS - 1)
    near = (histogram.bin_of >= first) & (histogram.bin_of <= last)
    values, weights = histogram.values[near], histogram.weights[near]
    before = float(cumulated[first - 1]) if first > 0 else 0.0
    ordered, position = _ordered(values, weights, before, total)
    return float(np.interp(prob, position, ordered))


def _hdi(values: ArrayLike, prob: float, weights: ArrayLike | None) -> tuple[float, float]:
    """Return the shortest interval that holds `prob`."""
    if weights is None:
        ordered = np.sort(_finite(values))
        inside = int(np.ceil(prob * ordered.size))
        if inside >= ordered.size:
            return float(ordered[0]), float(ordered[-1])
        widths = ordered[inside:] - ordered[:-inside]
        best = int(np.argmin(widths))
        return float(ordered[best]), float(ordered[best + inside])
    flat, w = _nodes(values, weights)
    ordered, position = _ordered(flat, w, 0.0, float(w.sum()))
    # Positions at which an interval may start: a fine net over the mass that may be left out below.
    starts = np.linspace(0.0, 1.0 - prob, 2001)
    lower = np.interp(starts, position, ordered)
    upper = np.interp(starts + prob, position, ordered)
    best = int(np.argmin(upper - lower))
    return float(lower[best]), float(upper[best])
