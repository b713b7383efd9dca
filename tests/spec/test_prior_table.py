"""The prior table against closed forms and an independent simulation."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions
from judgestats.spec.prior import Prior
from judgestats.spec.prior_table import implied_prior, prior_table

NAME = "two_stage_association"


def test_without_effects_and_bias_the_probability_is_that_of_the_intercept():
    # With sd and beta pinned near 0, P = expit(alpha): the quantiles of P are expit of the normal quantiles.
    stage = load_model(NAME, ModelOptions(), []).stage("shift")
    pinned = stage.with_priors({"beta": Prior("normal", 1e-6), "sigma_item": Prior("half_normal", 1e-6)})
    implied = implied_prior(pinned, Seed(1))
    probs = np.array([0.05, 0.5, 0.95])
    expected = expit(stats.norm(0, 1.5).ppf(probs))
    # se of a quantile: sqrt(p (1 - p) / n) / density, density of expit(N(0, 1.5)) at that point
    density = stats.norm(0, 1.5).pdf(stats.norm(0, 1.5).ppf(probs)) / (expected * (1 - expected))
    error = np.sqrt(probs * (1 - probs) / implied.congruent.size) / density
    assert np.all(np.abs(np.quantile(implied.congruent, probs) - expected) < 4 * error)
    assert implied.mass_inside((-0.001, 0.001)) == 1.0


@pytest.mark.parametrize(
    ("options", "columns"),
    [(ModelOptions(), ()), (ModelOptions(pooling="partial", block_slope=True, task="ceiling"), ("cluster",))],
)
def test_implied_probabilities_match_a_plain_simulation(options, columns):
    stage = load_model(NAME, options, columns).stage("shift")
    implied = implied_prior(stage, Seed(1))
    # Independent arithmetic: one new item (and cluster) per draw, answers as probabilities; their mean is the mean of P.
    rng, n = np.random.default_rng(8), 200_000
    alpha = rng.normal(stage.term("alpha").prior.mean, 1.5, n)
    beta = rng.normal(0, 1.5, n)
    if options.pooling == "partial":
        for _ in range(3):
            alpha = alpha + np.abs(rng.normal(0, 0.5, n)) * rng.normal(size=n)
            beta = beta + np.abs(rng.normal(0, 0.5, n)) * rng.normal(size=n)
    u = np.abs(rng.normal(size=n)) * rng.normal(size=n)
    if columns:
        u = u + np.abs(rng.normal(size=n)) * rng.normal(size=n)
    w = np.abs(rng.normal(0, 0.5, n)) * rng.normal(size=n) if options.block_slope else 0.0
    congruent, incongruent = (expit(alpha + u + code * (beta + w)) for code in (0.5, -0.5))
    for ours, plain in ((implied.congruent, congruent), (implied.incongruent, incongruent)):
        error = np.hypot(ours.std() / np.sqrt(ours.size), plain.std() / np.sqrt(n))
        assert abs(ours.mean() - plain.mean()) < 4 * error
    # The difference has mean zero by symmetry of beta.
    assert abs(implied.difference.mean()) < 4 * implied.difference.std() / np.sqrt(implied.difference.size)


def test_masses_at_the_ceiling_measured_elsewhere_come_out():
    # One cell, sigma ~ half-normal(1): Pr(|dP| > .1) and Pr(|dP| < .02), published to two digits from one small run.
    for alpha, beta, beyond, inside in (
        ((3, 1.5), 1.0, 0.20, 0.39),
        ((3, 1.5), 1.5, 0.31, 0.30),
    ):
        stage = load_model(NAME, ModelOptions(), []).stage("shift")
        stage = stage.with_priors({"alpha": Prior("normal", alpha[1], alpha[0]), "beta": Prior("normal", beta)})
        implied = implied_prior(stage, Seed(2))
        assert np.mean(np.abs(implied.difference) > 0.1) == pytest.approx(beyond, abs=0.015)
        assert implied.mass_inside((-0.02, 0.02)) == pytest.approx(inside, abs=0.015)


def test_rows_cover_every_prior_and_are_the_same_each_time():
    model = load_model(NAME, ModelOptions(correlated_stages=True), ["cluster"])
    rows = prior_table(model)
    assert rows == prior_table(model)
    assert [(r.stage, r.parameter) for r in rows if r.stage != "validity"] == [
        *(("shift", p) for p in ("alpha", "beta", "sigma_item", "sigma_cluster")),
        *(("shift", p) for p in ("P(congruent)", "P(incongruent)", "Delta P")),
        ("joint", "rho_item"),
    ]
    assert all(r.meaning and r.implied and r.reason and r.prior for r in rows)
    (alpha,) = (r for r in rows if r.stage == "shift" and r.parameter == "alpha")
    # expit(-1.645 * 1.5) = .0782
    assert alpha.implied == "probability of a typical item 0.0782 / 0.5 / 0.922 (5 / 50 / 95 %)"
    (effect,) = (r for r in rows if r.parameter == "Delta P")
    mass = re.search(r"mass in \[-0.02, 0.02\]: (0\.\d+)", effect.implied)
    assert mass
    assert float(mass[1]) == pytest.approx(
        implied_prior(model.stage("shift"), Seed(0)).mass_inside((-0.02, 0.02)), abs=0.005
    )
