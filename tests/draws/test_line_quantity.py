"""Quantities on posterior lines against closed forms: a normal plane, an exponential function, rests and mirrors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import lognorm, norm

from judgestats.draws.line_quantity import LineQuantity
from judgestats.draws.lines import FINER, Lines, refinement

PROBS = (0.001, 0.025, 0.5, 0.975, 0.999)


def plane(slope: float = 0.6, nodes: int = 41, size: int = 33) -> tuple[Lines, np.ndarray, np.ndarray]:
    """Standard normal alpha and beta given alpha ~ N(slope alpha, 1); steps of .35 and .44 standard deviations."""
    alpha, beta = np.linspace(-7, 7, size), np.linspace(-9, 9, nodes)
    logs = -0.5 * alpha[:, None] ** 2 - 0.5 * (beta - slope * alpha[:, None]) ** 2
    lines = Lines.of({"alpha": alpha}, beta, logs)
    return lines, lines.parameters["alpha"][:, None], beta[None, :]


def test_a_sum_of_normals() -> None:
    """alpha + 2 beta is normal with variance (1 + 2 x .6)^2 + 4 = 8.84."""
    lines, alpha, beta = plane()
    quantity, truth = LineQuantity(alpha + 2 * beta, lines), norm(0, np.sqrt(8.84))
    # Lines that hold a billionth of the mass are left out; pieces of .11 sd leave errors of that order.
    assert quantity.quantiles(PROBS) == pytest.approx(truth.ppf(PROBS), abs=2e-5)
    assert quantity.distribution(np.array([-2.0, 0.5, 4.0])) == pytest.approx(truth.cdf([-2.0, 0.5, 4.0]), abs=1e-7)
    assert quantity.sd() == pytest.approx(truth.std(), abs=1e-7)
    assert quantity.mean() == pytest.approx(0.0, abs=1e-12)
    mass, density = quantity.distribution_and_density(np.array([-3.0, 1.0]))
    assert density == pytest.approx(truth.pdf([-3.0, 1.0]), abs=1e-5)
    assert mass == pytest.approx(truth.cdf([-3.0, 1.0]), abs=1e-7)


def test_a_quantity_that_falls_along_beta() -> None:
    lines, alpha, beta = plane()
    up, down = LineQuantity(alpha + 2 * beta, lines), LineQuantity(-alpha - 2 * beta, lines)
    assert down.quantiles(PROBS) == pytest.approx(-up.quantiles(PROBS)[::-1], abs=1e-10)
    assert down.below(1.3) == pytest.approx(1 - up.below(-1.3), abs=1e-13)
    assert down.shortest(0.9) == pytest.approx((-up.shortest(0.9)[1], -up.shortest(0.9)[0]), abs=1e-6)


def test_shortest_interval_of_a_lognormal() -> None:
    """exp(beta), beta ~ N(0, .5): the shortest 90 % interval solves equal densities at both ends."""
    beta = np.linspace(-4, 4, 65)
    lines = Lines.of({}, beta, -0.5 * (beta[None] / 0.5) ** 2)
    quantity, truth = LineQuantity(beta[None], lines), lognorm(0.5)
    low, high = quantity.shortest(0.9, np.exp)
    assert truth.cdf(high) - truth.cdf(low) == pytest.approx(0.9, abs=1e-6)
    # Width is flat at its least: the starts are .0008 apart, so the densities agree to about a thousandth.
    assert truth.pdf(low) == pytest.approx(truth.pdf(high), rel=3e-3)
    # On the log scale the interval is the equal-tailed one of a normal.
    assert quantity.shortest(0.9) == pytest.approx(tuple(norm(0, 0.5).ppf((0.05, 0.95))), abs=1e-4)


def test_a_density_that_falls_from_its_edge_starts_there() -> None:
    """-exp(3 beta) of a normal beta has its greatest density towards 0, its upper end: the interval is (q(.2), 0)."""
    lines, _, beta = plane(nodes=81)
    quantity = LineQuantity(np.broadcast_to(-np.exp(3 * beta), lines.mass.shape).copy(), lines)
    low, high = quantity.shortest(0.8)
    assert high == pytest.approx(0.0, abs=1e-3)
    assert quantity.below(low) == pytest.approx(0.2, abs=2e-3)


def test_mass_that_rests_at_a_threshold_counts_half() -> None:
    """min(beta, 0) of a standard normal: half of the mass rests at 0, so P(< 0) is .5 and half of the rest is added."""
    beta = np.linspace(-8, 8, 65)
    lines = Lines.of({}, beta, -0.5 * beta[None] ** 2)
    quantity = LineQuantity(np.minimum(beta, 0.0)[None], lines)
    assert quantity.below(0.0) == pytest.approx(0.75, abs=1e-6)
    mirrored = LineQuantity(-np.minimum(beta, 0.0)[None], lines)
    assert mirrored.below(0.0) == pytest.approx(0.25, abs=1e-6)
    constant = LineQuantity(np.full((1, 65), 0.3), lines)
    assert constant.below(0.3) == pytest.approx(0.5, abs=1e-12)
    assert constant.quantile(0.9) == 0.3


def test_infinite_values_are_allowed_only_where_there_is_no_mass() -> None:
    lines, _, beta = plane()
    values = np.broadcast_to(beta, lines.mass.shape).copy()
    values[:, -1] = np.inf
    assert LineQuantity(values, lines).quantile(0.5) == pytest.approx(0.0, abs=1e-9)
    values[:, 20] = np.nan
    with pytest.raises(ValueError, match="finite wherever"):
        LineQuantity(values, lines)
    with pytest.raises(ValueError, match="dims"):
        LineQuantity(values[:, :-1], lines)


def test_mass_of_pieces_is_that_of_a_normal() -> None:
    """Mass up to each node against the normal distribution function, at .45 standard deviations a step."""
    beta = np.linspace(-9, 9, 41)
    lines = Lines.of({}, beta, -0.5 * beta[None] ** 2)
    # The rule's error is 191/60480 h^6 f^(5): h = .1125, and the fifth derivative of a normal density is at most 2.31.
    error = 191 / 60480 * 0.1125**6 * 2.31
    assert lines.cumulative[0, ::FINER] == pytest.approx(norm.cdf(beta), abs=error)
    assert lines.mass.sum() == pytest.approx(1.0, abs=1e-14)


def test_refinement_keeps_cubics() -> None:
    x, fine = np.arange(9.0), np.linspace(0, 8, 33)
    assert (2 + x - 0.3 * x**3) @ refinement(9, 4) == pytest.approx(2 + fine - 0.3 * fine**3, abs=1e-10)


@settings(deadline=None, max_examples=40)
@given(st.floats(-2, 2), st.floats(0.2, 1.5), st.floats(0.01, 0.99))
def test_quantiles_invert_the_distribution(slope: float, bend: float, probability: float) -> None:
    lines, alpha, beta = plane(slope)
    quantity = LineQuantity(np.tanh(bend * (beta + 0.3 * alpha)), lines)
    assert quantity.below(quantity.quantile(probability)) == pytest.approx(probability, abs=2e-12)


def test_steep_quantities_stay_within_the_limit_of_the_gate() -> None:
    """2.7 log-odds a step of beta, more than a fitted lattice has: cubics give way to straight lines between nodes."""
    for slope in (-2.0, 0.0, 1.0, 2.0):
        lines, alpha, beta = plane(slope)
        quantity = LineQuantity(np.tanh(3 * (beta + 0.3 * alpha)), lines)
        probabilities = np.linspace(0.01, 0.99, 25)
        assert quantity.distribution(quantity.quantiles(probabilities)) == pytest.approx(probabilities, abs=1e-4)
