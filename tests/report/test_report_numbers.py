from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgestats.report.numbers import (
    NOTHING,
    as_given,
    count,
    credible_interval,
    decimals,
    fixed,
    p_value,
    percent,
    probability,
    significant,
)

finite = st.floats(-1e6, 1e6, allow_nan=False)


@pytest.mark.parametrize(
    ("sd", "mcse", "places"),
    [
        (0.037, 2e-5, 3),  # two digits of the sd
        (0.37, 2e-5, 2),
        (1.2, 1e-3, 1),
        (0.0086, 2e-5, 3),  # three are enough from 0.003 on
        (0.0021, 2e-5, 4),
        (0.037, 0.004, 2),  # a digit below the MCSE would be noise: 0.001 < 0.004
        (0.037, 0.02, 1),
        (0.037, 0.0009, 3),
        (0.037, 0.001, 3),
        (0.037, None, 3),
        (0.037, 0.0, 3),
        (None, None, 3),
        (float("nan"), float("nan"), 3),
        (40.0, None, 0),
        (1e-9, None, 4),
    ],
)
def test_decimals_follow_sd_and_mcse(sd, mcse, places):
    assert decimals(sd, mcse) == places


@given(st.floats(1e-6, 1e3), st.floats(1e-8, 1e2))
def test_no_printed_digit_lies_below_the_mcse(sd, mcse):
    places = decimals(sd, mcse)
    assert places == 0 or 10.0**-places >= mcse * (1 - 1e-12)


@given(finite, st.integers(0, 4))
def test_rounding_is_to_the_nearest_and_zero_has_no_sign(value, places):
    number = fixed(value, places)
    assert number.value == value
    assert abs(float(number.text) - value) <= 0.5 * 10.0**-places + 1e-9 * abs(value)
    assert not (float(number.text) == 0 and number.text.startswith("-"))


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("make", [lambda v: fixed(v, 3), probability, p_value, count, significant, as_given])
def test_what_is_no_number_is_printed_as_absent(value, make):
    assert make(value) == NOTHING


def test_probabilities_never_read_as_certain():
    assert probability(0.0).text == "<0.001"
    assert probability(1.0).text == ">0.999"
    assert probability(0.9994).text == ">0.999"
    assert probability(0.95).text == "0.950"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1 / 1001, "0.0010"), (0.0704, "0.070"), (0.35, "0.350"), (1 / 10001, "0.00010"), (1.0, "1.000")],
)
def test_p_values(value, text):
    assert p_value(value).text == text


@given(st.floats(1e-7, 1))
def test_p_is_never_printed_as_zero(value):
    assert float(p_value(value).text) > 0
    assert math.isclose(float(p_value(value).text), value, rel_tol=0.06)


def test_percent_hides_no_trial():
    assert percent(0, 80).text == "0 %"
    assert percent(24, 80).text == "30 %"
    assert percent(1, 80).text == "1.2 %"
    assert percent(1, 100_000).text == "<0.1 %"
    assert percent(99_999, 100_000).text == ">99.9 %"
    assert percent(0, 0) == NOTHING


def test_interval_says_probability_and_kind():
    text = credible_interval(fixed(0.026, 3), fixed(0.173, 3), 0.95, "eti")
    assert text == "95 % CrI [0.026, 0.173] (equal-tailed)"
    assert credible_interval(fixed(0.1, 1), fixed(0.2, 1), 0.9, "hdi") == "90 % CrI [0.1, 0.2] (highest density)"
