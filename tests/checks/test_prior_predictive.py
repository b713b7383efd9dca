"""Prior predictive against closed forms and published figures."""

from __future__ import annotations

import hand_made as hm
import numpy as np
import pytest
from scipy.special import expit

from judgestats.checks.finding import PredictiveRow
from judgestats.checks.prior_draws import prior_draws
from judgestats.checks.prior_predictive import prior_predictive_counts, prior_predictive_rows, prior_rows
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions, StageSpec
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term
from judgestats.trials.counts import StageCounts

SEED = Seed(5)
DRAWS = 8000


def rows_of(stage: StageSpec, table: StageCounts) -> dict[tuple[str, str | None], PredictiveRow]:
    found = prior_predictive_rows(stage, table, SEED, rope=(-0.02, 0.02), draws=DRAWS)
    return {(row.statistic, row.block): row for row in found}


def test_published_prior_masses() -> None:
    # Intercept N(3, 1.5), item sd half-normal(1): Pr(|Delta P| < .02) = .30 under block N(0, 1.5) and .39 under N(0,
    # 1).
    table = hm.counts(hm.paired(5, 0, 0, 0))
    for block, mass in ((1.5, 0.30), (1.0, 0.39)):
        stage = hm.stage(alpha=Prior("normal", 1.5, 3.0), beta=Prior("normal", block))
        row = rows_of(stage, table)["mass_in_rope", None]
        # Printed to two digits, and 8,000 draws have a standard error of .005.
        assert row.mean == pytest.approx(mass, abs=0.005 + 3 * np.sqrt(mass * (1 - mass) / DRAWS))
        assert row.observed is None


def test_mass_in_the_rope_against_gauss_hermite() -> None:
    # Default priors: the same mass from other draws, the item effect integrated by 80 Gauss-Hermite points.
    rng = np.random.default_rng(99)
    size = 20_000
    alpha, beta, sigma = rng.normal(0, 1.5, size), rng.normal(0, 1.5, size), np.abs(rng.normal(0, 1, size))
    x, w = np.polynomial.hermite_e.hermegauss(80)
    up, down = (expit((alpha + s * beta / 2)[:, None] + sigma[:, None] * x) @ w / w.sum() for s in (1, -1))
    mass = float(np.mean(np.abs(up - down) < 0.02))
    row = rows_of(hm.stage(), hm.counts(hm.paired(5, 0, 0, 0)))["mass_in_rope", None]
    assert row.mean == pytest.approx(mass, abs=3 * np.sqrt(mass * (1 - mass) * (1 / size + 1 / DRAWS)))


def test_symmetric_priors_are_symmetric_in_the_rates() -> None:
    found = rows_of(hm.stage(), hm.counts(hm.paired(3, 1, 0, 0)))
    for block in ("congruent", "incongruent"):
        row = found["rate", block]
        # Mean 1/2 by symmetry; the sd of a rate is below 1/2.
        assert row.mean == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(DRAWS))
        assert row.replicates == "new items"
    assert found["rate", "congruent"].observed == 1.0
    assert found["delta_p", None].mean == pytest.approx(0.0, abs=4 * 0.4 / np.sqrt(DRAWS))


def test_a_block_that_was_not_observed_gives_its_probability() -> None:
    found = rows_of(hm.stage(), hm.counts([(0, i, None, 0.5, 1, 1) for i in range(4)]))
    row = found["rate", "incongruent"]
    assert (row.observed, row.p_tail, row.replicates) == (None, None, "parameter")
    assert 0.0 < row.lower < row.mean < row.upper < 1.0


def test_rates_of_one_trial_are_bernoulli_of_the_prior_mean() -> None:
    # One trial: the replicate is 1 with probability E[expit(eta)] = 1/2 under a symmetric prior, so the interval is
    # [0, 1].
    row = rows_of(hm.stage(), hm.counts([(0, 0, None, 0.5, 1, 1)]))["rate", "congruent"]
    assert (row.lower, row.upper) == (0.0, 1.0)


def test_pooled_priors_add_their_variances() -> None:
    # alpha of a cell = mean + judge + domain + cell deviations; Var = 1.5^2 + 3 E[tau^2] = 2.25 + 3 / 4 with
    # tau ~ half-normal(1/2); two cells of one judge share the mean and the judge: Cov = 2.25 + 1 / 4.
    terms = list(hm.stage().terms)
    terms += [
        Term(f"tau_alpha_{g}", "varying", Prior("half_normal", 0.5), group=g) for g in ("judge", "domain", "cell")
    ]
    stage = type(hm.stage())("shift", "consistent", "valid", "bernoulli_logit", tuple(terms))
    cells = (hm.Cell("a", "x"), hm.Cell("a", "y"), hm.Cell("b", "x"))
    draws = prior_draws(stage, cells, 40_000, SEED)["alpha"].values[0]
    covariance = np.cov(draws.T)
    assert np.diag(covariance) == pytest.approx([3.0] * 3, rel=0.04)
    assert covariance[0, 1] == pytest.approx(2.5, rel=0.04)
    assert covariance[0, 2] == pytest.approx(2.5, rel=0.04)
    assert covariance[1, 2] == pytest.approx(2.25, rel=0.04)


def test_shared_items_share_their_standard_deviation() -> None:
    stage = hm.stage()
    shared = type(stage)(
        "shift",
        "consistent",
        "valid",
        "bernoulli_logit",
        (*stage.terms[:2], Term("sigma_item", "varying", Prior("half_normal", 1.0), ("domain",), group="item")),
    )
    cells = (hm.Cell("a", "x"), hm.Cell("a", "y"), hm.Cell("b", "x"))
    sigma = prior_draws(shared, cells, 50, SEED)["sigma_item"].values[0]
    assert np.array_equal(sigma[:, 0], sigma[:, 2])
    assert not np.array_equal(sigma[:, 0], sigma[:, 1])


def test_counts_stay_within_the_design_and_follow_the_seed() -> None:
    table = hm.counts(hm.paired(3, 1, 0, 0))
    first = prior_predictive_counts(hm.stage(), table, SEED, draws=200)
    assert first.sizes == {"chain": 1, "draw": 200, "cell": 1, "block": 2}
    assert int(first.min()) >= 0
    assert int(first.max()) <= 4
    assert first.equals(prior_predictive_counts(hm.stage(), table, SEED, draws=200))


def test_every_prior_of_the_model_has_a_row_with_its_reason() -> None:
    model = load_model("two_stage_association", ModelOptions(task="ceiling"), ("cluster",))
    rows = prior_rows(model)
    for stage in model.stages:
        for term in stage.terms:
            (row,) = [r for r in rows if (r.stage, r.parameter) == (stage.name, term.name)]
            assert term.prior.label() in row.prior
            assert row.reason == term.prior.reason
            assert row.implied
