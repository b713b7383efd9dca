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
