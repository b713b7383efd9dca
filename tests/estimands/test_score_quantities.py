"""Quantities of scores: closed forms, numbers by hand, bounds and symmetries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from made_score_fits import LEVELS, ordinal_fit
from scipy.special import expit
from scipy.stats import wasserstein_distance

from judgestats.estimands.scores.asymmetry import asymmetry
from judgestats.estimands.scores.cohens_d import cohens_d
from judgestats.estimands.scores.cohens_dz import cohens_dz
from judgestats.estimands.scores.cue_aggregate import aggregates, cue_aggregate
from judgestats.estimands.scores.drop import drop
from judgestats.estimands.scores.heterogeneity import heterogeneity
from judgestats.estimands.scores.independent_noise import independent_noise
from judgestats.estimands.scores.range_share import cue_rank, range_share
from judgestats.estimands.scores.score_bounds import score_worst_case_high, score_worst_case_low
from judgestats.estimands.scores.score_shift import mean_score, score_shift
from judgestats.estimands.scores.spread_shift import score_sd, spread_shift
from judgestats.estimands.scores.wasserstein1 import wasserstein1
from judgestats.inference.quadrature import standard_normal_nodes
from judgestats.trials.variant import Variant

POINTS = np.array([1.0, 1.5, 2.0, 2.5, 3.0, 3.5])
WEIGHTS = arrays(np.float64, (2, 6), elements=st.floats(0.0, 1.0)).filter(lambda w: bool((w.sum(axis=1) > 1e-3).all()))


@given(WEIGHTS)
@settings(deadline=None)
def test_wasserstein_bounds_the_shift_and_is_scipys(weights: np.ndarray) -> None:
    base, variant = weights / weights.sum(axis=1, keepdims=True)
    shift, distance = score_shift(base, variant, POINTS), wasserstein1(base, variant, POINTS)
    assert distance >= abs(shift)  # exactly: both add the same terms in the same order
    assert shift == pytest.approx(variant @ POINTS - base @ POINTS, abs=1e-12)
    assert distance == pytest.approx(wasserstein_distance(POINTS, POINTS, base, variant), abs=1e-12)


@given(WEIGHTS)
@settings(deadline=None)
def test_reversing_the_scale_negates_shifts_only(weights: np.ndarray) -> None:
    base, variant = weights / weights.sum(axis=1, keepdims=True)
    for function, sign in ((score_shift, -1.0), (spread_shift, 1.0), (wasserstein1, 1.0)):
        plain, mirrored = function(base, variant, POINTS), function(base[::-1], variant[::-1], POINTS)
        assert mirrored == pytest.approx(sign * plain, abs=1e-7)


def test_two_points_by_hand() -> None:
    # Scores 1 and 3: base (.5, .5), variant (.2, .8). Means 2 and 2.6; sds 1 and 2 sqrt(.16) = .8.
    points, base, variant = np.array([1.0, 3.0]), np.array([0.5, 0.5]), np.array([0.2, 0.8])
    assert mean_score(variant, points) == pytest.approx(2.6)
    assert score_sd(variant, points) == pytest.approx(0.8)
    assert score_shift(base, variant, points) == pytest.approx(0.6)
    assert wasserstein1(base, variant, points) == pytest.approx(0.6)
    assert spread_shift(base, variant, points) == pytest.approx(-0.2)
    assert cohens_d(base, variant, points) == pytest.approx(0.6 / np.sqrt((1.0 + 0.64) / 2.0))


def test_a_distribution_without_spread_has_no_standardised_effect() -> None:
    certain = np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]])
    points = np.array([1.0, 2.0, 3.0])
    d = cohens_d(certain, certain, points)
    assert np.isnan(d[0])
    assert d[1] == 0.0
    assert np.isnan(cohens_dz(certain, points)[0])


def test_differences_by_hand() -> None:
    # -2: .1, -1: .2, 0: .4, 1: .3. Mean -.1; E(d^2) = .4 + .2 + .3 = .9, sd sqrt(.89).
    p, steps = np.array([0.1, 0.2, 0.4, 0.3]), np.array([-2.0, -1.0, 0.0, 1.0])
    assert drop(p, steps, 1.0) == pytest.approx(0.3)
    assert drop(p, steps, 2.0) == pytest.approx(0.1)
    assert cohens_dz(p, steps) == pytest.approx(-0.1 / np.sqrt(0.89))
    # On half steps a drop of one point is two steps.
    assert drop(p, 0.5 * steps, 1.0) == pytest.approx(0.1)
    assert drop(p, 0.5 * steps, 2.0) == 0.0


def test_bounds_by_hand() -> None:
    # V_b = .9, V_v = .8, m_b = 6, m_v = 5 on 1 to 10: low (4 + .2) - (5.4 + 1) = -2.2; high (4 + 2) - (5.4 + .1) = .5.
    valid = np.array([[0.9]]), np.array([[0.8]])
    mean = np.array([[6.0]]), np.array([[5.0]])
    assert score_worst_case_low(valid, mean, (1.0, 10.0)) == pytest.approx(-2.2)
    assert score_worst_case_high(valid, mean, (1.0, 10.0)) == pytest.approx(0.5)
    whole = np.ones((1, 1)), np.ones((1, 1))
    assert score_worst_case_low(whole, mean, (1.0, 10.0)) == score_worst_case_high(whole, mean, (1.0, 10.0)) == -1.0


def test_combinations_by_hand() -> None:
    up, down = np.array([[0.5, 1.0]]), np.array([[-0.75, -1.0]])
    np.testing.assert_allclose(asymmetry(up, down), [[-0.25, 0.0]])
    np.testing.assert_allclose(cue_aggregate([up, down]), [[-0.125, 0.0]])
    # Two judges: sd = |difference| / sqrt(2).
    np.testing.assert_allclose(heterogeneity([up, down]), np.array([[1.25, 2.0]]) / np.sqrt(2.0))
    np.testing.assert_allclose(range_share(up, 4.0), [[0.125, 0.25]])
    np.testing.assert_allclose(cue_rank(np.stack([up, down, 0 * up])), [[[2.0, 1.5]], [[1.0, 1.5]], [[3.0, 3.0]]])
    with pytest.raises(ValueError, match="two judges"):
        heterogeneity([up])
    with pytest.raises(ValueError, match="at least one cue"):
        cue_aggregate([])


def test_aggregates_of_the_full_design() -> None:
    cues = ("authority", "bandwagon", "diversity", "distraction", "style", "verbosity", "version")
    variants = [Variant(), Variant("note", "pos"), *(Variant(c, p) for c in cues for p in ("neg", "pos"))]
    found = aggregates(variants, placebo=("note",))
    assert list(found) == ["positive-7", "positive-5", "negative-7"]
    assert {v.cue for v in found["positive-7"]} == {v.cue for v in found["negative-7"]} == set(cues)
    assert {v.cue for v in found["positive-5"]} == set(cues) - {"bandwagon", "diversity"}
    assert aggregates([Variant(), Variant("style", "pos")]) == {}


def test_independent_noise_against_a_direct_sum() -> None:
    fit = ordinal_fit()
    points = 0.5 * np.arange(LEVELS)
    found = independent_noise(fit, points)
    z, w = standard_normal_nodes(401)
    c, d, cell, variant = 1, 12, 2, 3
    p = fit.posterior
    u = p["sigma_item"].values[c, d, cell] * z

    def levels(v: int) -> np.ndarray:
        cut = p["threshold"].values[c, d, cell] - p["effect"].values[c, d, cell, v]
        below = expit(cut[:, None] - u)
        return np.diff(np.vstack([0 * u, below, 1 + 0 * u]), axis=0)  # dims (level, node)

    base, other = levels(0), levels(variant)
    joint = np.einsum("bq,vq,q->bv", base, other, w)
    difference = points[None, :] - points[:, None]
    for by in (1.0, 2.0):
        expected = joint[difference <= -by + 1e-9].sum()
        assert float(found[f"drop_{by:.0f}"][c, d, cell, variant]) == pytest.approx(expected, abs=1e-8)
    mean = (joint * difference).sum()
    sd = np.sqrt((joint * difference**2).sum() - mean**2)
    assert float(found["cohens_dz"][c, d, cell, variant]) == pytest.approx(mean / sd, abs=1e-7)
    within = np.array([(points**2 @ other) - (points @ other) ** 2]) @ w
    assert float(found["instability"][c, d, cell, variant]) == pytest.approx(np.sqrt(within[0]), abs=1e-7)
