"""Summaries of nodes, independent draws and chains."""

from __future__ import annotations

import numpy as np
import pytest

from judgestats.draws import arviz
from judgestats.draws.intervals import interval
from judgestats.draws.line_quantity import LineQuantity
from judgestats.draws.lines import Lines
from judgestats.draws.summary import Quantity, probability_inside, summarise


def on_line(points: int, shift: float = 0.0) -> Quantity:
    """A normal posterior of beta on one line."""
    values = np.linspace(-9, 9, points)
    lines = Lines.of({}, values, -0.5 * (values[None] - shift) ** 2)
    return Quantity(values[None], "lines", LineQuantity(values[None], lines))


def test_a_normal_on_a_line() -> None:
    found = summarise(on_line(41), ci_prob=0.95, rope=(-1.0, 1.0))
    assert (found.mean, found.median, found.sd) == pytest.approx((0.0, 0.0, 1.0), abs=1e-5)
    assert (found.lower, found.upper) == pytest.approx((-1.959964, 1.959964), abs=1e-5)
    assert found.p_rope == pytest.approx(0.682689, abs=1e-5)
    assert found.p_gt_0 == pytest.approx(0.5, abs=1e-12)
    assert (found.rhat, found.ess_bulk, found.ess_tail) == (None, None, None)
    assert (found.mcse, found.mcse_lower, found.mcse_upper) == (None, None, None)


def test_grid_error_is_the_move_from_the_coarse_grid() -> None:
    fine, coarse = on_line(81), on_line(81, shift=0.01)
    quantity = Quantity(fine.values, "lines", fine.lines, coarse=coarse)
    found = summarise(quantity)
    # The coarse grid here is the same normal moved by .01, so everything moves by .01.
    errors = (found.mcse, found.mcse_lower, found.mcse_upper)
    assert errors == pytest.approx((0.01, 0.01, 0.01), rel=1e-3)


def test_unsigned_quantities_have_no_probability_of_being_positive() -> None:
    assert summarise(on_line(41), signed=False).p_gt_0 is None


def test_independent_draws() -> None:
    draws = np.random.default_rng(3).standard_normal((4, 1000))
    found = summarise(Quantity(draws, "independent"), ci_prob=0.95)
    assert found.mcse == pytest.approx(draws.std() / np.sqrt(4000), rel=1e-12)
    # sd of the 97.5 % quantile of n normal draws: sqrt(p (1-p) / n) / phi(1.96) = .0422.
    assert found.mcse_upper == pytest.approx(0.0422, rel=0.35)
    assert found.rhat is None


def test_chains_carry_their_diagnostics() -> None:
    rng = np.random.default_rng(4)
    noise = rng.standard_normal((4, 1000))
    draws = np.empty_like(noise)
    draws[:, 0] = noise[:, 0]
    for i in range(1, 1000):  # AR(1) with correlation .8: ESS is about n (1 - .8) / (1 + .8)
        draws[:, i] = 0.8 * draws[:, i - 1] + 0.6 * noise[:, i]
    found = summarise(Quantity(draws, "markov"))
    assert found.rhat is not None
    assert found.rhat < 1.03
    assert found.ess_bulk == pytest.approx(4000 / 9, rel=0.35)
    assert found.mcse == pytest.approx(1 / np.sqrt(4000 / 9), rel=0.3)
    assert found.mcse_upper is not None
    assert found.mcse_lower is not None
    assert min(found.mcse_upper, found.mcse_lower) > found.mcse


def test_constants_are_undefined_not_passed() -> None:
    found = summarise(Quantity(np.ones((4, 100)), "markov"))
    assert (found.rhat, found.ess_bulk, found.ess_tail) == (None, None, None)
    assert (found.mean, found.sd) == (1.0, 0.0)


def test_mass_at_an_edge_counts_half() -> None:
    values = np.array([-0.02, 0.0, 0.02, 0.05])
    assert probability_inside(values, (-0.02, 0.02)) == pytest.approx((0.5 + 1 + 0.5) / 4)
    with pytest.raises(ValueError, match="ROPE"):
        probability_inside(values, (0.02, -0.02))


@pytest.mark.parametrize("shape", [None, 2.0])
def test_errors_of_shortest_intervals_are_those_of_repeated_draws(shape: float | None) -> None:
    """The stated error of each end against its spread over 300 sets of draws, normal and gamma."""

    def draws(seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        return rng.standard_normal((4, 500)) if shape is None else rng.gamma(shape, size=(4, 500))

    ends = np.array([(s.lower, s.upper) for s in (interval(draws(i), 0.95, "hdi") for i in range(300))])
    stated = [summarise(Quantity(draws(i), "independent"), ci_kind="hdi") for i in range(20)]
    found = np.mean([(s.mcse_lower, s.mcse_upper) for s in stated], axis=0)
    # The spread of 300 ends is known to 1/sqrt(600) = 4 %, the mean of 20 bootstraps of 64 to about 9 % (each to 9 %, and
    # each varies with its draws); the bootstrap of a shortest interval, whose rate is n^(1/3), is itself off by up to a fifth.
    assert found == pytest.approx(ends.std(axis=0), rel=0.35)


def test_lines_belong_to_lines() -> None:
    with pytest.raises(ValueError, match="needs its lines"):
        Quantity(np.ones((1, 3)), "lines")
    with pytest.raises(ValueError, match="draws have none"):
        Quantity(np.ones((1, 3)), "markov", on_line(41).lines)
    with pytest.raises(ValueError, match="chain, draw"):
        Quantity(np.ones(3), "independent")


def test_arviz_defaults_stay_untouched() -> None:
    import arviz_base

    before = dict(arviz_base.rcParams)
    arviz.rhat(np.random.default_rng(0).standard_normal((2, 100)))
    assert dict(arviz_base.rcParams) == before
