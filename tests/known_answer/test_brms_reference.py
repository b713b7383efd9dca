"""Our posteriors beside brms with the same priors, within 3 combined Monte Carlo standard errors.

The draws of brms are frozen, the exact engine has no Monte Carlo error, and both NUTS engines are compared through the
error of their own draws.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

import arviz_stats
import frozen_reference as frozen
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from judgestats.draws.fit import StageFit
from judgestats.inference.choose import fit_stage
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import PROBABILITY_LIMIT, line_quantities
from judgestats.seeds import Seed

QUANTITIES = {
    "beta": "beta",
    "p_congruent": "p_congruent[marginal]",
    "p_incongruent": "p_incongruent[marginal]",
    "delta_p": "difference[marginal]",
}
LEVELS = {"q025": 0.025, "q50": 0.5, "q975": 0.975}
CROSSED = "race_bertrand_validity.crossed"
NUTS_ONLY = tuple(table for table in frozen.TABLES if table not in frozen.served_exactly())
# What the exact engine leaves to NUTS, and one table of each other kind: templates, the ceiling, no spread between items.
SAMPLED = (*NUTS_ONLY, "bbq_sexual_orientation_race_shift", "ceiling_79_73", "race_bertrand_validity")
ERRORS = 3


def mcse(draws: NDArray[np.float64], method: str, level: float | None = None) -> float:
    """Return the Monte Carlo standard error of a mean or a quantile of draws, dims (chain, draw)."""
    options = {} if level is None else {"prob": level}
    return float(arviz_stats.mcse(draws, chain_axis=0, draw_axis=1, method=method, **options))


def distances(fit: StageFit, reference: Mapping[str, Mapping[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """Return distances in combined Monte Carlo errors of the means and of the interval ends and medians."""
    means, ends = {}, {}
    for name, draws in frozen.marginal(fit).items():
        theirs = reference[name]
        means[name] = (draws.mean() - theirs["mean"]) / math.hypot(mcse(draws, "mean"), theirs["mcse_mean"])
        for column, level in LEVELS.items():
            error = math.hypot(mcse(draws, "quantile", level), theirs[f"mcse_{column}"])
            ends[f"{name} {column}"] = float(np.quantile(draws, level) - theirs[column]) / error
    return means, ends


def assert_means_agree(fit: StageFit, reference: Mapping[str, Mapping[str, float]]) -> None:
    """Require every mean within 3 errors: 61 comparisons over all tables, all of which pass by chance with .85 at worst."""
    means, _ = distances(fit, reference)
    assert max(map(abs, means.values())) < ERRORS, means


@cache
def crossed() -> StageFit:
    counts = frozen.crossed_counts_of("race_bertrand_validity")
    return fit_stage(frozen.stage_of("validity", "cluster"), counts, EngineSettings(Seed(20261130)), engine="pymc")


def test_reference_is_itself_converged() -> None:
    found = frozen.rows("brms_reference.csv")
    assert {row["table"] for row in found} == {*frozen.TABLES, CROSSED}
    assert max(float(row["rhat"]) for row in found) < 1.01
    assert min(float(row["ess_bulk"]) for row in found) > 2000
    assert min(float(row["ess_tail"]) for row in found) > 2000
    assert {row["divergent"] for row in found} == {"0"}
    assert "N(0, 1.5) uncentred" in frozen.header("brms_reference.json")["priors"]


def test_tables_with_few_trials_an_item_are_served_exactly() -> None:
    """Only many trials an item send a table to NUTS; which limit is the engine's affair, 40 an item lie below it."""
    most = {table: int(max(frozen.item_trials(table))) for table in frozen.TABLES}
    served = frozen.served_exactly()
    assert {table for table in frozen.TABLES if most[table] <= 40} <= set(served)
    assert all(most[table] > max(most[other] for other in served) for table in NUTS_ONLY)


@pytest.mark.parametrize("table", frozen.served_exactly())
def test_exact_engine_agrees_with_brms(table: str) -> None:
    reference = frozen.brms(table)
    fit = frozen.fitted(table, "exact")
    assert all(row.status == "pass" for row in fit.gate), [row for row in fit.gate if row.status != "pass"]
    quantities = line_quantities(fit.lines[frozen.CELL])
    for name, ours in QUANTITIES.items():
        theirs = reference[name]
        assert abs(quantities[ours].mean() - theirs["mean"]) < 3 * theirs["mcse_mean"], name
        assert abs(quantities[ours].sd() - theirs["sd"]) < 3 * theirs["mcse_sd"], name
        for column, level in LEVELS.items():
            error = abs(quantities[ours].quantile(level) - theirs[column])
            assert error < 3 * theirs[f"mcse_{column}"] + PROBABILITY_LIMIT, (name, column)


@pytest.mark.parametrize("table", frozen.served_exactly())
def test_stored_draws_of_the_exact_engine_agree_with_brms(table: str) -> None:
    """The item sd, which only the draws carry in full, included; stratified draws err less than independent ones."""
    reference = frozen.brms(table)
    for name, draws in frozen.marginal(frozen.fitted(table, "exact")).items():
        theirs = reference[name]
        error = math.hypot(float(draws.std()) / math.sqrt(draws.size), theirs["mcse_mean"])
        assert abs(draws.mean() - theirs["mean"]) < 3 * error, name


@pytest.mark.sampling
@pytest.mark.parametrize("table", SAMPLED)
def test_numpyro_engine_agrees_with_brms(table: str) -> None:
    fit = frozen.fitted(table, "numpyro")
    assert all(row.status == "pass" for row in fit.gate), [row for row in fit.gate if row.status != "pass"]
    assert_means_agree(fit, frozen.brms(table))


@pytest.mark.sampling
def test_pymc_engine_agrees_with_brms_on_crossed_intercepts() -> None:
    """Words x templates: the one reference with two crossed intercepts, which only the full model serves."""
    assert_means_agree(crossed(), frozen.brms(CROSSED))


@pytest.mark.sampling
def test_interval_ends_lie_beyond_3_errors_no_more_often_than_chance_lets_them() -> None:
    """Medians and ends of all sampled fits: 183 comparisons, of which .5 lie beyond 3 errors on average when all is right.

    Four or more do with probability .0017 if they are independent; those of one fit hang together, which makes it more.
    """
    fits = [(frozen.fitted(table, "numpyro"), frozen.brms(table)) for table in SAMPLED]
    found = [distances(fit, reference)[1] for fit, reference in (*fits, (crossed(), frozen.brms(CROSSED)))]
    z = np.array([value for ends in found for value in ends.values()])
    assert z.size == 18 * len(fits) + 21
    beyond = int((np.abs(z) > ERRORS).sum())
    assert stats.binom.sf(beyond - 1, z.size, 2 * stats.norm.sf(ERRORS)) > 0.001, found
