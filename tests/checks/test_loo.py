"""Leave-one-item-out: closed forms, independent refits and PSIS against brute force."""

from __future__ import annotations

from dataclasses import replace

import hand_made as hm
import numpy as np
import pytest
import xarray as xr
from scipy.special import expit
from scipy.stats import norm

from judgestats.checks.cell_lattice import CellLattice
from judgestats.checks.item_likelihood import item_log_likelihood
from judgestats.checks.leave_one_out import leave_one_out_rows, leave_out_cells, leave_out_units
from judgestats.checks.loo import loo_by_item
from judgestats.inference.cell_posterior import CellModel
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import ExactEngine
from judgestats.seeds import Seed

SEED = Seed(11)
SETTINGS = EngineSettings(SEED)


def sampling_error(log_likelihood: xr.DataArray) -> float:
    """Standard error of the elpd by importance sampling: -log mean(1 / L) of each unit, linearised, summed by draw."""
    ratios = np.exp(-log_likelihood.values.reshape(-1, log_likelihood.sizes["item"]))
    per_draw = (ratios / ratios.mean(axis=0)).sum(axis=1)
    return float(per_draw.std() / np.sqrt(per_draw.size))


def item_probability(eta: np.ndarray, sigma: np.ndarray) -> np.ndarray:
    """E expit(eta + sigma Z) by a plain sum, dims (sigma, eta)."""
    z = np.linspace(-8, 8, 161)
    w = norm.pdf(z) / norm.pdf(z).sum()
    return sum(wi * expit(eta[None, :] + sigma[:, None] * zi) for wi, zi in zip(w, z, strict=True))


def test_two_items_in_closed_form() -> None:
    # Two congruent successes: p(y_2 | y_1) = E[q^2] / E[q] with q = E expit(eta + sigma Z). The predictor
    # eta = alpha + beta / 2 is normal with variance 1.5^2 (1 + 1/4), so a sum over (eta, sigma) does it.
    table = hm.counts([(0, 0, None, 0.5, 1, 1), (0, 1, None, 0.5, 1, 1)])
    found = leave_out_units(hm.stage(), table)
    eta, sigma = np.linspace(-12, 12, 481), np.linspace(0, 7, 281)
    weight = np.exp(-0.5 * sigma**2)[:, None] * norm.pdf(eta, 0, 1.5 * np.sqrt(1.25))
    weight[0] /= 2
    q = item_probability(eta, sigma)
    expected = np.log((weight * q**2).sum() / (weight * q).sum())
    assert found.elpd == pytest.approx([expected, expected], abs=1e-5)
    assert found.names == ("item-000", "item-001")


def test_leaving_out_against_a_plain_triple_sum() -> None:
    # Three items, one trial each: p(y_3 | y_1, y_2) as a ratio of two sums over (sigma, alpha, beta).
    table = hm.counts([(0, 0, None, 0.5, 1, 1), (0, 1, None, -0.5, 1, 0), (0, 2, None, 0.5, 1, 0)])
    alpha, beta, sigma = np.linspace(-10, 10, 101), np.linspace(-10, 10, 51), np.linspace(0, 7, 57)
    weight = np.exp(-0.5 * sigma**2)[:, None, None] * norm.pdf(alpha, 0, 1.5)[:, None] * norm.pdf(beta, 0, 1.5)
    weight[0] /= 2
    up, down = alpha[:, None] + beta / 2, alpha[:, None] - beta / 2
    q_up, q_down = (item_probability(eta.ravel(), sigma).reshape(57, 101, 51) for eta in (up, down))
    seen = weight * q_up * (1 - q_down)
    expected = np.log((seen * (1 - q_up)).sum() / seen.sum())
    assert leave_out_units(hm.stage(), table).elpd[2] == pytest.approx(expected, abs=1e-5)


def test_influence_is_the_difference_of_two_separate_fits() -> None:
    table = hm.counts(hm.paired(20, 6, 2, 2))
    found = leave_out_units(hm.stage(), table)
    for item in (0, 22):
        keep = table.item != item
        fewer = replace(
            table,
            cell=table.cell[keep],
            item=table.item[keep],
            block=table.block[keep],
            trials=table.trials[keep],
            successes=table.successes[keep],
        )
        means = []
        for one in (table, fewer):
            lines = ExactEngine().fit(hm.stage(), one, SETTINGS).lines[hm.CELL]
            p = lines.broadcast()
            z = np.linspace(-8, 8, 161)
            w = norm.pdf(z) / norm.pdf(z).sum()
            up, down = (
                sum(
                    wi * expit(p["alpha"] + s * p["beta"] / 2 + p["sigma_item"] * zi)
                    for wi, zi in zip(w, z, strict=True)
                )
                for s in (1, -1)
            )
            means.append(float(np.sum(lines.mass * (up - down))))
        assert found.influence[item] == pytest.approx(means[1] - means[0], abs=3e-5)


def test_a_unit_that_needs_its_own_lattice_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = hm.counts(hm.paired(20, 6, 2, 2))
    shared = leave_out_units(hm.stage(), table)
    monkeypatch.setattr("judgestats.checks.leave_one_out.EDGE_LIMIT", -1.0)
    own = leave_out_units(hm.stage(), table)
    assert own.elpd == pytest.approx(shared.elpd, abs=1e-6)
    assert own.influence == pytest.approx(shared.influence, abs=1e-5)


def test_psis_agrees_with_brute_force() -> None:
    rng = np.random.default_rng(5)
    rows = []
    for item in range(60):
        effect = rng.normal(0, 1.0)
        for block in (0.5, -0.5):
            rows.append((0, item, None, block, 1, int(rng.random() < expit(1.5 + 0.8 * block + effect))))
    table = hm.counts(rows)
    fit = ExactEngine().fit(hm.stage(), table, SETTINGS)
    (row,) = loo_by_item(hm.stage(), fit, SEED)
    assert row.unit == "item"
    assert row.n_items == 60
    assert row.pareto_k_max is not None
    assert row.pareto_k_max < 0.5
    assert row.share_k_over_07 == 0.0
    assert row.elpd == pytest.approx(row.elpd_exact, abs=4 * sampling_error(item_log_likelihood(hm.stage(), fit)))
    assert 1.0 < row.p_loo < 4.0
    assert row.se == pytest.approx(np.sqrt(60 * np.var(leave_out_units(hm.stage(), table).elpd, ddof=1)), rel=0.02)


def test_clusters_that_hold_items_are_left_out_whole() -> None:
    rng = np.random.default_rng(8)
    rows = [(0, i, i // 6, (0.5, -0.5)[i % 2], 1, int(rng.random() < 0.75)) for i in range(48)]
    table = hm.counts(rows)
    spec = hm.stage(clusters=True)
    fit = hm.lattice_fit(spec, table, rng, 1000)
    (row,) = loo_by_item(spec, fit, SEED)
    assert row.unit == "cluster"
    assert row.n_items == 8
    assert row.elpd == pytest.approx(row.elpd_exact, abs=4 * sampling_error(item_log_likelihood(spec, fit)))


def test_range_of_refits_names_the_items_and_mirrors() -> None:
    table = hm.counts(hm.paired(60, 12, 3, 5))
    mirrored = hm.counts(hm.paired(60, 3, 12, 5))
    stage = hm.stage()
    found = []
    for one in (table, mirrored):
        fit = replace(hm.fit(one, {"alpha": np.zeros((1, 1, 1)), "beta": np.zeros((1, 1, 1))}), engine="exact")
        found.append(leave_one_out_rows(stage, one, leave_out_cells(stage, fit), rope=(-0.02, 0.02)))
    low, high = found[0]
    assert low.mean < CellLattice.over(CellModel.of(stage, table)).mean_delta(
        CellLattice.over(CellModel.of(stage, table)).log_posterior()
    )
    assert low.setting.startswith("without item item-0")
    assert (low.mean, high.mean) == pytest.approx((-found[1][1].mean, -found[1][0].mean), abs=1e-9)


def test_one_unit_has_no_row_and_no_crash() -> None:
    table = hm.counts([(0, 0, None, 0.5, 1, 1), (0, 0, None, -0.5, 1, 1)])
    fit = ExactEngine().fit(hm.stage(), table, SETTINGS)
    assert loo_by_item(hm.stage(), fit, SEED) == ()
    assert np.isfinite(leave_out_units(hm.stage(), table).elpd).all()
