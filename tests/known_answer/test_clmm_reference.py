"""Our ordinal likelihood and posterior beside the maximum likelihood fits of ordinal::clmm on the same tables.

A maximum is not a posterior mean, not even under flat priors: the item sd of the maximum is too small, since it takes the
fixed effects for known, and its posterior is skewed. Both make a distance of the order 1 / sqrt(items) posterior sds,
measured at 4 / sqrt(items), which the outer thresholds follow, since they grow with the item sd. Effects hardly move: they
are held to a tenth of a posterior sd on the tables of 2,000 rows or more, thresholds and item sd to 5 / sqrt(items). The
posteriors belong to the calibration runs: hundreds of items that all answer differently take the better part of a minute.
"""

from __future__ import annotations

import math

import frozen_reference as frozen
import numpy as np
import pytest
import score_reference as scores
from scipy.optimize import approx_fprime

LARGE = ("simulated", "unused_level")
TABLES = (*LARGE, "prometheus")
UNUSED = 3  # the level of table unused_level that nobody gave


def estimates(table: str) -> dict[str, dict[str, str]]:
    return {row["quantity"]: row for row in frozen.rows("clmm_reference.csv") if row["table"] == table}


def facts(table: str) -> dict[str, str]:
    return next(row for row in frozen.rows("clmm_loglik.csv") if row["table"] == table)


def at_the_maximum(table: str) -> np.ndarray:
    """Return clmm's thresholds, effects and item sd on the declared scale; an unused level has two equal thresholds."""
    rows, found = scores.score_rows(table), estimates(table)
    threshold = np.full(rows.outcomes - 1, np.nan)
    for name, row in found.items():
        if name.startswith("threshold"):
            low, high = int(name[10:-1]), int(row["until"])
            threshold[low - 1 : high] = float(row["estimate"])
    effect = [0.0] + [float(found[f"effect[{variant.cue}]"]["estimate"]) for variant in rows.variants[1:]]
    return np.concatenate([threshold, effect, [float(found["sigma_item"]["estimate"])]])


def our_log_likelihood(table: str, vector: np.ndarray) -> float:
    rows = scores.score_rows(table)
    size = rows.outcomes - 1
    return scores.log_likelihood(rows, vector[:size], vector[size:-1], float(vector[-1]))


def test_reference_covers_the_tables_that_were_asked_for() -> None:
    assert {row["table"] for row in frozen.rows("clmm_reference.csv")} == set(TABLES)
    assert all(int(facts(table)["rows"]) >= 2000 for table in LARGE)
    assert int(facts("prometheus")["rows"]) == 960
    assert facts("simulated")["levels_used"] == "10"
    assert facts("unused_level")["levels_used"] == "9"
    assert estimates("unused_level")[f"threshold[{UNUSED - 1}]"]["until"] == str(UNUSED)


@pytest.mark.parametrize("table", TABLES)
def test_log_likelihood_equals_that_of_clmm_at_its_estimates(table: str) -> None:
    ours = our_log_likelihood(table, at_the_maximum(table))
    # 15 adaptive nodes leave clmm off by 5e-6 in the questions of prometheus, with 12 answers each.
    assert ours == pytest.approx(float(facts(table)["loglik_clmm"]), abs=1e-4)
    # R's adaptive integrate() of the same integrand, written without clmm; estimates are kept to 9 digits.
    assert ours == pytest.approx(float(facts(table)["loglik_integral"]), abs=1e-6)


@pytest.mark.parametrize("table", TABLES)
def test_the_maximum_of_clmm_is_ours(table: str) -> None:
    """At a maximum the slope is 0: less than a hundredth of a standard error away where slope x variance says so."""
    found, vector = estimates(table), at_the_maximum(table)
    rows = scores.score_rows(table)
    size = rows.outcomes - 1
    slope = approx_fprime(vector, lambda x: our_log_likelihood(table, x), 1e-5)
    errors = {name: float(row["se"]) for name, row in found.items()}
    for v, variant in enumerate(rows.variants[1:], start=1):
        assert abs(slope[size + v]) * errors[f"effect[{variant.cue}]"] < 0.01
    assert abs(slope[-1]) * errors["sigma_item"] < 0.01


def flat_moments(table: str) -> dict[str, tuple[float, float, float]]:
    """Return mean, sd and Monte Carlo error of the mean of each parameter's posterior under flat priors."""
    fit = scores.fitted(table)
    assert all(row.status == "pass" for row in fit.gate), [row for row in fit.gate if row.status != "pass"]
    weight = scores.without_priors(fit)
    share = 1 / float((weight**2).sum()) / weight.size  # of the draws that the weights leave
    assert share > 0.25
    out = {}
    for name, draws in scores.parameters(fit).items():
        mean = float((weight * draws).sum())
        sd = float((weight * (draws - mean) ** 2).sum()) ** 0.5
        out[name] = mean, sd, scores.mcse(draws) / share**0.5
    return out


@pytest.mark.calibration
@pytest.mark.parametrize("table", TABLES)
def test_posterior_lies_at_the_estimates_of_clmm_with_its_standard_errors(table: str) -> None:
    """Means to the limits above, beyond two Monte Carlo errors; sds to a tenth of clmm's standard errors.

    The priors are taken away again by weights, since a maximum knows none: logistic densities in their tails, for one, pull
    a threshold at -5 by as much as its variance, .4 of its sd in ``prometheus``.
    """
    ours, far = flat_moments(table), {}
    items = int(facts(table)["items"])
    for name, row in estimates(table).items():
        if row["until"] not in ("NA", name[10:-1]):
            continue  # a boundary of clmm that stands for two of ours
        mean, sd, error = ours[name]
        distance = (mean - float(row["estimate"])) / sd
        limit = 0.1 if name.startswith("effect") and table in LARGE else 5 / math.sqrt(items)
        if abs(distance) > limit + 2 * error / sd or abs(sd / float(row["se"]) - 1) > 0.1:
            far[name] = distance, sd / float(row["se"])
    assert not far


@pytest.mark.calibration
def test_an_unused_level_keeps_its_place_where_clmm_drops_it() -> None:
    """clmm's boundary between levels 2 and 4 stands for our two, which the prior alone keeps apart."""
    ours = scores.parameters(scores.fitted("unused_level"))
    row = estimates("unused_level")[f"threshold[{UNUSED - 1}]"]
    below, above = ours[f"threshold[{UNUSED - 1}]"], ours[f"threshold[{UNUSED}]"]
    middle = (below + above) / 2
    assert abs(float(middle.mean()) - float(row["estimate"])) < 5 / math.sqrt(600) * float(middle.std())
    assert np.all(above > below)
    # 600 bases and 1 prior answer a level: the unused one has about 1 / 610 of the base's answers, beside a density of .1.
    assert 0 < float((above - below).mean()) < 0.05
