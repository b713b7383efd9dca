"""Our ordinal posteriors beside brms's with the same priors, in combined Monte Carlo standard errors."""

from __future__ import annotations

from collections import Counter
from functools import cache

import frozen_reference as frozen
import numpy as np
import pytest
import score_reference as scores
from scipy import stats

TABLES = ("small", "small_unused", "prometheus")
ERRORS = 3


@cache
def reference(table: str) -> dict[str, dict[str, float]]:
    found = [row for row in frozen.rows("brms_ordinal_reference.csv") if row["table"] == table]
    return {row["quantity"]: {k: float(v) for k, v in row.items() if k not in ("table", "quantity")} for row in found}


def test_reference_is_itself_converged() -> None:
    found = frozen.rows("brms_ordinal_reference.csv")
    assert {row["table"] for row in found} == set(TABLES)
    assert max(float(row["rhat"]) for row in found) < 1.01
    assert min(float(row["ess_bulk"]) for row in found) > 1000
    assert {row["divergent"] for row in found} == {"0"}


def test_reference_has_our_priors() -> None:
    """Induced Dirichlet(1) at 0, N(0, 1.5), half-normal(1): what brms was given through `stanvar` and `prior`."""
    priors = {term.name: term.prior for term in scores.shift_stage().terms}
    assert (priors["threshold"].family, priors["threshold"].shape, priors["threshold"].mean) == (
        "induced_dirichlet",
        1,
        0,
    )
    assert (priors["effect"].family, priors["effect"].mean, priors["effect"].sd) == ("normal", 0, 1.5)
    assert (priors["sigma_item"].family, priors["sigma_item"].sd) == ("half_normal", 1)
    assert "induced Dirichlet(1) at 0" in frozen.header("brms_ordinal_reference.json")["priors"]


def test_prior_density_of_thresholds_is_that_of_ordered_logistic_variates() -> None:
    """With Dirichlet(1) the density over the simplex is the constant Gamma(K), which leaves the Jacobian, the product of
    logistic densities; that is what the Stan program adds."""
    cuts = np.array([-2.1, -0.3, 0.4, 3.0])
    prior = next(term.prior for term in scores.shift_stage().terms if term.name == "threshold")
    assert float(prior.log_density(cuts)) == pytest.approx(
        float(np.log(24) + stats.logistic.logpdf(cuts).sum()), abs=1e-12
    )


def test_brms_kept_the_unused_levels() -> None:
    """10 declared levels of which three never occur: nine thresholds, and the levels that occur in their own places."""
    rows = scores.score_rows("small_unused")
    assert set(range(10)) - set(rows.outcome.tolist()) == {5, 8, 9}
    assert sum(name.startswith("threshold") for name in reference("small_unused")) == 9
    share = Counter(rows.outcome[rows.variant == 0].tolist())
    raw = sum((level + 1) * n for level, n in share.items()) / sum(share.values())
    theirs = reference("small_unused")["expected[base]"]
    assert abs(theirs["mean"] - raw) < 3 * theirs["sd"]


@pytest.mark.sampling
@pytest.mark.parametrize("table", TABLES)
def test_means_agree_with_brms(table: str) -> None:
    """Thresholds, effects, item sd, expected scores and shifts: up to 18 means of a table, 50 in all; .87 pass by chance."""
    fit = scores.fitted(table)
    assert all(row.status == "pass" for row in fit.gate), [row for row in fit.gate if row.status != "pass"]
    found = {name: z for name, what, z in scores.distances(table, reference(table)) if what == "mean"}
    assert set(found) == set(reference(table))
    assert max(map(abs, found.values())) < ERRORS, found


@pytest.mark.sampling
def test_sds_and_interval_ends_lie_beyond_3_errors_no_more_often_than_chance_lets_them() -> None:
    """Sds, medians and ends of all tables, counted together, since one in 370 lies beyond 3 errors when all is right."""
    found = [
        (table, name, what, z)
        for table in TABLES
        for name, what, z in scores.distances(table, reference(table))
        if what != "mean"
    ]
    z = np.array([row[-1] for row in found])
    beyond = int((np.abs(z) > ERRORS).sum())
    assert stats.binom.sf(beyond - 1, z.size, 2 * stats.norm.sf(ERRORS)) > 0.001, [
        r for r in found if abs(r[-1]) > ERRORS
    ]
