"""Priors: densities and draws against closed forms, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from judgestats.spec.prior import Prior, lkj_sd


@pytest.mark.parametrize(
    ("prior", "law"),
    [
        (Prior("normal", 1.5, 3.0), stats.norm(3.0, 1.5)),
        (Prior("half_normal", 0.5), stats.halfnorm(scale=0.5)),
        # rho = 2 B - 1 with B ~ Beta(2, 2): the density of B at (rho + 1) / 2, halved.
        (Prior.lkj(2.0), stats.beta(2, 2, loc=-1, scale=2)),
        (Prior.lkj(1.0), stats.uniform(-1, 2)),
        # Shape 2 and sd sqrt(2) / rate with rate 0.1.
        (Prior("gamma", np.sqrt(2.0) * 10, 0.0, "", 2.0), stats.gamma(2, scale=10)),
    ],
)
def test_density_is_the_textbook_one(prior, law):
    x = np.array([-2.0, -0.9, -0.2, 0.0, 0.3, 0.99, 2.5])
    with np.errstate(divide="ignore"):
        expected = law.logpdf(x)
    assert prior.log_density(x) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "prior", [Prior("normal", 1.5, 3.0), Prior("half_normal", 0.5), Prior.lkj(2.0), Prior.lkj(0.7)]
)
def test_density_integrates_to_one(prior):
    low, high = (-1, 1) if prior.family == "lkj" else (0 if prior.family == "half_normal" else -20, 20)
    total, _ = integrate.quad(lambda x: float(np.exp(prior.log_density(x))), low, high)
    assert total == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("prior", "law"),
    [
        (Prior("normal", 1.5, -1.0), stats.norm(-1.0, 1.5)),
        (Prior("half_normal", 2.0), stats.halfnorm(scale=2.0)),
        (Prior.lkj(2.0), stats.beta(2, 2, loc=-1, scale=2)),
    ],
)
def test_draws_follow_the_distribution(prior, law):
    draws = prior.sample(np.random.default_rng(3), 4000)
    # Kolmogorov-Smirnov at the 0.1 % level; the seed is fixed.
    assert stats.kstest(draws, law.cdf).pvalue > 0.001


@given(st.floats(0.2, 50))
def test_sd_of_an_lkj_is_that_of_its_beta(shape):
    assert lkj_sd(shape) == pytest.approx(stats.beta(shape, shape, loc=-1, scale=2).std(), rel=1e-9)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Prior("normal", 0.0),
        lambda: Prior("normal", float("nan")),
        lambda: Prior("normal", 1.0, float("inf")),
        lambda: Prior("half_normal", 1.0, 0.5),
        lambda: Prior("cauchy", 1.0),  # type: ignore[arg-type]
        lambda: Prior("lkj", 1.0),
        lambda: Prior("normal", 1.0, shape=2.0),
        lambda: Prior("lkj", 1.0, shape=2.0),
        lambda: Prior.lkj(0.0),
    ],
)
def test_what_is_no_prior_is_refused(make):
    with pytest.raises(ValueError, match="prior"):
        make()


def test_labels():
    assert [p.label() for p in (Prior("normal", 1.5), Prior("half_normal", 0.5), Prior.lkj(2))] == [
        "N(0, 1.5)",
        "half-normal(0.5)",
        "LKJ(2)",
    ]


def test_a_gamma_above_its_lower_end_is_cut_and_normalised():
    prior, law = Prior("gamma", np.sqrt(2.0), 0.25, "", 2.0), stats.gamma(2)
    assert prior.log_density(0.2) == -np.inf
    assert prior.log_density(1.0) == pytest.approx(law.logpdf(1.0) - law.logsf(0.25), rel=1e-12)
    draws = prior.sample(np.random.default_rng(3), 4000)
    # Kolmogorov-Smirnov at the 0.1 % level; the seed is fixed.
    assert stats.kstest(draws, lambda x: (law.cdf(x) - law.cdf(0.25)) / law.sf(0.25)).pvalue > 0.001
    assert prior.label() == "gamma(2, 1), at least 0.25"


@pytest.mark.parametrize("shape", [1.0, 2.5])
def test_an_induced_dirichlet_over_two_thresholds_integrates_to_one_over_their_order(shape):
    prior = Prior.induced_dirichlet(shape, 0.3)
    total, _ = integrate.dblquad(
        lambda gap, low: float(np.exp(prior.log_density(np.array([low, low + gap])))), -25, 25, 1e-9, 40, epsabs=1e-7
    )
    assert total == pytest.approx(1.0, abs=1e-4)
    assert prior.log_density(np.array([1.0, 0.5])) == -np.inf


def test_an_induced_dirichlet_of_two_levels_is_the_logit_of_a_beta():
    prior = Prior.induced_dirichlet(1.0)
    # One threshold with a uniform probability below it is logistic.
    assert prior.log_density(np.array([0.7])) == pytest.approx(stats.logistic.logpdf(0.7), rel=1e-12)
    assert prior.sample(np.random.default_rng(1), 50_000).std() == pytest.approx(prior.sd, rel=0.02)


@pytest.mark.parametrize(("family", "shape"), [("gamma", None), ("gamma", -1.0), ("normal", 2.0)])
def test_a_shape_belongs_to_the_families_that_have_one(family, shape):
    with pytest.raises(ValueError, match="shape"):
        Prior(family, 1.0, 0.0, "", shape)
