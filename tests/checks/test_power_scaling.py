"""Power-scaling: closed forms on the exact posterior, and a prior in conflict with the data."""

from __future__ import annotations

import hand_made as hm
import numpy as np
import pytest
import xarray as xr
from scipy.stats import halfnorm, norm

from judgestats.checks.finding import SensitivityRow
from judgestats.checks.log_prior import cell_log_prior, log_prior
from judgestats.checks.power_scaling import SETTINGS, power_scaling
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term
from judgestats.trials.counts import StageCounts


def indices(stage: StageSpec, table: StageCounts, seed: int = 1) -> dict[str, SensitivityRow]:
    fit = hm.lattice_fit(stage, table, np.random.default_rng(seed), 4000)
    return {row.setting: row for row in power_scaling(stage, fit, Seed(seed))}


def test_log_prior_is_the_sum_of_the_stated_densities() -> None:
    table = hm.counts(hm.paired(3, 1, 0, 0))
    alpha, beta, sigma = np.array([0.4, -1.0]), np.array([1.2, 0.0]), np.array([0.3, 2.0])
    made = hm.fit(
        table, {"alpha": alpha[None, :, None], "beta": beta[None, :, None], "sigma_item": sigma[None, :, None]}
    )
    densities = log_prior(hm.stage(), made.posterior)
    total = cell_log_prior(densities, 0, "x")
    expected = norm.logpdf(alpha, 0, 1.5) + norm.logpdf(beta, 0, 1.5) + halfnorm.logpdf(sigma)
    assert set(densities.data_vars) == {"alpha", "beta", "sigma_item"}
    assert total[0] == pytest.approx(expected, abs=1e-12)


def test_pooled_cells_count_their_common_mean_and_not_their_own_distribution() -> None:
    terms = (
        *hm.stage().terms,
        Term("tau_alpha_judge", "varying", Prior("half_normal", 0.5), group="judge", of="intercept"),
    )
    stage = StageSpec("shift", "consistent", "valid", "bernoulli_logit", terms)
    posterior = xr.Dataset(
        {
            "alpha": (("chain", "draw", "cell"), np.full((1, 2, 2), 9.0)),
            "mu_alpha": (("chain", "draw"), np.array([[0.0, 1.0]])),
            "beta": (("chain", "draw", "cell"), np.zeros((1, 2, 2))),
            "sigma_item": (("chain", "draw", "cell"), np.zeros((1, 2, 2))),
            "tau_alpha_judge": (("chain", "draw"), np.array([[0.2, 0.2]])),
        }
    )
    densities = log_prior(stage, posterior)
    assert set(densities.data_vars) == {"mu_alpha", "beta", "sigma_item", "tau_alpha_judge"}
    total = cell_log_prior(densities, 1, "x")
    # From one draw to the next only mu_alpha moves, from 0 to 1 under N(0, 1.5).
    assert total[0, 1] - total[0, 0] == pytest.approx(-0.5 / 1.5**2, abs=1e-12)


def test_plenty_of_data_make_the_prior_matter_little() -> None:
    # Twenty trials an item and block; the default priors move the effect hardly at all.
    rng = np.random.default_rng(6)
    rows: list[hm.Row] = []
    for item in range(60):
        effect = rng.normal(0, 0.5)
        for block in (0.5, -0.5):
            p = 1 / (1 + np.exp(-(0.3 + 0.6 * block + effect)))
            rows.append((0, item, None, block, 20, int(rng.binomial(20, p))))
    found = indices(hm.stage(), hm.counts(rows))
    assert found[SETTINGS[0]].value < 0.02
    assert found[SETTINGS[1]].value > 0.05
    assert found[SETTINGS[0]].note == "the prior matters little"


def test_a_prior_in_conflict_with_the_data_is_flagged() -> None:
    # Block effect N(-3, 0.5) against 30 of 40 to 10 of 40: both move the effect.
    stage = hm.stage(beta=Prior("normal", 0.5, -3.0))
    found = indices(stage, hm.counts(hm.paired(8, 22, 2, 8)))
    for setting in SETTINGS:
        assert found[setting].value > 0.05
        assert found[setting].note.startswith("prior and data may disagree")


def test_the_index_is_stable_over_draws_and_falls_with_data() -> None:
    few = [indices(hm.stage(), hm.counts(hm.paired(9, 6, 1, 4)), seed)[SETTINGS[0]].value for seed in range(3)]
    many = [indices(hm.stage(), hm.counts(hm.paired(90, 60, 10, 40)), seed)[SETTINGS[0]].value for seed in range(3)]
    assert np.ptp(few) < 0.3 * np.mean(few)
    # The pull of the prior in posterior sds falls like 1 / sqrt(n): a factor 3.2 here, less what the item sd adds,
    # which two trials an item leave to its prior.
    assert np.mean(many) < 0.7 * np.mean(few)


def test_without_a_trial_the_posterior_is_the_prior() -> None:
    cells = (hm.Cell("a", "x"), hm.Cell("b", "x"))
    table = hm.counts(hm.paired(5, 1, 0, 0), cells)
    fit = hm.lattice_fit(hm.stage(), table, np.random.default_rng(1), 1000)
    rows = [row for row in power_scaling(hm.stage(), fit, Seed(1)) if row.judge == "b"]
    assert rows[1].value == 0.0
    assert all(row.note.startswith("no trial") for row in rows)
