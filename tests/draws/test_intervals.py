"""Intervals against closed forms of Exp(1) and under mirroring."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgestats.draws.intervals import distribution, eti, hdi, interval, quantiles

# Exp(1) has quantile function -log(1 - p). Its equal-tailed interval of probability q is
# [-log(1 - (1-q)/2), -log((1-q)/2)]; its density falls, so its highest-density interval is [0, -log(1 - q)].
PROB = 0.89
EXACT_ETI = (-np.log(1 - 0.055), -np.log(0.055))
EXACT_HDI = (0.0, -np.log(1 - 0.89))


def exponential_draws(size: int) -> np.ndarray:
    """Exact quantiles at mid-ranks: draws without Monte Carlo noise."""
    return -np.log(1 - (np.arange(size) + 0.5) / size)


def test_draws_of_an_exponential() -> None:
    draws = exponential_draws(40_000).reshape(4, -1)
    found_eti, found_hdi = eti(draws, PROB), hdi(draws, PROB)
    assert (found_eti.lower, found_eti.upper) == pytest.approx(EXACT_ETI, abs=1e-3)
    assert (found_hdi.lower, found_hdi.upper) == pytest.approx(EXACT_HDI, abs=3e-3)


def test_the_two_kinds_differ_on_a_skewed_case() -> None:
    draws = exponential_draws(4_000)
    assert hdi(draws, PROB).upper < eti(draws, PROB).upper - 0.5
    assert hdi(draws, PROB).lower < eti(draws, PROB).lower - 0.05


finite = st.floats(-5, 5).map(lambda x: round(x, 6))
some = st.lists(finite, min_size=2, max_size=60).map(np.array)


@settings(deadline=None)
@given(some, st.floats(0.02, 0.98))
def test_quantiles_mirror(values: np.ndarray, prob: float) -> None:
    assert quantiles(values, prob) == pytest.approx(-quantiles(-values, 1 - prob), abs=1e-9)


@settings(deadline=None)
@given(some, finite)
def test_shares_below_and_above_add_to_one(values: np.ndarray, threshold: float) -> None:
    assert distribution(values, threshold) + distribution(-values, -threshold) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("prob", "kind"), [(0.0, "eti"), (1.0, "eti"), (-0.1, "hdi"), (0.5, "ETI"), (0.5, "percentile")]
)
def test_interval_refuses_what_is_no_interval(prob: float, kind: str) -> None:
    with pytest.raises(ValueError, match="must"):
        interval(np.arange(10.0), prob, kind)  # type: ignore[arg-type]


def test_values_must_be_finite() -> None:
    with pytest.raises(ValueError, match="finite"):
        eti(np.array([1.0, np.nan]), 0.9)
