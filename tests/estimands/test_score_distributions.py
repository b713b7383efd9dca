"""Predictive distributions of scores and of paired differences against direct sums, closed forms and symmetry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_score_fits import LEVELS, bernoulli_fit, difference_fit, ordinal_fit
from scipy.special import expit, stdtr
from scipy.stats import norm

from judgestats.estimands.scores.differences import base_levels, difference_probabilities
from judgestats.estimands.scores.levels import level_probabilities
from judgestats.estimands.scores.student_t import StudentT
from judgestats.estimands.scores.unmoved import with_prior_where_unmoved
from judgestats.estimands.scores.validity_probabilities import bernoulli_probabilities
from judgestats.inference.families.rounded_t import allowed_differences, difference_log_probability
from judgestats.inference.quadrature import standard_normal_nodes
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term

BASE = np.array([1, 2, 4, 2, 1])
Z, WEIGHT = standard_normal_nodes(801)


def test_levels_are_differences_of_logistic_normal_integrals() -> None:
    fit = ordinal_fit()
    found = level_probabilities(fit)
    assert found.dims == ("chain", "draw", "cell", "variant", "level")
    np.testing.assert_allclose(found.sum("level"), 1.0, atol=1e-12)
    p = fit.posterior
    for c, d, cell, variant in [(0, 0, 0, 0), (1, 7, 2, 3)]:
        cut = p["threshold"].values[c, d, cell] - p["effect"].values[c, d, cell, variant]
        below = expit(cut[:, None] - p["sigma_item"].values[c, d, cell] * Z) @ WEIGHT
        np.testing.assert_allclose(found[c, d, cell, variant], np.diff([0.0, *below, 1.0]), atol=2e-8)


def test_typical_item_has_no_item_effect() -> None:
    fit = ordinal_fit()
    found = level_probabilities(fit, version="typical_item")[0, 3, 1, 4]
    cut = fit.posterior["threshold"].values[0, 3, 1] - fit.posterior["effect"].values[0, 3, 1, 4]
    np.testing.assert_allclose(found, np.diff([0.0, *expit(cut), 1.0]), atol=1e-14)
    with pytest.raises(ValueError, match="version"):
        level_probabilities(fit, version="conditional")


def test_levels_far_in_a_tail_keep_their_digits() -> None:
    # With u = 0 and cuts 40 and 41 the level between them has probability expit(-40) - expit(-41)
    # = e^-40 (1 - e^-1) (1 + O(e^-40)); a difference of numbers near 1 would give 0.
    fit = ordinal_fit()
    fit.posterior["threshold"][:] = np.array([-1.0, 1.0, 40.0, 41.0])
    found = level_probabilities(fit, version="typical_item").values[..., 0, 3]
    np.testing.assert_allclose(found, np.exp(-40.0) * -np.expm1(-1.0), rtol=1e-12)


def test_a_variant_without_trials_has_no_distribution() -> None:
    fit = ordinal_fit()
    fit.posterior["effect"][:, :, 1, 2] = np.nan
    found = level_probabilities(fit)
    assert np.isnan(found.values[:, :, 1, 2]).all()
    assert np.isfinite(found.values[:, :, 1, 3]).all()


def test_bernoulli_probabilities_are_logistic_normal_integrals() -> None:
    fit = bernoulli_fit("validity")
    found = bernoulli_probabilities(fit)
    p = fit.posterior
    eta = float(p["alpha"][1, 9, 2] + p["effect"][1, 9, 2, 4])
    assert float(found[1, 9, 2, 4]) == pytest.approx(
        expit(eta + float(p["sigma_item"][1, 9, 2]) * Z) @ WEIGHT, abs=1e-8
    )
    typical = bernoulli_probabilities(fit, version="typical_item")
    assert float(typical[1, 9, 2, 4]) == pytest.approx(expit(eta), abs=1e-12)


def test_student_t_is_scipys() -> None:
    rng = np.random.default_rng(3)
    nu = rng.uniform(2.0, 60.0, 200)
    x = rng.normal(0.0, 6.0, (200, 40))
    np.testing.assert_allclose(StudentT(nu).cdf(x, slice(0, 200)), stdtr(nu[:, None], x), atol=2e-6)
    assert StudentT(np.full(3, 5.0)).cdf(np.array([[0.0], [1.0], [-1e9]]), slice(0, 3)) == pytest.approx(
        np.array([[0.5], [stdtr(5.0, 1.0)], [0.0]]), abs=1e-9
    )


@pytest.mark.parametrize("sigma", [0.05, 0.6, 2.0])
def test_differences_are_truncated_rounded_t_with_a_hurdle_at_zero(sigma: float) -> None:
    moved, shift = bernoulli_fit("moved", base=BASE), difference_fit(BASE, sigma=sigma)
    found = difference_probabilities(moved, shift)
    np.testing.assert_allclose(found["p_difference"].sum("difference"), 1.0, atol=1e-12)
    chance = bernoulli_probabilities(moved)
    for at in [(0, 0, 0, 1), (1, 30, 2, 5)]:
        difference, level = direct(shift, float(chance[at]), at)
        np.testing.assert_allclose(found["p_difference"][at], difference, atol=1e-4)
        np.testing.assert_allclose(found["p_level"][at], level, atol=1e-4)
        # E(score) - E(base) is the mean difference: the same pairs seen twice.
        mean = float(found["p_difference"][at] @ found["difference"])
        gap = (found["p_level"][at].values - found["p_base"].values[at[2:]]) @ np.arange(LEVELS)
        assert mean == pytest.approx(gap, abs=1e-12)
    assert (found["p_difference"].sel(difference=0).values[:, :, :, 0] == 1.0).all()


def direct(shift, chance: float, at: tuple[int, int, int, int]):
    """Sum over base scores and 801 nodes, one difference at a time."""
    p = shift.posterior
    nu, sigma = float(p["nu"][at[:3]]), float(p["sigma_item"][at[:3]])
    centre, scale = float(p["effect"][at]) + sigma * Z, float(p["scale"][at])
    difference, level = np.zeros(2 * LEVELS - 1), np.zeros(LEVELS)
    for b, share in enumerate(BASE / BASE.sum()):
        allowed = [j for j in range(-b, LEVELS - b) if j]
        mass = np.stack(
            [stdtr(nu, (j + 0.5 - centre) / scale) - stdtr(nu, (j - 0.5 - centre) / scale) for j in allowed]
        )
        given = chance * share * (mass / mass.sum(axis=0)) @ WEIGHT
        level[b] += share * (1.0 - chance)
        for j, q in zip(allowed, given, strict=True):
            difference[j + LEVELS - 1] += q
            level[b + j] += q
    difference[LEVELS - 1] = 1.0 - chance
    return difference, level


def test_many_degrees_of_freedom_are_the_normal() -> None:
    # nu = 1e6, sigma_item = 0, one base level 2 of 0..4: P(d) is proportional to Phi((d + .5 - l)/s) - Phi((d - .5 - l)/s).
    base = np.array([0, 0, 5, 0, 0])
    moved, shift = bernoulli_fit("moved", base=base), difference_fit(base)
    shift.posterior["nu"][:] = 1e6
    shift.posterior["sigma_item"][:] = 0.0
    found = difference_probabilities(moved, shift)["p_difference"].values[0, 0, 0, 1]
    location, scale = float(shift.posterior["effect"][0, 0, 0, 1]), float(shift.posterior["scale"][0, 0, 0, 1])
    d = np.array([-2, -1, 1, 2])
    mass = norm.cdf((d + 0.5 - location) / scale) - norm.cdf((d - 0.5 - location) / scale)
    chance = float(bernoulli_probabilities(moved)[0, 0, 0, 1])
    np.testing.assert_allclose(found[d + LEVELS - 1], chance * mass / mass.sum(), atol=1e-5)
    assert found[[0, 1, -1, -2]] == pytest.approx(0.0, abs=1e-15)


def test_a_location_that_the_base_forbids_still_gives_probabilities() -> None:
    # All base scores at the top, location 30 scales above it: only drops are allowed, and the smallest is nearest.
    base = np.array([0, 0, 0, 0, 5])
    moved, shift = bernoulli_fit("moved", base=base), difference_fit(base)
    shift.posterior["effect"][:] = 3.0
    for scale, nu in ((0.1, 100.0), (1e-3, 300.0)):
        shift.posterior["scale"][:] = scale
        shift.posterior["nu"][:] = nu
        found = difference_probabilities(moved, shift)["p_difference"].isel(variant=slice(1, None))
        np.testing.assert_allclose(found.sum("difference"), 1.0, atol=1e-12)
        assert (found.sel(difference=slice(-4, -2)).sum("difference") < found.sel(difference=-1)).all()


def test_the_distribution_is_that_of_the_likelihood() -> None:
    moved, shift = bernoulli_fit("moved", base=BASE), difference_fit(BASE)
    shift.posterior["sigma_item"][:] = 0.0
    shift.posterior["scale"][:] = 0.9
    found = difference_probabilities(moved, shift)["p_difference"].values
    chance = bernoulli_probabilities(moved).values
    for at in [(0, 4, 1, 2), (1, 0, 0, 5)]:
        location, nu = (float(shift.posterior[n][at[: 4 if n == "effect" else 3]]) for n in ("effect", "nu"))
        mass, total = difference_log_probability(location, 0.9, nu, LEVELS)
        given = np.where(allowed_differences(LEVELS), np.exp(mass - total[:, None]), 0.0)
        expected = chance[at] * (BASE / BASE.sum()) @ given
        expected[LEVELS - 1] = 1.0 - chance[at]
        # The likelihood integrates its density by 8 points a step, with errors of a log-probability below 1e-4.
        np.testing.assert_allclose(found[at], expected, atol=1e-4)


def test_base_levels_are_shares_of_the_pairs() -> None:
    rows = bernoulli_fit("moved", base=BASE).rows
    np.testing.assert_allclose(base_levels(rows)[1, 2], BASE / BASE.sum())
    assert np.isnan(base_levels(rows)[:, 0]).all()


def test_reading_the_scale_from_the_other_end_mirrors_every_distribution() -> None:
    for version in ("marginal", "typical_item"):
        found, mirrored = (level_probabilities(ordinal_fit(mirrored=m), version=version).values for m in (False, True))
        np.testing.assert_allclose(found, mirrored[..., ::-1], atol=1e-12)
    base = np.array([3, 1, 4, 1, 5])
    plain = difference_probabilities(bernoulli_fit("moved", base=base), difference_fit(base))
    other = difference_probabilities(
        bernoulli_fit("moved", base=base[::-1].copy()), difference_fit(base[::-1].copy(), mirrored=True)
    )
    for name in ("p_difference", "p_level"):
        np.testing.assert_allclose(plain[name].values, other[name].values[..., ::-1], atol=1e-9)


def test_chains_are_thinned_evenly() -> None:
    whole, thin = level_probabilities(ordinal_fit()), level_probabilities(ordinal_fit(), most=40)
    np.testing.assert_allclose(thin, whole[:, ::3])


def test_pairs_that_never_moved_leave_the_size_of_a_move_to_its_prior() -> None:
    moved, shift = bernoulli_fit("moved", base=BASE), difference_fit(BASE)
    keep = shift.rows.variant != 3
    rows = replace(
        shift.rows, **{n: getattr(shift.rows, n)[keep] for n in ("cell", "item", "variant", "outcome", "count", "base")}
    )
    for name in ("effect", "scale"):
        shift.posterior[name][..., 3] = np.nan
    shift = replace(shift, rows=rows)
    assert np.isnan(difference_probabilities(moved, shift)["p_difference"].values[..., 3, :]).all()
    filled = with_prior_where_unmoved(shift, moved, STAGE, Seed(5))
    again = with_prior_where_unmoved(shift, moved, STAGE, Seed(5))
    np.testing.assert_array_equal(filled.posterior["effect"], again.posterior["effect"])
    drawn = filled.posterior["effect"].values[..., 3]
    # 300 draws of N(0, 2): the standard error of their mean is .115, of their sd .082.
    assert abs(drawn.mean()) < 4 * 0.115
    assert abs(drawn.std() - 2.0) < 4 * 0.082
    np.testing.assert_array_equal(filled.posterior["nu"], shift.posterior["nu"])
    np.testing.assert_array_equal(filled.posterior["effect"].values[..., 2], shift.posterior["effect"].values[..., 2])
    assert np.isfinite(difference_probabilities(moved, filled)["p_difference"].values).all()
    assert with_prior_where_unmoved(difference_fit(BASE), moved, STAGE, Seed(5)).posterior.equals(
        difference_fit(BASE).posterior
    )


def _term(name: str, prior: Prior) -> Term:
    return Term(name=name, kind="product", factors=("cell", "variant"), prior=prior)


STAGE = StageSpec(
    "shift",
    "difference",
    "moved",
    "rounded_t",
    (_term("effect", Prior("normal", 2.0)), _term("scale", Prior("half_normal", 2.0))),
)
