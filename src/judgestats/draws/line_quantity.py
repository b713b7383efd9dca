"""Line quantity: mean, spread, distribution function, quantiles and density of a quantity on posterior lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.lines import Lines

Array = NDArray[np.float64]
_BINS = 256
_NEWTON = 4  # steps from a linear first guess; each squares an error that starts near .02 of a step
_ROUNDS = 100
_SETTLED = 1e-12  # how near, in probability, a quantile is found
_FLAT = 1e-12  # least slope of a crossing, per step
_NEGLIGIBLE = 1e-9  # mass of nodes where a quantity may be infinite
_STARTS = 129  # positions at which a shortest interval may begin


@dataclass(frozen=True, eq=False)
class LineQuantity:
    """A quantity at every node of posterior lines, monotone along each, in the same direction on all.

    Parameters
    ----------
    values : ndarray, dims (line, node)
        Finite values.
    lines : Lines
        The posterior.
    """

    values: Array
    lines: Lines

    def __post_init__(self) -> None:
        if self.values.shape != self.lines.mass.shape:
            raise ValueError(f"values have dims {self.values.shape}, the lines {self.lines.mass.shape}")
        finite = np.isfinite(self.values)
        if not finite.all():
            if float(self.lines.mass[~finite].sum()) > _NEGLIGIBLE:
                raise ValueError("a quantity on lines must be finite wherever the posterior has mass")
            object.__setattr__(self, "values", _filled(self.values, finite))

    def mean(self) -> float:
        """Return the mean; the trapezium rule converges geometrically for it."""
        return float(np.sum(self.lines.mass * self.values))

    def sd(self) -> float:
        """Return the standard deviation."""
        return self._sd

    @cached_property
    def _sd(self) -> float:
        centred = self.values - self.mean()
        return float(np.sqrt(np.sum(self.lines.mass * centred * centred)))

    @cached_property
    def _ascending(self) -> tuple[float, Array]:
        """Return the direction and the values times it, which ascend along every line."""
        rise = float(np.sum(self.values[:, -1] - self.values[:, 0]))
        sign = -1.0 if rise < 0 else 1.0
        return sign, np.maximum.accumulate(sign * self.values, axis=1)

    def below(self, threshold: float) -> float:
        """Return P(quantity < threshold), half of a mass exactly at the threshold included."""
        return float(self.distribution(np.array([threshold]))[0])

    def distribution(self, thresholds: Array) -> Array:
        """Return P(quantity < threshold) for several thresholds, dims (threshold,), in [0, 1]; mass at one counts half."""
        return self.distribution_and_density(np.asarray(thresholds, dtype=np.float64))[0]

    def distribution_and_density(self, thresholds: Array) -> tuple[Array, Array]:
        """Return the distribution function and the density at thresholds, dims (threshold,) each."""
        sign, values = self._ascending
        at = sign * thresholds
        left = (values[None] < at[:, None, None]).sum(axis=2)
        crossed, slope = _crossings(values, at, left)
        masses, rates = self.lines.up_to(crossed)
        mass, density = masses.sum(axis=1), np.sum(rates / slope, axis=1)
        if self._rests:
            right = (values[None] <= at[:, None, None]).sum(axis=2)
            end = np.where(right > left + 1, np.minimum(right - 1, values.shape[1] - 1), crossed)
            mass = (mass + self.lines.up_to(end)[0].sum(axis=1)) / 2
        return np.clip(mass if sign > 0 else 1.0 - mass, 0.0, 1.0), density

    @cached_property
    def _rests(self) -> bool:
        """Return whether some line keeps one value over whole steps."""
        values = self._ascending[1]
        return bool(np.any(values[:, 1:] == values[:, :-1]))

    def quantile(self, probability: float) -> float:
        """Return the quantile at `probability` in [0, 1]."""
        return float(self.quantiles((probability,))[0])

    def quantiles(self, probabilities: Sequence[float] | Array) -> Array:
        """Return several quantiles, dims (probability,): Newton steps on the distribution function, kept inside a bracket.

        Parameters
        ----------
        probabilities : sequence of float
            In [0, 1]; the distribution function comes to each within 1e-12.
        """
        target = np.asarray(probabilities, dtype=np.float64)
        low = np.full(target.size, self.values.min())
        high = np.full(target.size, self.values.max())
        guess = self.near_quantiles(target)
        for _ in range(_ROUNDS):
            mass, density = self.distribution_and_density(guess)
            gap = mass - target
            if np.all((np.abs(gap) < _SETTLED) | (high - low <= 1e-15 * np.maximum(np.abs(low), np.abs(high)))):
                break
            low, high = np.where(gap < 0, guess, low), np.where(gap < 0, high, guess)
            step = guess - gap / np.maximum(density, 1e-300)
            step = np.where((step > low) & (step < high), step, (low + high) / 2)
            guess = np.where(np.abs(gap) < _SETTLED, guess, step)
        return guess

    def near_quantiles(self, probabilities: Sequence[float] | Array) -> Array:
        """Return several quantiles to about a bin of a histogram of the nodes, 1/256 of the range, dims (probability,)."""
        target = np.asarray(probabilities, dtype=np.float64)
        start, end = float(self.values.min()), float(self.values.max())
        if not end > start:
            return np.full(target.size, start)
        width = (end - start) / _BINS
        bins = ((self.values - start) * ((1 - 1e-9) / width)).astype(np.int32)
        mass = np.bincount(bins.ravel(), weights=self.lines.mass.ravel(), minlength=_BINS)
        return np.asarray(np.interp(target, np.cumsum(mass), start + width * np.arange(1, _BINS + 1)))

    def shortest(self, probability: float, scale: Callable[[Array], Array] = np.asarray) -> tuple[float, float]:
        """Return the ends, on `scale`, of the interval that is shortest there among those that hold `probability`.

        Parameters
        ----------
        probability : float
            In (0, 1).
        scale : callable
            Increasing function of the quantity, such as the exponential of a log ratio.
        """
        starts = np.linspace(0.0, 1.0 - probability, _STARTS)
        ends = scale(self.quantiles(np.concatenate([starts, starts + probability])))
        width = ends[_STARTS:] - ends[:_STARTS]
        best = int(np.argmin(width))
        if not 0 < best < _STARTS - 1:
            return float(ends[best]), float(ends[_STARTS + best])
        # The width is smooth in the start: a parabola through three neighbours finds its least point.
        before, here, after = width[best - 1 : best + 2]
        bend = before - 2 * here + after
        shift = (before - after) / (2 * bend) if bend > 0 else 0.0
        start = starts[best] + shift * (starts[1] - starts[0])
        low, high = scale(self.quantiles((start, start + probability)))
        return float(low), float(high)


def _crossings(values: Array, thresholds: Array, below: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return where each line of ascending values first reaches each threshold, in steps, and its slope per step there.

    Dims (threshold, line) each.

    Between nodes the values follow the cubic through four neighbours. A line that stays below or above a threshold crosses
    at its last or first node. `below` counts the nodes of each line below each threshold.
    """
    last = values.shape[1] - 1
    left = np.clip(below - 1, 0, last - 1)
    first = np.clip(left - 1, 0, max(last - 3, 0))
    flat = first + np.arange(values.shape[0]) * values.shape[1]
    v = [values.take(flat + k) for k in range(4)]
    place = (left - first).astype(np.float64)
    low, high = (np.where(place == 0, v[k], np.where(place == 1, v[k + 1], v[(k + 2) % 4])) for k in (0, 1))
    gap, t = high - low, thresholds[:, None]
    share = np.clip(np.where(gap > 0, (t - low) / np.where(gap > 0, gap, 1.0), 1.0), 0.0, 1.0)
    d1, d2 = v[1] - v[0], v[2] - 2 * v[1] + v[0]
    d3 = v[3] - 3 * v[2] + 3 * v[1] - v[0]
    linear = share

    def slope_at(x: Array) -> Array:
        return np.asarray(d1 + (x - 0.5) * d2 + ((x / 2 - 1) * x + 1 / 3) * d3)

    for _ in range(_NEWTON):
        x = place + share
        value = v[0] + x * (d1 + (x - 1) / 2 * (d2 + (x - 2) / 3 * d3))
        slope = slope_at(x)
        share = np.clip(share + np.where(slope > 0, (t - value) / np.where(slope > 0, slope, 1.0), 0.0), 0.0, 1.0)
    # A cubic that turns inside the step would be met twice: there the values are taken to be linear.
    turn = np.clip(1 - d2 / np.where(d3 == 0, 1.0, d3), place, place + 1)
    bends = np.minimum(np.minimum(slope_at(place), slope_at(place + 1)), slope_at(turn)) <= 0
    share, slope = np.where(bends, linear, share), np.where(bends, gap, slope)
    outside = (below == 0) | (below > last)
    share = np.where(outside, np.where(below == 0, 0.0, 1.0), share)
    # A line without a crossing has no density there.
    return np.asarray(left + share), np.where(outside, np.inf, np.maximum(slope, _FLAT))


def _filled(values: Array, finite: NDArray[np.bool_]) -> Array:
    """Return values whose infinite ones are those of the nearest finite node of their line."""
    node = np.arange(values.shape[1])
    nearest = np.abs(np.where(finite[:, None, :], node, np.inf) - node[:, None]).argmin(axis=2)
    return np.take_along_axis(values, nearest, axis=1)
