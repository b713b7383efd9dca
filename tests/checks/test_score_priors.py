"""Score priors: reweighted draws against closed forms, the guard on weights, and rows with their outcomes."""

from __future__ import annotations

import numpy as np
import pytest
from made_fits import level_rows, score_fit, shift_array
from scipy.special import expit
from scipy.stats import dirichlet, norm

from judgestats.checks.reweighted import importance_weights, reweighted_summary, weighted_quantiles
from judgestats.checks.score_priors import _threshold_ratio, score_prior_alternatives, score_prior_grid
from judgestats.checks.shift_rows import DecisionRule, ShiftDraws, shift_rows
from judgestats.draws.intervals import quantiles
from judgestats.draws.score_fit import ScoreFit
from judgestats.spec.model import ModelOptions, ModelSpec, StageSpec
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term

NAMES = [("base", ""), ("cue-00", "pos")]


def model(effect_sd: float = 1.5) -> ModelSpec:
    """Return an ordinal model with the default priors."""
    stage = StageSpec(
        "shift",
        "score",
        "valid",
        "cumulative_logit",
        (
            Term("effect", "product", Prior("normal", effect_sd), ("cell", "variant")),
            Term("sigma_item", "varying", Prior("half_normal", 1.0), ("cell",), group="item"),
        ),
    )
    return ModelSpec("two_stage_ordinal", "t", "q", "score", (stage,), ModelOptions(), ("score_shift",))


def normal_fit(
    mean: float, sd: float, draws: int = 8000, effect_sd: float = 1.5
) -> tuple[ModelSpec, dict[str, ScoreFit], ShiftDraws]:
    """Return a fit whose effect is exactly normal under the fitted prior, and a shift equal to the effect."""
    rng = np.random.default_rng(5)
    effect = np.zeros((4, draws // 4, 1, 2))
    # Stratified draws, so that the Monte Carlo error is small against the tolerance.
    effect[..., 1] = rng.permutation(norm.ppf((np.arange(draws) + 0.5) / draws, mean, sd)).reshape(4, -1, 1)
    sigma = np.full((4, draws // 4, 1), 0.5)
    rows = level_rows(np.ones((1, 1, 2, 10), dtype=np.int64))
    fit = score_fit("cumulative_logit", rows, effect=effect, sigma_item=sigma)
    return model(effect_sd), {"shift": fit}, ShiftDraws(shift_array(effect, NAMES), "independent")


def test_reweighting_equals_the_closed_form() -> None:
    spec, fits, draws = normal_fit(0.6, 0.3)
    rows = {row.setting: row for row in score_prior_grid(spec, fits, draws, DecisionRule())}
    assert [*rows][:3] == ["as fitted", "effects N(0, 0.75)", "effects N(0, 3)"]
    for setting, prior_sd in (("effects N(0, 0.75)", 0.75), ("effects N(0, 3)", 3.0)):
        # A normal posterior under prior N(0, 1.5) has likelihood precision 1/sd^2 - 1/1.5^2 and the same information mean.
        precision = 1 / 0.3**2 - 1 / 1.5**2 + 1 / prior_sd**2
        mean, sd = 0.6 / 0.3**2 / precision, precision**-0.5
        row = rows[setting]
        assert row.mean == pytest.approx(mean, abs=0.002)
        assert row.lower == pytest.approx(mean - 1.96 * sd, abs=0.01)
        assert row.upper == pytest.approx(mean + 1.96 * sd, abs=0.01)
        assert row.p_gt_0 == pytest.approx(norm.cdf(mean / sd), abs=0.002)
        assert (row.kind, row.estimand, row.outcome) == ("prior", "score_shift", "undecided")


def test_outcome_is_that_under_the_prior_and_the_note_says_so() -> None:
    # The interval .92 -+ .735 lies above the ROPE; under N(0, 0.75) it is .775 -+ .674, with the lower end at .10.
    spec, fits, draws = normal_fit(0.92, 0.375)
    rows = {row.setting: row for row in score_prior_grid(spec, fits, draws, DecisionRule())}
    assert rows["as fitted"].outcome == "beyond"
    assert rows["effects N(0, 0.75)"].outcome == "undecided"
    assert rows["effects N(0, 0.75)"].note == "The outcome changes from beyond to undecided."
    assert rows["effects N(0, 3)"].outcome == "beyond"
    assert rows["effects N(0, 3)"].note == ""


def test_weights_that_fail_call_for_a_refit() -> None:
    # Effects far out in the fitted prior N(0, 4): under N(0, 2) the weights of a few draws hold everything.
    spec, fits, draws = normal_fit(30.0, 3.9, effect_sd=4.0)
    asked = []

    def refit(other: ModelSpec) -> ShiftDraws:
        asked.append(other.stage("shift").term("effect").prior.sd)
        return ShiftDraws(draws.shift * 0 + np.linspace(0.9, 1.1, 2000)[None, :, None, None], "independent")

    alone = {row.setting: row for row in score_prior_grid(spec, fits, draws, DecisionRule())}
    row = alone["effects N(0, 2)"]
    assert (row.mean, row.outcome) == (None, None)
    assert "Pareto k" in row.note
    rows = {row.setting: row for row in score_prior_grid(spec, fits, draws, DecisionRule(), refit=refit)}
    assert 2.0 in asked
    assert rows["effects N(0, 2)"].mean == pytest.approx(1.0)
    assert rows["effects N(0, 2)"].note == "Refitted."
    # The item sd does not vary over these draws, so its prior cannot matter: no refit, the reported numbers.
    assert rows["item sd half-normal(0.5)"].mean == pytest.approx(rows["as fitted"].mean)


def test_constant_effect_of_a_constant_judge_is_no_claim_under_any_prior() -> None:
    spec, fits, draws = normal_fit(0.0, 0.02)
    assert {row.outcome for row in score_prior_grid(spec, fits, draws, DecisionRule())} == {"inside"}


def test_thresholds_ratio_is_that_of_the_induced_densities() -> None:
    rng = np.random.default_rng(2)
    x = np.sort(rng.normal(0, 2, (2, 30, 1, 4)), axis=-1)
    a, b = Prior("induced_dirichlet", 1.8, 0.3, shape=1.0), Prior("induced_dirichlet", 1.8, 0.3, shape=2.0)
    found = _threshold_ratio(x, a, b)[..., 0]
    edges = np.concatenate([np.zeros((2, 30, 1)), expit(x[:, :, 0] - 0.3), np.ones((2, 30, 1))], axis=-1)
    p = np.diff(edges, axis=-1)
    density = [np.array([dirichlet.logpdf(row, np.full(5, k)) for row in p.reshape(-1, 5)]) for k in (1.0, 2.0)]
    wanted = (density[1] - density[0]).reshape(2, 30)
    np.testing.assert_allclose(found - found[0, 0], wanted - wanted[0, 0], atol=1e-9)


def test_thinned_shift_takes_the_same_draws() -> None:
    spec, fits, draws = normal_fit(0.6, 0.3)
    few = ShiftDraws(draws.shift.isel(draw=slice(None, None, 4)), "independent")
    rows = {row.setting: row for row in score_prior_grid(spec, fits, few, DecisionRule())}
    assert rows["effects N(0, 0.75)"].mean == pytest.approx(0.536, abs=0.02)  # the closed form above
    with pytest.raises(ValueError, match="no even thinning"):
        score_prior_grid(spec, fits, ShiftDraws(draws.shift.isel(chain=[0, 1]), "independent"), DecisionRule())


def test_equal_weights_are_the_plain_quantiles() -> None:
    values = np.random.default_rng(1).normal(size=(4, 250))
    probs = np.array([0.025, 0.3, 0.5, 0.975])
    found = weighted_quantiles(values, np.full(values.shape, 1 / values.size), probs)
    np.testing.assert_allclose(found, quantiles(values, probs), atol=1e-12)
    weights = importance_weights(np.zeros((4, 250)))
    assert weights.trusted
    assert weights.size == pytest.approx(1000)
    summary = reweighted_summary(values, weights, source="independent", rope=(-0.5, 0.5))
    assert summary.mean == pytest.approx(values.mean())
    assert summary.p_rope == pytest.approx(np.mean(np.abs(values) < 0.5))


def test_asymmetry_rows_and_missing_variants() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal([0, 1.0, -0.4, 0], 0.05, (4, 500, 1, 4))
    values[..., 3] = np.nan
    names = [("base", ""), ("age", "neg"), ("age", "pos"), ("odd", "pos")]
    found = shift_rows(ShiftDraws(shift_array(values, names), "markov"), "room", "all", DecisionRule(), asymmetry=True)
    rows = {(row.cue, row.polarity, row.estimand): row for row in found}
    assert set(rows) == {
        ("age", "neg", "score_shift"),
        ("age", "pos", "score_shift"),
        ("odd", "pos", "score_shift"),
        ("age", "", "asymmetry"),
    }
    assert rows["age", "", "asymmetry"].mean == pytest.approx(0.6, abs=0.01)
    assert rows["age", "", "asymmetry"].outcome == "beyond"
    assert rows["odd", "pos", "score_shift"].outcome == "not estimable"
    assert rows["odd", "pos", "score_shift"].mean is None


def test_alternatives_halve_and_double_every_width() -> None:
    spec, fits, _ = normal_fit(0.6, 0.3)
    assert [a.setting for a in score_prior_alternatives(spec, fits)] == [
        "effects N(0, 0.75)",
        "effects N(0, 3)",
        "item sd half-normal(0.5)",
        "item sd half-normal(2)",
    ]
