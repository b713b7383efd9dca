"""Summary: mean, median, spread, interval, tail probabilities and Monte Carlo errors of one posterior quantity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgestats.draws import arviz
from judgestats.draws.convergence import convergence
from judgestats.draws.intervals import (
    Array,
    Interval,
    IntervalKind,
    distribution,
    interval,
    quantiles,
    tail_probability,
)
from judgestats.draws.line_quantity import LineQuantity

_RESAMPLES = 64
Source = Literal["lines", "independent", "markov"]


@dataclass(frozen=True)
class Quantity:
    """The posterior of one scalar quantity: on posterior lines, as independent draws or as draws of Markov chains.

    Parameters
    ----------
    values : ndarray, dims (line, node) or (chain, draw)
        Values of the quantity.
    source : {"lines", "independent", "markov"}
        ``lines`` are the exact engine's; ``independent`` draws were taken from such lines or by resampling; ``markov``
        draws come from NUTS.
    lines : LineQuantity, optional
        The quantity on its lines, on the log scale for a ratio; belongs to the source ``lines``.
    coarse : Quantity, optional
        The same quantity on a coarser grid; the difference of a summary between the two is its grid error.
    grid_error : float, optional
        Numerical error of lines without `coarse`, on the scale of the quantity.
    ratio : bool
        Whether the quantity is a positive ratio: quantiles are then interpolated on the log scale, so that those of the
        inverse ratio are exactly the inverse.
    """

    values: Array
    source: Source
    lines: LineQuantity | None = None
    coarse: Quantity | None = None
    grid_error: float | None = None
    ratio: bool = False

    def __post_init__(self) -> None:
        if (self.source == "lines") != (self.lines is not None):
            raise ValueError("a quantity on lines needs its lines, and draws have none")
        if self.values.ndim != 2:
            raise ValueError(f"a quantity needs dims (line, node) or (chain, draw), got {self.values.ndim} dims")

    @property
    def weights(self) -> Array | None:
        """Posterior mass of each node, dims (line, node); None for draws, which weigh the same."""
        return None if self.lines is None else self.lines.lines.mass

    def mean(self) -> float:
        """Return the posterior mean."""
        return float(np.average(self.values, weights=self.weights))

    def sd(self) -> float:
        """Return the posterior standard deviation."""
        return float(np.sqrt(np.average((self.values - self.mean()) ** 2, weights=self.weights)))

    def quantiles(self, probs: Sequence[float]) -> Array:
        """Return posterior quantiles, dims (prob,)."""
        if self.lines is not None:
            found = self.lines.quantiles(probs)
        else:
            found = quantiles(np.log(self.values) if self.ratio else self.values, probs)
        return np.exp(found) if self.ratio else found

    def below(self, threshold: float) -> float:
        """Return P(quantity <= threshold); mass exactly at the threshold counts half."""
        if self.lines is None:
            return distribution(self.values, threshold)
        if self.ratio and threshold <= 0:
            return 0.0
        return self.lines.below(float(np.log(threshold)) if self.ratio else threshold)

    def inside(self, rope: tuple[float, float]) -> float:
        """Return P(rope[0] < quantity < rope[1]), in [0, 1]; mass exactly at an edge counts half."""
        low, high = rope
        if not low < high:
            raise ValueError(f"a ROPE needs its lower end below its upper end, got {rope}")
        return max(self.below(high) - self.below(low), 0.0)

    def interval(self, prob: float, kind: IntervalKind) -> Interval:
        """Return the credible interval."""
        tail = tail_probability(prob)
        if kind == "eti":
            lower, upper = self.quantiles((tail, 1.0 - tail))
        elif self.lines is None:
            return interval(self.values, prob, kind)
        else:
            lower, upper = self.lines.shortest(prob, np.exp if self.ratio else np.asarray)
        return Interval(float(lower), float(upper), prob, kind)


@dataclass(frozen=True)
class Summary:
    """What is reported of a quantity, on its own scale.

    Parameters
    ----------
    mean, median, sd : float
        Moments and median.
    lower, upper : float
        Ends of the credible interval.
    ci_prob, ci_kind : float, str
        Its probability and kind.
    p_gt_0 : float or None
        P(quantity > 0); None for quantities that cannot be negative. Mass exactly at 0 counts half.
    p_rope : float or None
        P(quantity inside the ROPE); mass exactly at an edge counts half.
    rope : tuple of float or None
        The ROPE.
    rhat, ess_bulk, ess_tail : float or None
        Of Markov chains only; None where undefined.
    mcse, mcse_lower, mcse_upper : float or None
        Monte Carlo standard error of the mean and of both interval ends; the grid error on lines.
    """

    mean: float
    median: float
    sd: float
    lower: float
    upper: float
    ci_prob: float
    ci_kind: IntervalKind
    p_gt_0: float | None
    p_rope: float | None
    rope: tuple[float, float] | None
    rhat: float | None
    ess_bulk: float | None
    ess_tail: float | None
    mcse: float | None
    mcse_lower: float | None
    mcse_upper: float | None

    @property
    def mcse_end(self) -> float | None:
        """Return the larger error of the two interval ends, None where neither is known."""
        return max((error for error in (self.mcse_lower, self.mcse_upper) if error is not None), default=None)


def summarise(
    quantity: Quantity,
    *,
    ci_prob: float = 0.95,
    ci_kind: IntervalKind = "eti",
    rope: tuple[float, float] | None = None,
    signed: bool = True,
) -> Summary:
    """Summarise a quantity, whatever its engine.

    Parameters
    ----------
    quantity : Quantity
        Values and where they come from; all values finite.
    ci_prob, ci_kind : float, {"eti", "hdi"}
        Interval probability and kind.
    rope : tuple of float, optional
        Region of practical equivalence, lower and upper end.
    signed : bool
        Whether the quantity can be negative; if not, P(> 0) is None.

    Returns
    -------
    Summary
        All numbers on the scale of the quantity.

    Raises
    ------
    ValueError
        If a value is not finite or the interval is not allowed.
    """
    ends, median = _ends_and_median(quantity, ci_prob, ci_kind)
    mean = quantity.mean()
    sd = quantity.sd()
    errors = _errors(quantity, mean, ends, sd)
    chains = _chain_diagnostics(quantity)
    return Summary(
        mean=mean,
        median=median,
        sd=sd,
        lower=ends.lower,
        upper=ends.upper,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        p_gt_0=1.0 - quantity.below(0.0) if signed else None,
        p_rope=None if rope is None else quantity.inside(rope),
        rope=rope,
        rhat=chains[0],
        ess_bulk=chains[1],
        ess_tail=chains[2],
        mcse=errors[0],
        mcse_lower=errors[1],
        mcse_upper=errors[2],
    )


def probability_inside(values: ArrayLike, rope: tuple[float, float]) -> float:
    """Return P(rope[0] < quantity < rope[1]) of draws, in [0, 1]; mass exactly at an edge counts half."""
    low, high = rope
    if not low < high:
        raise ValueError(f"a ROPE needs its lower end below its upper end, got {rope}")
    return max(distribution(values, high) - distribution(values, low), 0.0)


def _ends_and_median(quantity: Quantity, prob: float, kind: IntervalKind) -> tuple[Interval, float]:
    """Return the interval and the median; one call where both are quantiles."""
    if kind != "eti":
        return quantity.interval(prob, kind), float(quantity.quantiles([0.5])[0])
    tail = tail_probability(prob)
    lower, median, upper = quantity.quantiles((tail, 0.5, 1.0 - tail))
    return Interval(float(lower), float(upper), prob, kind), float(median)


def _errors(
    quantity: Quantity, mean: float, ends: Interval, sd: float
) -> tuple[float | None, float | None, float | None]:
    """Return the Monte Carlo errors of the mean and of both ends; on lines, the grid errors."""
    if quantity.source == "lines":
        if quantity.coarse is None:
            return (quantity.grid_error,) * 3
        rough = quantity.coarse.interval(ends.prob, ends.kind)
        gaps = mean - quantity.coarse.mean(), ends.lower - rough.lower, ends.upper - rough.upper
        return abs(gaps[0]), abs(gaps[1]), abs(gaps[2])
    values = quantity.values
    if ends.kind == "hdi":
        return _hdi_errors(quantity, sd, ends)
    tails = [_tail(values, end) for end in (ends.lower, ends.upper)]
    if quantity.source == "independent":
        low, high = (_independent_quantile_error(values, p) for p in tails)
        return sd / float(np.sqrt(values.size)), low, high
    found = [float(arviz.mcse_mean(values)), *(float(arviz.mcse_quantile(values, p)) for p in tails)]
    error, lower, upper = (x if np.isfinite(x) else None for x in found)
    return error, lower, upper


def _hdi_errors(quantity: Quantity, sd: float, ends: Interval) -> tuple[float | None, float | None, float | None]:
    """Return the Monte Carlo errors of the mean and of both ends of a shortest interval of draws.

    The ends of a shortest interval are not quantiles of fixed probability: where it starts is estimated too, which is the
    larger part of their error. The bootstrap is the sum of both; draws of chains count as their effective number.
    """
    values = quantity.values
    markov = quantity.source == "markov"
    effective = float(arviz.ess_tail(values)) if markov and np.ptp(values) > 0 else float(values.size)
    mean = float(arviz.mcse_mean(values)) if markov else sd / float(np.sqrt(values.size))
    if not np.isfinite(effective):
        return (mean if np.isfinite(mean) else None), None, None
    rng = np.random.default_rng(values.size)
    again = [interval(rng.choice(values.ravel(), values.size), ends.prob, "hdi") for _ in range(_RESAMPLES)]
    widen = float(np.sqrt(values.size / effective))
    low, high = (widen * float(np.std([getattr(one, end) for one in again])) for end in ("lower", "upper"))
    return mean, low, high


def _tail(values: Array, end: float) -> float:
    """Return the share of draws below an interval end, kept inside (0, 1) so that a quantile error exists."""
    size = values.size
    return float(np.clip(np.mean(values <= end), 1.0 / size, 1.0 - 1.0 / size))


def _independent_quantile_error(values: NDArray[np.float64], prob: float) -> float:
    """Return half the distance between the quantiles one binomial standard error to either side."""
    step = np.sqrt(prob * (1.0 - prob) / values.size)
    low, high = quantiles(values, np.clip([prob - step, prob + step], 0.0, 1.0))
    return float((high - low) / 2.0)


def _chain_diagnostics(quantity: Quantity) -> tuple[float | None, float | None, float | None]:
    """Return R-hat, bulk and tail ESS of Markov chains; None elsewhere and for constants, where they are undefined."""
    if quantity.source != "markov" or np.ptp(quantity.values) == 0:
        return None, None, None
    found = [float(part) for part in convergence(quantity.values)]
    rhat, bulk, tail = (x if np.isfinite(x) else None for x in found)
    return rhat, bulk, tail
