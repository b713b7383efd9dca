"""The adapter to ArviZ: shapes, undefined values, direction of PSIS weights, power-scaling."""

from __future__ import annotations

import numpy as np
import pytest

from judgestats.draws import arviz


def test_shapes_follow_the_trailing_dims() -> None:
    values = np.random.default_rng(0).standard_normal((4, 200, 3, 2))
    for function in (arviz.rhat, arviz.ess_bulk, arviz.ess_tail, arviz.mcse_mean):
        assert function(values).shape == (3, 2)
    assert arviz.mcse_quantile(values, 0.9).shape == (3, 2)
    assert arviz.ebfmi(values[..., 0, 0]).shape == (4,)


def test_rhat_sees_a_chain_that_is_elsewhere() -> None:
    values = np.random.default_rng(1).standard_normal((4, 500))
    assert float(arviz.rhat(values)) < 1.01
    values[0] += 3
    assert float(arviz.rhat(values)) > 1.2


def test_constants_have_no_rhat() -> None:
    assert np.isnan(arviz.rhat(np.zeros((4, 100))))


def test_one_dim_is_refused() -> None:
    with pytest.raises(ValueError, match="chain, draw"):
        arviz.rhat(np.zeros(10))


def normal_log_likelihood() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return y, posterior draws of mu and log-likelihoods of y_i ~ N(mu, 1) under a flat prior: mu | y ~ N(mean, 1/n)."""
    rng = np.random.default_rng(2)
    y = rng.standard_normal(30)
    mu = y.mean() + rng.standard_normal((4, 2000)) / np.sqrt(y.size)
    return y, mu, -0.5 * (y - mu[..., None]) ** 2 - 0.5 * np.log(2 * np.pi)


def test_loo_equals_the_closed_form() -> None:
    """Leaving y_i out, mu | y_-i ~ N(mean_-i, 1/(n-1)), so y_i ~ N(mean_-i, 1 + 1/(n-1)) exactly."""
    y, _, log_likelihood = normal_log_likelihood()
    n = y.size
    rest = (y.sum() - y) / (n - 1)
    variance = 1 + 1 / (n - 1)
    exact = -0.5 * (y - rest) ** 2 / variance - 0.5 * np.log(2 * np.pi * variance)
    found = arviz.loo(log_likelihood)
    assert found.pointwise == pytest.approx(exact, abs=0.01)
    assert found.elpd == pytest.approx(float(found.pointwise.sum()), abs=1e-10)
    assert found.p_loo == pytest.approx(1.0, abs=0.35)
    assert found.khat.max() < 0.7


def test_psis_weights_point_away_from_the_left_out_unit() -> None:
    """Draws under which a unit is likely must lose weight when it is left out; the other sign would be silent nonsense."""
    _, _, log_likelihood = normal_log_likelihood()
    log_weights, _ = arviz.psislw(log_likelihood)
    one, weights = log_likelihood[..., 0].ravel(), log_weights[..., 0].ravel()
    assert np.corrcoef(one, weights)[0, 1] < -0.9
    assert np.logaddexp.reduce(weights) == pytest.approx(0.0, abs=1e-10)


def test_a_unit_that_does_not_vary_keeps_equal_weights() -> None:
    log_likelihood = np.random.default_rng(3).standard_normal((2, 50, 2))
    log_likelihood[..., 1] = -0.3
    log_weights, khat = arviz.psislw(log_likelihood)
    assert log_weights[..., 1] == pytest.approx(np.full((2, 50), -np.log(100)))
    assert khat[1] == -np.inf


def test_loo_refuses_what_is_not_finite() -> None:
    _, _, log_likelihood = normal_log_likelihood()
    log_likelihood[0, 0, 0] = np.nan
    with pytest.raises(ValueError, match="finite"):
        arviz.loo(log_likelihood)


def test_heavy_ratios_have_a_large_khat() -> None:
    # Ratios of a Pareto with tail index k = 1 (density x^-2): log ratio is exponential with mean 1.
    log_ratios = np.random.default_rng(4).exponential(size=4000)
    assert arviz.pareto_khat(log_ratios) == pytest.approx(1.0, abs=0.25)
    assert arviz.pareto_khat(np.random.default_rng(5).standard_normal(4000) * 0.1) < 0.3


def test_power_scaling_tells_strong_from_weak() -> None:
    """Normal with prior N(0, 1) and one datum y = 6 of sd s: the posterior mean moves with the prior's power when s is 1."""
    rng = np.random.default_rng(6)

    def sensitivity(sd: float) -> float:
        precision = 1 + 1 / sd**2
        draws = 6 / sd**2 / precision + rng.standard_normal((4, 1000)) / np.sqrt(precision)
        return arviz.psense(draws, -0.5 * draws**2)[0]

    assert sensitivity(1.0) > 0.3
    assert sensitivity(0.05) < 0.05
    assert arviz.psense(rng.standard_normal((2, 100)), np.zeros((2, 100)))[0] == 0.0
