"""Stretched nodes: distribution function and quantiles of a quantity whose node weights are spread over stretches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_ROUNDS = 200


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
        return float(np.sum(self.weights * (self.low + self.high)) / 2)

    def sd(self) -> float:
        """Return the standard deviation, the spread inside a stretch included."""
        middle, width = (self.low + self.high) / 2, self.high - self.low
        variance = np.sum(self.weights * ((middle - self.mean()) ** 2 + width**2 / 12))
        return float(np.sqrt(max(float(variance), 0.0)))

    def quantile(self, probability: float) -> float:
        """Return the quantile at `probability` in (0, 1), by bisection on the nodes that still straddle it."""
        low, high, weights = self.low, self.high, self.weights
        left, right = float(low.min()), float(high.max())
        tolerance = 1e-14 * max(abs(left), abs(right), right - left)
        settled = 0.0
        for _ in range(_ROUNDS):
            if right - left <= tolerance:
                break
            middle = (left + right) / 2
            below = settled + float(np.sum(weights * _share_below(low, high, middle)))
            left, right = (middle, right) if below < probability else (left, middle)
            done = high <= left
            settled += float(weights[done].sum())
            keep = ~done & (low < right)
            low, high, weights = low[keep], high[keep], weights[keep]
            if weights.size == 0:
                break
        return (left + right) / 2


def _share_below(low: Array, high: Array, threshold: float) -> Array:
    """Return the share of each stretch that lies below the threshold; a point exactly at it counts half."""
    width = high - low
    inside = np.where(width > 0, (threshold - low) / np.where(width > 0, width, 1.0), 0.5 + np.sign(threshold - low))
    return np.clip(inside, 0.0, 1.0)
