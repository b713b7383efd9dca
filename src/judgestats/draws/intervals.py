"""Intervals: quantiles, equal-tailed and highest-density intervals of draws.

Ours, because interval kinds have been mislabelled elsewhere: every interval here carries its probability and its kind with
it. Quantities on posterior lines have theirs from `judgestats.draws.line_quantity`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
IntervalKind = Literal["eti", "hdi"]
KINDS: tuple[IntervalKind, ...] = ("eti", "hdi")


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


def interval(values: ArrayLike, prob: float, kind: IntervalKind) -> Interval:
    """Return the credible interval of draws.

    Parameters
    ----------
    values : array_like
        Draws of any shape, finite.
    prob : float
        Probability, in (0, 1).
    kind : {"eti", "hdi"}
        Kind of interval.

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
        lower, upper = quantiles(values, (tail, 1.0 - tail))
    elif kind == "hdi":
        lower, upper = _hdi(values, prob)
    else:
        raise ValueError(f"interval kind must be one of {', '.join(KINDS)}, got {kind!r}")
    return Interval(float(lower), float(upper), prob, kind)


def tail_probability(prob: float) -> float:
    """Return the mass beyond each end of an equal-tailed interval of probability `prob`, which must lie in (0, 1)."""
    if not 0.0 < prob < 1.0:
        raise ValueError(f"interval probability must lie in (0, 1), got {prob}")
    return (1.0 - prob) / 2.0


def eti(values: ArrayLike, prob: float) -> Interval:
    """Return the equal-tailed interval; see `interval`."""
    return interval(values, prob, "eti")


def hdi(values: ArrayLike, prob: float) -> Interval:
    """Return the highest-density interval of a distribution with one mode: the shortest interval; see `interval`."""
    return interval(values, prob, "hdi")


def quantiles(values: ArrayLike, probs: ArrayLike) -> Array:
    """Return quantiles of draws.

    Mid-rank positions: sorted value k of n sits at (k - 1/2) / n, with linear interpolation between neighbours, so the
    quantiles of mirrored values mirror exactly.

    Parameters
    ----------
    values : array_like
        Draws of any shape.
    probs : array_like
        Probabilities in [0, 1].

    Returns
    -------
    ndarray, shape of `probs`
        Quantiles on the scale of the values.
    """
    return np.asarray(np.quantile(_finite(values), np.asarray(probs, dtype=np.float64), method="hazen"))


def distribution(values: ArrayLike, threshold: float) -> float:
    """Return P(quantity <= threshold), in [0, 1]; mass exactly at the threshold counts half.

    Parameters
    ----------
    values : array_like
        Draws.
    threshold : float
        On the scale of the values.
    """
    flat = _finite(values)
    return float(np.mean((flat < threshold) + 0.5 * (flat == threshold)))


def _finite(values: ArrayLike) -> Array:
    flat = np.asarray(values, dtype=np.float64).ravel()
    if flat.size == 0 or not np.all(np.isfinite(flat)):
        raise ValueError("an interval needs at least one value, all of them finite")
    return flat


def _hdi(values: ArrayLike, prob: float) -> tuple[float, float]:
    """Return the shortest interval that holds `prob`."""
    ordered = np.sort(_finite(values))
    inside = int(np.ceil(prob * ordered.size))
    if inside >= ordered.size:
        return float(ordered[0]), float(ordered[-1])
    widths = ordered[inside:] - ordered[:-inside]
    best = int(np.argmin(widths))
    return float(ordered[best]), float(ordered[best + inside])
