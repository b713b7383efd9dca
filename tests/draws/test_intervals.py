"""Intervals against closed forms of Exp(1), of weighted nodes and under mirroring."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgestats.draws.intervals import distribution, eti, hdi, interval, quantiles
from judgestats.draws.stretched import Stretched
from judgestats.draws.summary import Quantity

# Exp(1) has quantile function -log(1 - p). Its equal-tailed interval of probability q is
# [-log(1 - (1-q)/2), -log((1-q)/2)]; its density falls, so its highest-density interval is [0, -log(1 - q)].
PROB = 0.89
EXACT_ETI = (-np.log(1 - 0.055), -np.log(0.055))
EXACT_HDI = (0.0, -np.log(1 - 0.89))


def exponential_nodes(size: int) -> tuple[np.ndarray, np.ndarray, float]:
    step = 40.0 / size
    values = (np.arange(size) + 0.5) * step
    return values, np.exp(-values), step


def exponential_draws(size: int) -> np.ndarray:
    """Exact quantiles at mid-ranks: draws without Monte Carlo noise."""
    return -np.log(1 - (np.arange(size) + 0.5) / size)


@pytest.mark.parametrize("size", [20_000, 400_000])  # sorted, and found through a histogram
def test_weighted_nodes_of_an_exponential(size: int) -> None:
    values, weights, step = exponential_nodes(size)
    order = np.random.default_rng(1).permutation(size)
    found_eti = eti(values[order], PROB, weights[order])
    found_hdi = hdi(values[order], PROB, weights[order])
    # Midpoint nodes are off by at most one step.
    assert (found_eti.lower, found_eti.upper) == pytest.approx(EXACT_ETI, abs=step)
    assert (found_hdi.lower, found_hdi.upper) == pytest.approx(EXACT_HDI, abs=2 * step)
    assert (found_eti.kind, found_hdi.kind, found_eti.prob) == ("eti", "hdi", PROB)


def test_draws_of_an_exponential() -> None:
    draws = exponential_draws(40_000).reshape(4, -1)
    found_eti, found_hdi = eti(draws, PROB), hdi(draws, PROB)
    assert (found_eti.lower, found_eti.upper) == pytest.approx(EXACT_ETI, abs=1e-3)
    assert (found_hdi.lower, found_hdi.upper) == pytest.approx(EXACT_HDI, abs=3e-3)


def test_the_two_kinds_differ_on_a_skewed_case() -> None:
    draws = exponential_draws(4_000)
    assert hdi(draws, PROB).upper < eti(draws, PROB).upper - 0.5
    assert hdi(draws, PROB).lower < eti(draws, PROB).lower - 0.05


def test_stretched_nodes_invert_a_piecewise_linear_distribution() -> None:
    """Two stretches: weight .25 on [0, 1], .75 on [1, 2]; F(1) = .25, F(1.5) = .625, F(.5) = .125."""
    nodes = Stretched(np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([0.25, 0.75]))
    quantity = Quantity((nodes.low + nodes.high) / 2, "nodes", nodes.weights, stretched=nodes)
    assert quantity.quantiles((0.125, 0.25, 0.625)) == pytest.approx([0.5, 1.0, 1.5], abs=1e-12)
    assert quantity.below(1.5) == pytest.approx(0.625, abs=1e-14)
    assert quantity.inside((0.5, 1.5)) == pytest.approx(0.5, abs=1e-14)


def test_stretched_nodes_of_an_exponential() -> None:
    """Spread over their stretches the nodes give a distribution function that is right to second order in the step."""
    values, weights, step = exponential_nodes(4_000)
    weights = weights / weights.sum()
    nodes = Stretched(values - step / 2, values + step / 2, weights)
    quantity = Quantity(values, "nodes", weights, stretched=nodes)
    found = quantity.interval(PROB, "eti")
    assert (found.lower, found.upper) == pytest.approx(EXACT_ETI, abs=step**2)
    shortest = quantity.interval(PROB, "hdi")
    assert (shortest.lower, shortest.upper) == pytest.approx(EXACT_HDI, abs=step)
    assert quantity.below(1.0) == pytest.approx(1 - np.exp(-1), abs=step**2)


finite = st.floats(-5, 5).map(lambda x: round(x, 6))
nodes = st.lists(st.tuples(finite, st.floats(0.01, 1.0)), min_size=2, max_size=60)


@settings(deadline=None)
@given(nodes, st.floats(0.02, 0.98))
def test_quantiles_mirror(pairs: list[tuple[float, float]], prob: float) -> None:
    values, weights = (np.array(x) for x in zip(*pairs, strict=True))
    there = quantiles(values, prob, weights)
    back = quantiles(-values, 1 - prob, weights)
    assert there == pytest.approx(-back, abs=1e-9)


@settings(deadline=None)
@given(nodes, st.floats(0.01, 0.5), st.floats(0.05, 0.95))
def test_stretched_quantiles_mirror(pairs: list[tuple[float, float]], half: float, prob: float) -> None:
    values, weights = (np.array(x) for x in zip(*pairs, strict=True))
    weights = weights / weights.sum()
    there = Stretched(values - half, values + half, weights)
    back = Stretched(-values - half, -values + half, weights)
    # A flat stretch of the distribution function holds many quantiles: compare where it rises.
    low, high = there.quantile(prob), -back.quantile(1 - prob)
    assert there.below(low) == pytest.approx(prob, abs=1e-9)
    assert there.below(high) == pytest.approx(prob, abs=1e-9)


@settings(deadline=None)
@given(nodes, finite)
def test_shares_below_and_above_add_to_one(pairs: list[tuple[float, float]], threshold: float) -> None:
    values, weights = (np.array(x) for x in zip(*pairs, strict=True))
    below = distribution(values, threshold, weights)
    above = distribution(-values, -threshold, weights)
    assert below + above == pytest.approx(1.0, abs=1e-12)


def test_histogram_and_sorting_agree_exactly() -> None:
    """The fast path sorts only the bins around a quantile; a plain sort of all nodes must give the same number."""
    rng = np.random.default_rng(5)
    values, weights = rng.standard_normal(200_000) ** 3, rng.random(200_000)
    probs = (0.001, 0.025, 0.5, 0.975, 0.999)
    order = np.argsort(values)
    position = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    assert quantiles(values, probs, weights) == pytest.approx(np.interp(probs, position, values[order]), abs=1e-10)


def test_equal_weights_are_draws() -> None:
    draws = np.random.default_rng(2).standard_normal(501)
    probs = (0.1, 0.5, 0.9)
    assert quantiles(draws, probs, np.ones(501)) == pytest.approx(quantiles(draws, probs), abs=1e-12)


@pytest.mark.parametrize(
    ("prob", "kind"), [(0.0, "eti"), (1.0, "eti"), (-0.1, "hdi"), (0.5, "ETI"), (0.5, "percentile")]
)
def test_interval_refuses_what_is_no_interval(prob: float, kind: str) -> None:
    with pytest.raises(ValueError, match="must"):
        interval(np.arange(10.0), prob, kind)  # type: ignore[arg-type]


def test_values_must_be_finite() -> None:
    with pytest.raises(ValueError, match="finite"):
        eti(np.array([1.0, np.nan]), 0.9)
    with pytest.raises(ValueError, match="finite"):
        eti(np.array([1.0, np.inf]), 0.9, np.array([0.5, 0.5]))
    # A node without weight may hold anything.
    assert eti(np.array([1.0, np.nan]), 0.9, np.array([1.0, 0.0])).lower == 1.0
