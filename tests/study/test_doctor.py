"""The self-check's frozen number, from quadrature that shares nothing with the engine."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial.hermite import hermgauss
from scipy.special import expit

from judgestats.study import doctor


def plain_quadrature() -> float:
    """Posterior mean of Delta P for the frozen table on a plain midpoint grid over (alpha, beta, sigma).

    Patterns (congruent, incongruent): 72 items (1, 1), 1 item (0, 1), 7 items (1, 0). An item's likelihood is
    E_z[p_c^c (1 - p_c)^(1 - c) p_i^i (1 - p_i)^(1 - i)] with p = expit(alpha +- beta/2 + sigma z), z standard normal.
    Priors N(0, 1.5), N(0, 1.5), half-normal(1).
    """
    x, w = hermgauss(40)
    z, w = np.sqrt(2.0) * x, w / np.sqrt(np.pi)
    alphas = np.linspace(0.5, 8.5, 101)
    betas = np.linspace(-3.0, 7.0, 101)
    top = mass = 0.0
    for sigma in (np.arange(80) + 0.5) * 5.0 / 80:
        a, b = alphas[:, None, None], betas[None, :, None]
        pc, pi = expit(a + b / 2 + sigma * z), expit(a - b / 2 + sigma * z)
        both, congruent_wrong, incongruent_wrong = ((p * w).sum(-1) for p in (pc * pi, (1 - pc) * pi, pc * (1 - pi)))
        log_weight = 72 * np.log(both) + np.log(congruent_wrong) + 7 * np.log(incongruent_wrong)
        log_weight += -0.5 * (alphas[:, None] / 1.5) ** 2 - 0.5 * (betas[None, :] / 1.5) ** 2 - 0.5 * sigma**2
        weight = np.exp(log_weight + 35.0)  # 35 keeps the sum away from underflow and cancels
        top += float((weight * ((pc - pi) * w).sum(-1)).sum())
        mass += float(weight.sum())
    return top / mass


def test_the_frozen_number_is_that_of_plain_quadrature() -> None:
    assert plain_quadrature() == pytest.approx(doctor.SELF_CHECK_DELTA_P, abs=2e-4)


def test_the_frozen_table_is_the_one_described() -> None:
    totals = doctor.self_check_counts().totals()
    assert totals.tolist() == [[[80, 79], [80, 73]]]


def test_a_healthy_installation() -> None:
    found = doctor.examine()
    assert found.healthy, found.problem
    assert found.delta_p == pytest.approx(doctor.SELF_CHECK_DELTA_P, abs=2e-4)
    assert found.engines == {"exact": True, "numpyro": True, "pymc": True, "laplace": True}
    assert any(device.startswith("cpu") for device in found.devices)
    assert "passed" in found.lines()[-1]
    assert found.to_dict()["healthy"] is True


def test_a_wrong_number_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "self_check", lambda: 0.2)
    found = doctor.examine()
    assert not found.healthy
    assert "differs from the frozen one" in found.lines()[-1]
