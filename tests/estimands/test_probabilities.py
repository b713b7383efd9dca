"""Block probabilities against independent integration, and what the versions have in common."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from judgestats.estimands.delta_p import delta_p
from judgestats.estimands.probabilities import in_sample, marginal, total_sd, typical_item, unit_probabilities

alphas = st.floats(-4, 5)
betas = st.floats(-3, 3)
sds = st.floats(0.0, 2.5)


def by_quad(eta: float, sd: float) -> float:
    if sd == 0:
        return float(expit(eta))
    return float(quad(lambda z: expit(eta + sd * z) * norm.pdf(z), -12, 12, epsabs=1e-12, limit=200)[0])


@settings(deadline=None, max_examples=40)
@given(alphas, betas, sds, sds, st.floats(0, 1.5))
def test_marginal_is_the_integral_over_items_clusters_and_slopes(
    alpha: float, beta: float, item: float, cluster: float, slope: float
) -> None:
    """Independent normals add: the deviation within a block has variance item^2 + cluster^2 + slope^2 / 4."""
    parameters = {"alpha": alpha, "beta": beta, "sigma_item": item, "sigma_cluster": cluster, "sigma_slope": slope}
    found = marginal(parameters)
    sd = float(np.sqrt(item**2 + cluster**2 + slope**2 / 4))
    assert float(total_sd(parameters)) == pytest.approx(sd, abs=1e-14)
    assert float(found.congruent) == pytest.approx(by_quad(alpha + beta / 2, sd), abs=2e-8)
    assert float(found.incongruent) == pytest.approx(by_quad(alpha - beta / 2, sd), abs=2e-8)


def test_marginal_over_slopes_equals_simulated_items() -> None:
    """A million items with intercept and slope of their own; Monte Carlo error of a mean of probabilities < 3e-4."""
    rng = np.random.default_rng(1)
    u, s = 0.8 * rng.standard_normal(1_000_000), 1.2 * rng.standard_normal(1_000_000)
    found = marginal({"alpha": 1.0, "beta": 0.7, "sigma_item": 0.8, "sigma_slope": 1.2})
    assert float(found.congruent) == pytest.approx(expit(1.35 + u + s / 2).mean(), abs=1e-3)
    assert float(found.incongruent) == pytest.approx(expit(0.65 + u - s / 2).mean(), abs=1e-3)


def test_correlated_products_by_double_integral() -> None:
    """E[expit(a + U) expit(b + V)], (U, V) bivariate normal, against a dense two-dimensional sum."""
    from judgestats.estimands.valid_and_consistent import valid_and_consistent, valid_and_consistent_correlated

    valid = {"alpha": 0.5, "beta": 0.4, "sigma_item": 1.3}
    shift = {"alpha": 1.0, "beta": -0.6, "sigma_item": 0.9}
    z = np.linspace(-8, 8, 801)
    w = np.exp(-0.5 * z**2)
    w /= w.sum()
    for rho in (-0.7, 0.0, 0.5):
        first, second = z[:, None], rho * z[:, None] + np.sqrt(1 - rho**2) * z[None, :]
        dense = np.sum(w[:, None] * w * expit(0.7 + 1.3 * first) * expit(0.7 + 0.9 * second))
        found = valid_and_consistent_correlated(valid, shift, rho)
        assert float(found.congruent) == pytest.approx(dense, abs=1e-7)
    # rho = 0 is the factorised product.
    found = valid_and_consistent_correlated(valid, shift, 0.0)
    product = valid_and_consistent(marginal(valid), marginal(shift))
    assert float(found.congruent) == pytest.approx(float(product.congruent), abs=1e-9)
    assert float(found.incongruent) == pytest.approx(float(product.incongruent), abs=1e-9)


def test_draws_and_nodes_take_the_same_road() -> None:
    rng = np.random.default_rng(2)
    parameters = {k: rng.standard_normal((3, 7)) ** 2 for k in ("alpha", "beta", "sigma_item")}
    whole = marginal(parameters)
    flat = marginal({k: v.ravel() for k, v in parameters.items()})
    assert whole.congruent.shape == (3, 7)
    assert whole.congruent.ravel() == pytest.approx(flat.congruent, abs=1e-15)


@settings(deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=12), alphas, betas)
def test_delta_of_averages_is_the_average_of_deltas(effects: list[float], alpha: float, beta: float) -> None:
    u = np.array(effects)[None, None, :]
    a, b = np.full((1, 1), alpha), np.full((1, 1), beta)
    averages = delta_p(in_sample(a, b, u))
    deltas = delta_p(unit_probabilities(a, b, u))
    assert averages == pytest.approx(deltas.mean(axis=-1), abs=1e-14)


@settings(deadline=None)
@given(alphas, betas, sds)
def test_swapping_blocks_swaps_probabilities(alpha: float, beta: float, sd: float) -> None:
    there = marginal({"alpha": alpha, "beta": beta, "sigma_item": sd})
    back = marginal({"alpha": alpha, "beta": -beta, "sigma_item": sd})
    assert float(there.congruent) == pytest.approx(float(back.incongruent), abs=1e-15)
    assert float(there.incongruent) == pytest.approx(float(back.congruent), abs=1e-15)


def test_the_versions_agree_without_item_effects_and_order_with_them() -> None:
    plain = {"alpha": np.array(1.2), "beta": np.array(0.8), "sigma_item": np.array(0.0)}
    assert float(delta_p(marginal(plain))) == pytest.approx(float(delta_p(typical_item(plain))), abs=1e-12)
    zero = in_sample(np.array([1.2]), np.array([0.8]), np.zeros((1, 4)))
    assert float(delta_p(zero)[0]) == pytest.approx(float(delta_p(typical_item(plain))), abs=1e-15)
    # Integrating over items flattens the curve in the middle and steepens it at the ceiling.
    middle = {"alpha": 0.0, "beta": 1.0, "sigma_item": 1.5}
    ceiling = {"alpha": 4.0, "beta": 1.0, "sigma_item": 1.5}
    assert float(delta_p(marginal(middle))) < float(delta_p(typical_item(middle)))
    assert float(delta_p(marginal(ceiling))) > float(delta_p(typical_item(ceiling)))
