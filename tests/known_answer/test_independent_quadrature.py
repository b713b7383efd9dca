"""The exact engine beside an independent adaptive cubature of the ceiling tables, to 1e-4."""

from __future__ import annotations

from functools import cache

import frozen_reference as frozen
import numpy as np
import pytest
from scipy.stats import beta as beta_distribution

from judgestats.draws.fit import StageFit
from judgestats.inference.choose import fit_stage
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import line_quantities
from judgestats.inference.quadrature import logistic_normal_mean
from judgestats.seeds import Seed

HEADER = frozen.header("independent_quadrature.json")
CASES = tuple(sorted(HEADER["cases"]))
TOLERANCE = 1e-4
NAMES = {
    "p_congruent": "p_congruent[marginal]",
    "p_incongruent": "p_incongruent[marginal]",
    "delta_p": "difference[marginal]",
}
LEVELS = {"q025": 0.025, "q50": 0.5, "q975": 0.975}


@cache
def fit_of(case: str) -> StageFit:
    counts = frozen.counts_of_patterns(HEADER["cases"][case])
    return fit_stage(frozen.stage_of("shift"), counts, EngineSettings(Seed(5)), engine="exact")


@pytest.mark.parametrize("case", CASES)
def test_means_and_sds(case: str) -> None:
    reference = frozen.quadrature(case)
    lines = fit_of(case).lines[frozen.CELL]
    quantities = line_quantities(lines)
    for name, ours in NAMES.items():
        assert quantities[ours].mean() == pytest.approx(reference[name]["mean"], abs=TOLERANCE), name
        assert quantities[ours].sd() == pytest.approx(reference[name]["sd"], abs=TOLERANCE), name
    alpha = lines.parameters["alpha"]
    assert float(alpha @ lines.mass.sum(axis=1)) == pytest.approx(reference["alpha"]["mean"], abs=TOLERANCE)
    assert quantities["beta"].mean() == pytest.approx(reference["beta"]["mean"], abs=TOLERANCE)
    assert quantities["beta"].sd() == pytest.approx(reference["beta"]["sd"], rel=1e-3)


@pytest.mark.parametrize("case", CASES)
def test_quantiles(case: str) -> None:
    reference = frozen.quadrature(case)
    quantities = line_quantities(fit_of(case).lines[frozen.CELL])
    for name, ours in NAMES.items():
        for column, level in LEVELS.items():
            assert quantities[ours].quantile(level) == pytest.approx(reference[name][column], abs=TOLERANCE), (
                name,
                column,
            )


@pytest.mark.parametrize("case", CASES)
def test_stored_draws_hold_the_item_sd(case: str) -> None:
    """4,000 stratified draws err less than 4,000 independent ones, whose error of the mean is sd / sqrt(4000)."""
    reference = frozen.quadrature(case)["sd_item"]
    draws = fit_of(case).posterior["sigma_item"].to_numpy()
    assert draws.mean() == pytest.approx(reference["mean"], abs=3 * reference["sd"] / np.sqrt(draws.size))
    assert draws.std() == pytest.approx(reference["sd"], rel=3 * np.sqrt(2 / draws.size))


def test_references_mirror_each_other() -> None:
    """Swapping blocks, or success with failure, mirrors the frozen figures, which were computed case by case."""
    one, other = frozen.quadrature("79_of_80_against_73"), frozen.quadrature("73_of_80_against_79")
    assert one["delta_p"]["mean"] == pytest.approx(-other["delta_p"]["mean"], abs=1e-6)
    assert one["delta_p"]["q975"] == pytest.approx(-other["delta_p"]["q025"], abs=1e-5)
    assert one["p_congruent"]["q025"] == pytest.approx(other["p_incongruent"]["q025"], abs=1e-5)
    for suffix in ("", "_a_block"):
        none, every = frozen.quadrature(f"0_of_200{suffix}"), frozen.quadrature(f"200_of_200{suffix}")
        assert none["p_congruent"]["mean"] == pytest.approx(1 - every["p_congruent"]["mean"], abs=1e-6)
        assert none["p_congruent"]["q975"] == pytest.approx(1 - every["p_congruent"]["q025"], abs=1e-5)


@pytest.mark.parametrize("suffix", ["", "_a_block"])
def test_exact_engine_mirrors_none_and_every_exactly(suffix: str) -> None:
    none = line_quantities(fit_of(f"0_of_200{suffix}").lines[frozen.CELL])
    every = line_quantities(fit_of(f"200_of_200{suffix}").lines[frozen.CELL])
    for name in ("p_congruent[marginal]", "p_incongruent[marginal]"):
        assert none[name].mean() == pytest.approx(1 - every[name].mean(), abs=1e-10)
        assert none[name].quantile(0.975) == pytest.approx(1 - every[name].quantile(0.025), abs=1e-10)


def test_error_bound_is_within_a_factor_of_jeffreys() -> None:
    """200 of 200 in a block: Jeffreys' 97.5 % bound of the error rate is the quantile of Beta(1/2, 200 + 1/2), .0125."""
    jeffreys = float(beta_distribution.ppf(0.975, 0.5, 200.5))
    assert jeffreys == pytest.approx(0.0125, abs=5e-5)
    bound = 1 - line_quantities(fit_of("200_of_200_a_block").lines[frozen.CELL])["p_congruent[marginal]"].quantile(
        0.025
    )
    assert jeffreys / 2.5 < bound < jeffreys * 2.5


def test_error_bound_of_the_average_over_blocks() -> None:
    """100 items with one trial a block, 200 answers in all: the bound of the error rate averaged over the blocks."""
    draws = fit_of("200_of_200").posterior.isel(cell=0)
    sides = [logistic_normal_mean(draws["alpha"] + sign * draws["beta"] / 2, draws["sigma_item"]) for sign in (1, -1)]
    errors = 1 - (sides[0] + sides[1]) / 2
    reference = frozen.quadrature("200_of_200")["p_mean"]
    assert 1 - errors.mean() == pytest.approx(reference["mean"], abs=3 * reference["sd"] / np.sqrt(errors.size))
    assert 0.0125 / 2.5 < float(np.quantile(errors, 0.975)) < 0.0125 * 2.5
