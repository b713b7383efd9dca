"""Fits of score stages: means against a grid, and cells in which something is missing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit
from score_tables import VARIANTS, score_rows_of

from judgestats.errors import ConfigError
from judgestats.inference.contract import EngineSettings
from judgestats.inference.score_stage import fit_score_stage
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions
from judgestats.trials.table import Score

ORDINAL = load_model("two_stage_ordinal", ModelOptions(), ())
SETTINGS = EngineSettings(Seed(5), chains=4, warmup=300, draws=500)
# (item, variant, level, trials) of one cell with three levels and the base beside one variant
CELL = [
    (0, 0, 0, 1),
    (0, 1, 1, 1),
    (1, 0, 1, 1),
    (1, 1, 2, 1),
    (2, 0, 2, 1),
    (2, 1, 2, 1),
    (3, 0, 1, 2),
    (3, 1, 1, 1),
    (4, 0, 0, 1),
    (4, 1, 0, 1),
]


@pytest.fixture(scope="module")
def fit():
    """Cells: 0 complete, 1 empty, 2 without one variant, 3 constant with one item, 4 without the base."""
    rows = [(0, *row) for row in CELL]
    rows += [(2, i, v, k, n) for i, v, k, n in CELL if v == 0]
    rows += [(3, 0, v, 1, 4) for v in (0, 1)]
    rows += [(4, i, 1, k, n) for i, v, k, n in CELL if v == 1]
    table = score_rows_of(rows, outcomes=3, cells=5, variants=VARIANTS[:2])
    return fit_score_stage(ORDINAL.stage("shift"), table, SETTINGS, scale=Score(1, 3))


def grid_means():
    """Posterior means of the complete cell on a grid, item effects by Gauss-Hermite; nothing of the package is used.

    Under the induced Dirichlet with shape 1 the density of ordered thresholds is 2 f(c_1) f(c_2), f the logistic density.
    """
    c1, c2, effect = np.linspace(-5, 3.5, 36), np.linspace(-3, 6, 36), np.linspace(-4.5, 5.5, 36)
    sigma = np.linspace(0.03, 3.6, 26)
    a, b, e = (grid[..., None] for grid in np.meshgrid(c1, c2, effect, indexing="ij"))
    z, weight = np.polynomial.hermite_e.hermegauss(25)
    prior = stats.logistic.logpdf(a) + stats.logistic.logpdf(b) + stats.norm.logpdf(e, 0, 1.5)
    total = np.empty((*a.shape[:3], sigma.size))
    for s, sd in enumerate(sigma):
        lower = [expit(cut - e * v - sd * z) for v in (0, 1) for cut in (a, b)]
        probability = {(v, 0): lower[2 * v] for v in (0, 1)}
        probability |= {(v, 1): np.clip(lower[2 * v + 1] - lower[2 * v], 1e-300, None) for v in (0, 1)}
        probability |= {(v, 2): 1 - lower[2 * v + 1] for v in (0, 1)}
        log = prior[..., 0] + stats.halfnorm.logpdf(sd)
        for item in range(5):
            product = np.prod([probability[v, k] ** n for i, v, k, n in CELL if i == item], axis=0)
            log = log + np.log(np.clip(product @ (weight / weight.sum()), 1e-300, None))
        total[..., s] = np.where(b[..., 0] > a[..., 0], log, -np.inf)
    share = np.exp(total - total.max())
    share /= share.sum()
    means = [
        (share.sum(axis=tuple(d for d in range(4) if d != k)) @ axis) for k, axis in enumerate((c1, c2, effect, sigma))
    ]
    return dict(zip(("c1", "c2", "effect", "sigma"), means, strict=True))


@pytest.mark.sampling
def test_posterior_means_are_those_of_a_grid(fit):
    expected = grid_means()
    posterior = fit.posterior.isel(cell=0)
    drawn = {
        "c1": posterior["threshold"].values[..., 0],
        "c2": posterior["threshold"].values[..., 1],
        "effect": posterior["effect"].values[..., 1],
        "sigma": posterior["sigma_item"].values,
    }
    for name, values in drawn.items():
        # 4 standard errors at 400 effective draws (the gate's least), and the error of the grid's spacing.
        assert values.mean() == pytest.approx(expected[name], abs=4 * values.std() / 20 + 0.02), name


@pytest.mark.sampling
def test_the_gate_passes_and_has_a_row_for_every_parameter_of_filled_cells(fit):
    assert {row.status for row in fit.gate} == {"pass"}
    cells = {row.judge for row in fit.gate if row.quantity == "sigma_item"}
    assert cells == {"judge 0", "judge 2", "judge 3", "judge 4"}
    assert {row.criterion for row in fit.gate} == {
        "rhat", "ess_bulk", "ess_tail", "divergences", "ebfmi", "node_error",
    }  # fmt: skip


@pytest.mark.sampling
def test_what_a_cell_does_not_show_is_nan_with_a_note(fit):
    effect, threshold = fit.posterior["effect"].values, fit.posterior["threshold"].values
    assert np.all(np.isnan(effect[:, :, 1]))
    assert np.all(np.isnan(threshold[:, :, 1]))
    assert np.all(effect[:, :, 2, 0] == 0)
    assert np.all(np.isnan(effect[:, :, 2, 1]))
    assert np.all(np.isfinite(effect[:, :, 3]))
    assert np.all(np.isfinite(threshold[:, :, 4]))
    assert np.all(np.isnan(effect[:, :, 4]))
    text = "\n".join(fit.notes)
    for words in (
        "judge 1 x d, shift stage: there is no valid score",
        "there is no valid score of authority neg",
        "all 8 valid scores are at one level",
        "there is one item only",
        "the base has no valid score",
    ):
        assert words in text


@pytest.mark.sampling
def test_a_constant_judge_has_its_effect_near_nothing_and_as_wide_as_the_prior_allows(fit):
    effect = fit.posterior["effect"].values[:, :, 3, 1]
    # Level 2 of 3 throughout: reversing the levels changes nothing, so the posterior is symmetric about 0.
    assert abs(effect.mean()) < 4 * effect.std() / 20
    assert 0.5 < effect.std() < 1.5


def test_rows_of_another_scale_are_refused():
    table = score_rows_of([(0, *row) for row in CELL], outcomes=3, variants=VARIANTS[:2])
    with pytest.raises(ConfigError, match="3 levels on a scale of 10"):
        fit_score_stage(ORDINAL.stage("shift"), table, SETTINGS, scale=Score(1, 10))


def test_a_family_of_other_models_is_refused():
    table = score_rows_of([(0, *row) for row in CELL], outcomes=3, variants=VARIANTS[:2])
    with pytest.raises(ConfigError, match="no score model"):
        fit_score_stage(replace(ORDINAL.stage("shift"), family="poisson"), table, SETTINGS)
