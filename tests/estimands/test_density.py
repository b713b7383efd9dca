"""Density curves: mass, boundaries, and agreement of nodes and draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from judgestats.draws.summary import Quantity
from judgestats.estimands.density import density


def nodes() -> Quantity:
    values = np.linspace(-0.5, 0.7, 3001)
    weights = norm.pdf(values, 0.1, 0.05)
    return Quantity(values, "nodes", weights / weights.sum())


def test_nodes_of_a_normal() -> None:
    x, y = density(nodes(), (-1.0, 1.0))
    # The kernel adds .08^2 of the variance: 0.3 % at the peak.
    assert y == pytest.approx(norm.pdf(x, 0.1, 0.05), abs=0.005 * norm.pdf(0) / 0.05)
    assert np.trapezoid(y, x) == pytest.approx(1.0, abs=2e-3)


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
    there = nodes()
    x, y = density(there, (-1.0, 1.0))
    x_, y_ = density(Quantity(-there.values, "nodes", there.weights), (-1.0, 1.0))
    assert x_ == pytest.approx(-x[::-1], abs=1e-12)
    assert y_ == pytest.approx(y[::-1], abs=1e-3 * y.max())


def test_a_constant_is_a_bump_at_its_place() -> None:
    x, y = density(Quantity(np.full((2, 50), 0.3), "independent"), (-1.0, 1.0))
    assert np.isfinite(y).all()
    assert x[np.argmax(y)] == pytest.approx(0.3, abs=1e-3)
