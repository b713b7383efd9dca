"""Density curves: mass, boundaries, and agreement of lines and draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from judgestats.draws.line_quantity import LineQuantity
from judgestats.draws.lines import Lines
from judgestats.draws.summary import Quantity
from judgestats.estimands.density import density


def normal(sign: float = 1.0) -> Quantity:
    """N(.1, .05) on one line whose step is half a standard deviation."""
    beta = np.linspace(-0.3, 0.5, 33)
    lines = Lines.of({}, beta, -0.5 * ((beta[None] - 0.1) / 0.05) ** 2)
    return Quantity(sign * beta[None], "lines", LineQuantity(sign * beta[None], lines))


def test_a_normal_on_a_line() -> None:
    x, y = density(normal(), (-1.0, 1.0))
    # Hermite pieces of an eighth of a standard deviation: relative error of the density of order (1/8)^3.
    assert y == pytest.approx(norm.pdf(x, 0.1, 0.05), abs=0.002 * norm.pdf(0) / 0.05)
    # Cut at the .05 % tails and a quarter of a standard deviation beyond.
    assert np.trapezoid(y, x) == pytest.approx(1.0, abs=1e-3)


def test_draws_of_a_normal() -> None:
    draws = 0.1 + 0.05 * norm.ppf((np.arange(4000) + 0.5) / 4000).reshape(4, -1)
    x, y = density(Quantity(draws, "independent"), (-1.0, 1.0))
    assert y == pytest.approx(norm.pdf(x, 0.1, 0.05), abs=0.05 * norm.pdf(0) / 0.05)
    assert np.trapezoid(y, x) == pytest.approx(1.0, abs=2e-3)


def test_no_mass_leaks_past_a_bound() -> None:
    """Uniform on [0, 1]: without reflection the density at 0 would be half of 1."""
    draws = ((np.arange(8000) + 0.5) / 8000).reshape(4, -1)
    x, y = density(Quantity(draws, "independent"), (0.0, 1.0))
    assert (x[0], x[-1]) == (0.0, 1.0)
    assert y == pytest.approx(np.ones_like(y), abs=0.02)


def test_mirrored_values_give_the_mirrored_curve() -> None:
    x, y = density(normal(), (-1.0, 1.0))
    x_, y_ = density(normal(-1.0), (-1.0, 1.0))
    assert x_ == pytest.approx(-x[::-1], abs=1e-10)
    assert y_ == pytest.approx(y[::-1], abs=1e-7 * y.max())


def test_a_constant_is_a_bump_at_its_place() -> None:
    x, y = density(Quantity(np.full((2, 50), 0.3), "independent"), (-1.0, 1.0))
    assert np.isfinite(y).all()
    assert x[np.argmax(y)] == pytest.approx(0.3, abs=1e-3)
