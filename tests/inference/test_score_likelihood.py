"""The collapsed likelihoods of scores against trial-by-trial likelihoods integrated by an adaptive rule."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import expit
from score_tables import score_rows_of

from judgestats.inference.families.cumulative_logit import level_log_probability
from judgestats.inference.families.rounded_t import allowed_differences, difference_log_probability
from judgestats.inference.score_block import score_blocks, zero_sum_contrast
from judgestats.inference.score_density import cell_log_likelihood
from judgestats.inference.score_patterns import collapse_items
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions

ORDINAL = load_model("two_stage_ordinal", ModelOptions(), ())
PAIRED = load_model("two_stage_shift", ModelOptions(), ())
THRESHOLD, EFFECT, SIGMA = np.array([-1.3, 0.2, 0.9]), np.array([0.0, -0.8, 1.1]), 0.7
LEVELS = [
    (0, 0, 0, 1, 1),
    (0, 0, 1, 0, 1),
    (0, 0, 2, 3, 2),
    (0, 1, 0, 2, 1),
    (0, 2, 0, 2, 1),
    (0, 3, 1, 1, 1),
    (0, 3, 2, 3, 1),
]
PAIRS = [(0, 0, 1, 2, -1, 1), (0, 0, 2, 2, 1, 1), (0, 1, 1, 0, 3, 1), (0, 2, 2, 3, -2, 2), (0, 3, 2, 1, 2, 1)]


def counts_of(stage, rows):
    return {name: array[0] for name, array in score_blocks(stage, rows)[0].data["cell"].items()}


def brute_force(rows, probability, sigma):
    """Sum over items of log integral N(u; 0, sigma) prod P(row | u)^count du, row by row."""
    total = 0.0
    for item in np.unique(rows.item):
        mine = np.flatnonzero(rows.item == item)

        def integrand(u, mine=mine):
            return stats.norm.pdf(u, 0, sigma) * np.prod([probability(r, u) ** rows.count[r] for r in mine])

        value, _ = integrate.quad(integrand, -9 * sigma, 9 * sigma, epsabs=1e-15, epsrel=1e-11, limit=300, points=[0.0])
        total += np.log(value)
    return total


def level_probability(rows, threshold=THRESHOLD, effect=EFFECT):
    cuts = np.concatenate([[-np.inf], threshold, [np.inf]])

    def probability(r, u):
        eta = effect[rows.variant[r]] + u
        return expit(cuts[rows.outcome[r] + 1] - eta) - expit(cuts[rows.outcome[r]] - eta)

    return probability


def test_levels_agree_with_the_integral_item_by_item():
    rows = score_rows_of(LEVELS, outcomes=4)
    values = {"threshold": THRESHOLD, "effect": EFFECT, "sigma_item": SIGMA}
    ours = cell_log_likelihood("cumulative_logit", values, counts_of(ORDINAL.stage("shift"), rows), 61)
    assert ours == pytest.approx(brute_force(rows, level_probability(rows), SIGMA), abs=1e-8)


def test_two_levels_are_the_bernoulli_logit():
    rows = score_rows_of([(0, 0, 0, 1, 3), (0, 0, 1, 0, 1), (0, 1, 2, 1, 1)], outcomes=2, stage="validity")
    alpha = 0.6
    values = {"threshold": np.array([-alpha]), "effect": EFFECT, "sigma_item": SIGMA}
    ours = cell_log_likelihood("bernoulli_logit", values, counts_of(ORDINAL.stage("validity"), rows), 61)

    def probability(r, u):
        p = expit(alpha + EFFECT[rows.variant[r]] + u)
        return p if rows.outcome[r] else 1 - p

    assert ours == pytest.approx(brute_force(rows, probability, SIGMA), abs=1e-8)


def test_differences_agree_with_the_integral_of_the_rounded_truncated_t():
    rows = score_rows_of(PAIRS, outcomes=4)
    scale, nu, effect = np.array([1.0, 0.8, 1.5]), 4.0, np.array([0.0, -0.6, 0.9])
    values = {"effect": effect, "scale": scale, "nu": nu, "sigma_item": SIGMA}
    ours = cell_log_likelihood("rounded_t", values, counts_of(PAIRED.stage("shift"), rows), 61)

    def probability(r, u):
        law = stats.t(nu, effect[rows.variant[r]] + u, scale[rows.variant[r]])
        mass = {d: law.cdf(d + 0.5) - law.cdf(d - 0.5) for d in range(-3, 4)}
        # The base is a level index: what is above and below it on the scale bounds the difference.
        return mass[int(rows.outcome[r])] / sum(mass[d] for d in range(-rows.base[r], 4 - rows.base[r]) if d)

    assert ours == pytest.approx(brute_force(rows, probability, SIGMA), abs=1e-6)


def test_levels_far_in_the_tails_keep_their_digits():
    # F(41) - F(40) = e^-40 (1 - e^-1) to one part in e^-40, and by symmetry on the other side.
    expected = -40 + np.log1p(-np.exp(-1.0))
    assert level_log_probability([40.0, 41.0], 0.0)[1] == pytest.approx(expected, rel=1e-14)
    assert level_log_probability([-41.0, -40.0], 0.0)[1] == pytest.approx(expected, rel=1e-14)
    # log F(-40) = -40 - log(1 + e^-40)
    assert level_log_probability([-40.0, 40.0], 0.0) == pytest.approx([-40.0, -2 * np.exp(-40.0), -40.0], rel=1e-12)
    assert level_log_probability([700.0], 0.0) == pytest.approx([-np.exp(-700.0), -700.0], rel=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-6, 6), min_size=2, max_size=9, unique=True), st.floats(-6, 6))
def test_level_probabilities_add_to_one(cuts, eta):
    assert np.exp(level_log_probability(np.sort(cuts), eta)).sum() == pytest.approx(1.0, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.floats(-8, 8), st.floats(0.3, 6), st.floats(2, 60))
def test_difference_probabilities_are_those_of_scipy(location, scale, nu):
    mass, total = difference_log_probability(np.array(location), np.array(scale), nu, 10)
    law, d = stats.t(nu, location, scale), np.arange(-9, 10)
    # Of two distribution functions, the difference of the smaller tails keeps its digits.
    expected = np.where(d < location, law.cdf(d + 0.5) - law.cdf(d - 0.5), law.sf(d - 0.5) - law.sf(d + 0.5))
    allowed = allowed_differences(10)
    for base in range(10):
        share = expected[allowed[base]] / expected[allowed[base]].sum()
        assert np.exp(mass - total[base])[allowed[base]] == pytest.approx(share, abs=1e-4)


def test_what_a_base_score_allows():
    allowed = allowed_differences(3)
    # Dims (base, difference -2 .. 2): from the lowest level only up, from the highest only down, never 0.
    assert allowed.tolist() == [
        [False, False, False, True, True],
        [False, True, False, True, False],
        [True, True, False, False, False],
    ]


def test_equal_items_are_one_pattern_and_names_do_not_matter():
    rows = score_rows_of(LEVELS, outcomes=4)
    patterns = collapse_items(rows, True)
    assert sorted(patterns.count.tolist()) == [1, 1, 2]  # items 1 and 2 gave the same answer
    renamed = score_rows_of([(c, 3 - i, v, k, n) for c, i, v, k, n in LEVELS], outcomes=4)
    other = collapse_items(renamed, True)
    for name in ("pattern", "variant", "outcome", "trials", "count"):
        assert np.array_equal(getattr(patterns, name), getattr(other, name))


def test_without_item_effects_rows_are_counts():
    rows = score_rows_of(LEVELS, outcomes=4)
    patterns = collapse_items(rows, False)
    assert patterns.count.tolist() == [1]
    assert patterns.trials.sum() == rows.count.sum()
    stage = replace(ORDINAL.stage("shift"), terms=ORDINAL.stage("shift").terms[:2])
    values = {"threshold": THRESHOLD, "effect": EFFECT, "sigma_item": 0.0}
    ours = cell_log_likelihood("cumulative_logit", values, counts_of(stage, rows), 1)
    probability = level_probability(rows)
    expected = sum(n * np.log(probability(r, 0.0)) for r, n in enumerate(rows.count))
    assert ours == pytest.approx(expected, rel=1e-12)


def test_reversing_the_levels_mirrors_thresholds_and_effects():
    rows = score_rows_of(LEVELS, outcomes=4)
    mirrored = score_rows_of([(c, i, v, 3 - k, n) for c, i, v, k, n in LEVELS], outcomes=4)
    stage = ORDINAL.stage("shift")
    one = {"threshold": THRESHOLD, "effect": EFFECT, "sigma_item": SIGMA}
    other = {"threshold": -THRESHOLD[::-1], "effect": -EFFECT, "sigma_item": SIGMA}
    assert cell_log_likelihood("cumulative_logit", one, counts_of(stage, rows), 61) == pytest.approx(
        cell_log_likelihood("cumulative_logit", other, counts_of(stage, mirrored), 61), abs=1e-10
    )


@pytest.mark.parametrize("present", list(itertools.product([False, True], repeat=4))[1:])
def test_zero_sum_contrast_is_orthonormal_over_the_variants_present(present):
    contrast = zero_sum_contrast(np.array(present))
    number = sum(present)
    assert contrast.sum(axis=0) == pytest.approx(0.0, abs=1e-12)
    assert np.abs(contrast[~np.array(present)]).max(initial=0.0) == 0.0
    assert contrast.T @ contrast == pytest.approx(np.diag([1.0] * (number - 1) + [0.0] * (4 - number)), abs=1e-12)
