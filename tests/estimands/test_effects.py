"""Effects: hand-worked cases, mirror images under a block swap, and ranges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgestats.errors import ConfigError
from judgestats.estimands.average import average_observed, new_domain_coefficient
from judgestats.estimands.catalog import ESTIMANDS, estimand
from judgestats.estimands.contrast import contrast
from judgestats.estimands.delta_p import delta_p
from judgestats.estimands.delta_p_naive import delta_p_naive
from judgestats.estimands.error_ratio import error_ratio
from judgestats.estimands.log_odds import log_odds
from judgestats.estimands.probabilities import BlockProbabilities
from judgestats.estimands.rank import rank, rank_probabilities
from judgestats.estimands.valid_and_consistent import valid_and_consistent
from judgestats.estimands.validity_difference import validity_difference
from judgestats.estimands.worst_case import worst_case_high, worst_case_low

inner = st.floats(1e-4, 1 - 1e-4)


def blocks(congruent: float, incongruent: float) -> BlockProbabilities:
    return BlockProbabilities(np.array([congruent]), np.array([incongruent]))


def test_worst_case_by_hand() -> None:
    """.97 and .93 consistent, 30 % lost in both blocks: .679 + .3 - .651 = .328 and .679 - (.651 + .3) = -.272."""
    valid, consistent = blocks(0.7, 0.7), blocks(0.97, 0.93)
    both = valid_and_consistent(valid, consistent)
    assert worst_case_high(valid, both)[0] == pytest.approx(0.328, abs=1e-12)
    assert worst_case_low(valid, both)[0] == pytest.approx(-0.272, abs=1e-12)
    assert delta_p(consistent)[0] == pytest.approx(0.04, abs=1e-12)
    assert delta_p_naive(both)[0] == pytest.approx(0.7 * 0.04, abs=1e-12)


def test_one_and_seven_errors_of_eighty() -> None:
    """1/80 against 7/80: 7.5 points, ratio 7, log odds ratio log(79/1) - log(73/7)."""
    p = blocks(79 / 80, 73 / 80)
    assert delta_p(p)[0] == pytest.approx(0.075, abs=1e-12)
    assert error_ratio(p)[0] == pytest.approx(7.0, rel=1e-12)
    assert log_odds(p)[0] == pytest.approx(np.log(79) - np.log(73 / 7), abs=1e-12)


def test_random_refusal_is_not_bias_and_one_sided_refusal_shows() -> None:
    random = valid_and_consistent(blocks(0.4, 0.4), blocks(0.9, 0.9))
    assert delta_p_naive(random)[0] == pytest.approx(0.0, abs=1e-15)
    one_sided = valid_and_consistent(blocks(1.0, 0.7), blocks(0.9, 0.9))
    assert delta_p(blocks(0.9, 0.9))[0] == 0.0
    assert delta_p_naive(one_sided)[0] == pytest.approx(0.27, abs=1e-12)
    assert validity_difference(blocks(1.0, 0.7))[0] == pytest.approx(0.3, abs=1e-12)


@settings(deadline=None)
@given(inner, inner, inner, inner)
def test_swapping_blocks_mirrors_everything(v_c: float, v_i: float, c_c: float, c_i: float) -> None:
    valid, consistent = blocks(v_c, v_i), blocks(c_c, c_i)
    both = valid_and_consistent(valid, consistent)
    valid_, consistent_, both_ = valid.swapped(), consistent.swapped(), both.swapped()
    for function in (delta_p, log_odds, validity_difference):
        assert function(consistent_) == pytest.approx(-function(consistent), abs=1e-12)
    assert error_ratio(consistent_) == pytest.approx(1 / error_ratio(consistent), rel=1e-12)
    assert worst_case_low(valid_, both_) == pytest.approx(-worst_case_high(valid, both), abs=1e-12)
    assert worst_case_high(valid_, both_) == pytest.approx(-worst_case_low(valid, both), abs=1e-12)


@settings(deadline=None)
@given(inner, inner, inner, inner)
def test_bounds_hold_every_way_of_filling_in_the_lost(v_c: float, v_i: float, c_c: float, c_i: float) -> None:
    valid, consistent = blocks(v_c, v_i), blocks(c_c, c_i)
    both = valid_and_consistent(valid, consistent)
    low, high = worst_case_low(valid, both)[0], worst_case_high(valid, both)[0]
    # Lost answers consistent with any probability q in each block.
    for q_c in (0.0, 0.4, 1.0):
        for q_i in (0.0, 0.7, 1.0):
            filled = (v_c * c_c + (1 - v_c) * q_c) - (v_i * c_i + (1 - v_i) * q_i)
            assert low - 1e-12 <= filled <= high + 1e-12
    assert high - low == pytest.approx((1 - v_c) + (1 - v_i), abs=1e-12)
    for name, value in (("worst_case_low", low), ("worst_case_high", high), ("delta_p", delta_p(consistent)[0])):
        assert ESTIMANDS[name].lowest <= value <= ESTIMANDS[name].highest


@settings(deadline=None)
@given(st.integers(2, 6), st.integers(1, 20), st.integers(0, 2**31))
def test_ranks_add_up_and_follow_the_effects(judges: int, size: int, seed: int) -> None:
    effects = np.random.default_rng(seed).integers(-3, 4, (judges, 1, size)).astype(float)
    ranks = rank(effects)
    assert ranks.sum(axis=0) == pytest.approx(np.full((1, size), judges * (judges + 1) / 2))
    # Brute force: one plus how many are larger, plus half of those equal.
    larger = (effects[None] > effects[:, None]).sum(axis=1)
    equal = (effects[None] == effects[:, None]).sum(axis=1) - 1
    assert ranks == pytest.approx(1 + larger + equal / 2)
    shares = rank_probabilities(ranks)
    assert shares.sum(axis=0) == pytest.approx(np.ones(judges))
    assert shares.sum(axis=1) == pytest.approx(np.ones(judges))
    # The mean rank is the mean over the places.
    assert shares @ np.arange(1, judges + 1) == pytest.approx(ranks.mean(axis=(1, 2)))


def test_contrasts_and_averages() -> None:
    first, second = np.array([[0.1, 0.3]]), np.array([[0.0, 0.5]])
    assert contrast(first, second) == pytest.approx(np.array([[0.1, -0.2]]))
    assert contrast(second, first) == pytest.approx(-contrast(first, second))
    assert average_observed([first, second]) == pytest.approx(np.array([[0.05, 0.4]]))
    with pytest.raises(ValueError, match="at least one"):
        average_observed([])


def test_a_new_domain_adds_the_variance_of_its_deviations() -> None:
    """Variance over draws: tau_domain^2 + tau_cell^2 = .25 + .04; standard error of it .29 sqrt(2 / 40000)."""
    zero = np.zeros((4, 10_000))
    scales = {"tau_beta_domain": zero + 0.5, "tau_beta_cell": zero + 0.2}
    found = new_domain_coefficient(zero + 1.0, zero + 0.3, scales, np.random.default_rng(3))
    assert found.mean() == pytest.approx(1.3, abs=4 * np.sqrt(0.29 / 40_000))
    assert found.var() == pytest.approx(0.29, abs=4 * 0.29 * np.sqrt(2 / 40_000))


def test_catalog_names_near_matches() -> None:
    with pytest.raises(ConfigError, match="delta_p"):
        estimand("delta_q")
    assert estimand("validity", of_blocks=True).signed
    assert not estimand("validity").signed
