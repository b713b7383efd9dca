"""Stretched nodes: distribution function and quantiles of a quantity whose node weights are spread over stretches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_ROUNDS = 200
_BINS = 4096
_REACH = 8.0  # standard deviations that the bins cover


@dataclass(frozen=True)
class Stretched:
    """A quantity on weighted nodes, the weight of each spread evenly between two values.

    Parameters
    ----------
    low, high : ndarray, dims (node,)
        The quantity at both ends of the node's stretch, in either order on construction; sorted afterwards.
    weights : ndarray, dims (node,)
        Non-negative, sum 1.
    """

    low: Array
    high: Array
    weights: Array

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all()):
            raise ValueError("a quantity on weighted nodes must be finite at both ends of every stretch")
        low, high = np.minimum(self.low, self.high), np.maximum(self.low, self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def below(self, threshold: float) -> float:
        """Return P(quantity < threshold), half of a mass exactly at the threshold included."""
        return float(np.sum(self.weights * _share_below(self.low, self.high, threshold)))

    def mean(self) -> float:
        """Return the mean of the stretches' middles."""
        return self._moments[0]

    def sd(self) -> float:
        """Return the standard deviation, the spread inside a stretch included."""
        return self._moments[1]

    @cached_property
    def _middle(self) -> Array:
        return np.asarray((self.low + self.high) / 2)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        mean = float(self.weights @ self._middle)
        centred, width = self._middle - mean, self.high - self.low
        variance = float(self.weights @ (centred * centred)) + float(self.weights @ (width * width)) / 12
        return mean, float(np.sqrt(max(variance, 0.0)))

    def quantile(self, probability: float) -> float:
        """Return the quantile at `probability` in (0, 1), by bisection on the nodes that still straddle it."""
        return float(self.quantiles((probability,))[0])

    def quantiles(self, probabilities: Sequence[float]) -> Array:
        """Return several quantiles, dims (probability,); a histogram of the middles says where to look for each."""
        middle, (mean, sd) = self._middle, self._moments
        # A few far values must not widen the bins of the rest.
        start = max(float(middle.min()), mean - _REACH * sd)
        width = (min(float(middle.max()), mean + _REACH * sd) - start) / _BINS
        if not width > 0:
            ends = float(self.low.min()), float(self.high.max())
            return np.array([_bisect(p, ends, 0.0, self.low, self.high, self.weights) for p in probabilities])
        bins = np.clip((middle - start) / width, 0, _BINS - 1).astype(np.int32)
        cumulated = np.cumsum(np.bincount(bins, weights=self.weights, minlength=_BINS))
        return np.array([self._around(p, start, width, int(np.searchsorted(cumulated, p))) for p in probabilities])

    def _around(self, probability: float, start: float, width: float, at: int) -> float:
        """Return a quantile, looking in the bin `at` and its neighbours first and then further out."""
        reach = 1
        while reach < _BINS:
            left, right = start + (at - reach) * width, start + (at + 1 + reach) * width
            near = (self.high > left) & (self.low < right)
            settled = float(self.weights[self.high <= left].sum())
            low, high, weights = self.low[near], self.high[near], self.weights[near]
            below = [settled + float(np.sum(weights * _share_below(low, high, end))) for end in (left, right)]
            if below[0] < probability <= below[1]:
                return _bisect(probability, (left, right), settled, low, high, weights)
            reach *= 8
        ends = float(self.low.min()), float(self.high.max())
        return _bisect(probability, ends, 0.0, self.low, self.high, self.weights)


def _bisect(
    probability: float, bracket: tuple[float, float], settled: float, low: Array, high: Array, weights: Array
) -> float:
    """Return the quantile inside `bracket`; `settled` is the weight of the nodes below it that are left out."""
    left, right = bracket
    tolerance = 1e-15 * max(abs(left), abs(right), right - left)
    for _ in range(_ROUNDS):
        if right - left <= tolerance or weights.size == 0:
            break
        middle = (left + right) / 2
        below = settled + float(np.sum(weights * _share_below(low, high, middle)))
        left, right = (middle, right) if below < probability else (left, middle)
        done = high <= left
        settled += float(weights[done].sum())
        keep = ~done & (low < right)
        low, high, weights = low[keep], high[keep], weights[keep]
    return (left + right) / 2


def _share_below(low: Array, high: Array, threshold: float) -> Array:
    """Return the share of each stretch that lies below the threshold; a point exactly at it counts half."""
    width = high - low
    inside = np.where(width > 0, (threshold - low) / np.where(width > 0, width, 1.0), 0.5 + np.sign(threshold - low))
    return np.clip(inside, 0.0, 1.0)
