"""The pymc engine against the others, on crossed and nested clusters, pooled and shared, slopes and correlated stages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from association_counts import stage
from nuts_tables import assert_agree, chance_of_exceeding, counts_of, simulate, swap_blocks

from judgestats.draws import arviz
from judgestats.draws.gate import worst
from judgestats.errors import ConfigError, SamplingError
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines import pymc_nuts
from judgestats.inference.engines.exact import ExactEngine
from judgestats.inference.engines.numpyro_nuts import NumpyroEngine
from judgestats.inference.engines.pymc_nuts import PymcEngine, fit_joint
from judgestats.inference.item_effects import item_effects
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions, StageSpec
from judgestats.trials.cell import Cell

pytestmark = pytest.mark.sampling
NAMES = ("alpha", "beta", "sigma_item")
SETTINGS = EngineSettings(Seed(4), chains=4, warmup=400, draws=600)
EXACT = EngineSettings(Seed(1))


def spec(options: ModelOptions, columns: tuple[str, ...] = ()) -> StageSpec:
    return load_model("two_stage_association", options, columns).stage("shift")


@pytest.fixture(scope="module")
def plain():
    rng = np.random.default_rng(21)
    cells, rows = simulate(rng, [(2.5, 1.0, 0.8, 0.0), (0.4, -0.6, 1.2, 0.0)], items=40)
    # The second cell is smaller, the third has no valid trial.
    rows = [r for r in rows if r[0] == 0 or r[1] < "item030"]
    return counts_of([*cells, Cell("judge/c", "d")], rows, clusters=False)


@pytest.fixture(scope="module")
def plain_fit(plain):
    return PymcEngine().fit(stage(), plain, SETTINGS)


def test_agrees_with_the_exact_and_the_numpyro_engine(plain, plain_fit):
    exact, collapsed = ExactEngine().fit(stage(), plain, EXACT), NumpyroEngine().fit(stage(), plain, SETTINGS)
    assert_agree(plain_fit, exact, NAMES)
    assert_agree(plain_fit, collapsed, NAMES)
    for name in NAMES:
        ours, theirs = (f.posterior[name].std(("chain", "draw")).values for f in (plain_fit, exact))
        assert ours == pytest.approx(theirs, rel=0.2)


def test_sampled_item_effects_agree_with_conditional_draws(plain, plain_fit):
    sampled = item_effects(stage(), plain_fit, Seed(1))
    assert sampled.identical(plain_fit.posterior["item_effect"])
    drawn = item_effects(stage(), ExactEngine().fit(stage(), plain, EXACT), Seed(1))
    assert sampled["item"].equals(drawn["item"])
    assert sampled.sizes["item"] == 70
    errors = np.hypot(arviz.mcse_mean(sampled.values), drawn.values.std((0, 1)) / np.sqrt(4000))
    z = np.abs(sampled.values.mean((0, 1)) - drawn.values.mean((0, 1))) / errors
    # Each of the 70 items within 3 errors; by chance .19 of 70 lie beyond, and two or more with probability .016.
    assert chance_of_exceeding(int((z > 3).sum()), z.size) > 0.001
    assert np.mean(z < 2) > 0.8


def test_the_empty_cell_holds_the_prior(plain_fit):
    cell = plain_fit.posterior.isel(cell=2)
    for name, mean, sd in (
        ("alpha", 0, 1.5),
        ("beta", 0, 1.5),
        ("sigma_item", (2 / np.pi) ** 0.5, (1 - 2 / np.pi) ** 0.5),
    ):
        assert abs(cell[name].values.mean() - mean) < 3 * arviz.mcse_mean(cell[name].values)
        assert cell[name].values.std() == pytest.approx(sd, rel=0.12)
    assert any("every number of this cell is its prior" in note for note in plain_fit.notes)


def test_seeds_and_compiled_models(plain, plain_fit):
    before = len(pymc_nuts.compilations)
    again = PymcEngine().fit(stage(), plain, SETTINGS)
    assert plain_fit.posterior.equals(again.posterior)
    assert plain_fit.sample_stats.equals(again.sample_stats)
    one = PymcEngine().fit(stage(beta=2.5), plain, replace(SETTINGS, chains=1))
    assert one.posterior.sizes["chain"] == 1
    assert one.posterior["beta"].isel(cell=2).std() > 1.4 * plain_fit.posterior["beta"].isel(cell=2).std()
    other = PymcEngine().fit(stage(), plain, replace(SETTINGS, seed=Seed(5)))
    assert not np.array_equal(other.posterior["alpha"], plain_fit.posterior["alpha"])
    assert len(pymc_nuts.compilations) == before  # neither other priors nor other seeds compile
    chains = plain_fit.posterior["alpha"].isel(cell=0).values
    assert not any(np.array_equal(chains[0], chains[i]) for i in (1, 2, 3))


def test_swapping_the_blocks_swaps_the_sign(plain, plain_fit):
    swapped = PymcEngine().fit(stage(), swap_blocks(plain), replace(SETTINGS, seed=Seed(9)))
    assert_agree(plain_fit, swapped, NAMES, {"beta": -1.0})


def test_statistics_are_the_four_that_can_be_saved(plain_fit):
    assert set(plain_fit.sample_stats.data_vars) == {"diverging", "energy", "tree_depth", "acceptance_rate"}
    assert all(v.dtype.kind in "bif" for v in plain_fit.sample_stats.data_vars.values())
    assert all(v.dtype == np.float64 for v in plain_fit.posterior.data_vars.values())
    assert not [name for name in plain_fit.posterior.data_vars if "raw" in str(name)]


def test_separation_and_one_item_are_answered():
    cells = [Cell("a", "d"), Cell("b", "d")]
    rows = [(0, f"i{i:02d}", "t", b, 1, 1) for i in range(40) for b in (-0.5, 0.5)]
    rows += [(1, "only", "t", b, 2, 1) for b in (-0.5, 0.5)]
    counts = counts_of(cells, rows, clusters=False)
    fit, exact = PymcEngine().fit(stage(), counts, SETTINGS), ExactEngine().fit(stage(), counts, EXACT)
    assert_agree(fit, exact, NAMES)
    assert any("all of 40 congruent trials are consistent" in note for note in fit.notes)
    assert any("one item only" in note for note in fit.notes)


def test_clusters_crossed_with_items_are_recovered_and_nested_ones_equal_the_exact_engine():
    clustered = stage(cluster=1.0)
    rng = np.random.default_rng(5)
    truths = [(1.0, 0.8, 0.6, 0.9), (0.3, -0.5, 1.0, 0.4)]
    cells, rows = simulate(rng, truths, items=24, clusters=16)
    crossed = counts_of(cells, rows, clusters=True)
    fit = PymcEngine().fit(clustered, crossed, SETTINGS)
    assert worst(r for r in fit.gate if r.criterion in ("divergences", "ebfmi")) == "pass"
    for cell, truth in enumerate(truths):
        for name, value in zip((*NAMES, "sigma_cluster"), truth, strict=True):
            draws = fit.posterior[name].values[..., cell]
            assert abs(draws.mean() - value) < 3 * draws.std()
            assert draws.std() < 0.5  # informed: every prior sd is above .6
    assert fit.posterior["cluster_effect"].sizes["cluster"] == 32
    assert fit.posterior["cluster_judge"].values[[0, -1]].tolist() == ["judge/a", "judge/b"]
    # Two items inside each of twelve clusters: the same compiled model, and the exact engine serves it too.
    cells, rows = simulate(rng, [(1.0, 0.8, 0.6, 0.9)], items=2, clusters=12, trials=4)
    nested = [(c, f"{g}/{i}", g, b, n, k) for c, i, g, b, n, k in rows]
    counts = counts_of(cells, nested, clusters=True)
    before = len(pymc_nuts.compilations)
    sampled, exact = PymcEngine().fit(clustered, counts, SETTINGS), ExactEngine().fit(clustered, counts, EXACT)
    assert_agree(sampled, exact, (*NAMES, "sigma_cluster"))
    assert len(pymc_nuts.compilations) == before


def test_pooled_cells_with_shared_items_agree_with_the_numpyro_engine():
    rng = np.random.default_rng(2)
    cells, rows = simulate(rng, [(1.0, 0.8, 0.7, 0.0)] * 4, items=12, names=(("a", "b"), ("d", "e")))
    counts = counts_of(cells, rows, clusters=False)
    pooled = spec(ModelOptions(pooling="partial", items="shared"))
    settings = replace(SETTINGS, draws=1000)
    fit, collapsed = PymcEngine().fit(pooled, counts, settings), NumpyroEngine().fit(pooled, counts, settings)
    taus = tuple(f"tau_{c}_{g}" for c in ("alpha", "beta") for g in ("judge", "domain", "cell"))
    assert_agree(fit, collapsed, (*NAMES, "mu_alpha", "mu_beta", *taus))
    sigma, effect = fit.posterior["sigma_item"].values, fit.posterior["item_effect"].values
    assert np.array_equal(sigma[..., 0], sigma[..., 2])  # judge a and b in domain d
    assert not np.array_equal(sigma[..., 0], sigma[..., 1])
    assert np.array_equal(effect[..., :12], effect[..., 24:36])
    for name in ("alpha", "beta"):
        parts = fit.posterior[f"mu_{name}"] + fit.posterior[f"{name}_cell"]
        parts = parts + fit.posterior[f"{name}_judge"].sel(judge_level=fit.posterior["judge"])
        parts = parts + fit.posterior[f"{name}_domain"].sel(domain_level=fit.posterior["domain"])
        assert np.allclose(parts.transpose("chain", "draw", "cell"), fit.posterior[name], atol=1e-12)


def test_block_slopes_are_recovered():
    rng = np.random.default_rng(8)
    slopes, rows = rng.normal(0, 1.5, 30), []
    for i, slope in enumerate(slopes):
        for block in (-0.5, 0.5):
            p = 1 / (1 + np.exp(-(0.5 + (0.4 + slope) * block)))
            rows.append((0, f"i{i:02d}", "t", block, 60, int(rng.binomial(60, p))))
    counts = counts_of([Cell("a", "d")], rows, clusters=False)
    fit = PymcEngine().fit(spec(ModelOptions(block_slope=True)), counts, SETTINGS)
    sigma = fit.posterior["sigma_slope"].values
    assert abs(sigma.mean() - 1.5) < 3 * sigma.std()
    means = fit.posterior["item_slope"].mean(("chain", "draw")).values
    # Slopes are estimated from 120 trials each: se of a log odds ratio about .37 against a spread of 1.5.
    assert np.corrcoef(means, slopes)[0, 1] > 0.9


@pytest.fixture(scope="module")
def two_stages():
    rng = np.random.default_rng(1)
    asked, valid = [], []
    for i in range(60):
        z = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]])
        for block in (-0.5, 0.5):
            answers = rng.random(4) < 1 / (1 + np.exp(-(0.8 + 1.4 * z[0])))
            kept = int(answers.sum())
            hits = int((rng.random(kept) < 1 / (1 + np.exp(-(0.5 + 0.7 * block + 1.4 * z[1])))).sum())
            asked.append((0, f"i{i:02d}", "t", block, 4, kept))
            if kept:
                valid.append((0, f"i{i:02d}", "t", block, kept, hits))
    cells = [Cell("a", "d")]
    return {
        "validity": counts_of(cells, asked, clusters=False, stage="validity"),
        "shift": counts_of(cells, valid, clusters=False),
    }


def test_correlated_stages_at_zero_are_the_factorised_fits(two_stages):
    model = load_model("two_stage_association", ModelOptions(correlated_stages=True), [])
    held = fit_joint(model, two_stages, SETTINGS, fixed_correlation=0.0)
    for name, fit in held.items():
        apart = ExactEngine().fit(model.stage(name), two_stages[name], EXACT)
        assert_agree(fit, apart, NAMES)
        assert np.all(fit.posterior["rho_item"] == 0.0)
        assert {r.status for r in fit.gate if r.quantity == "rho_item"} == {"undefined"}


def test_a_correlation_over_stages_is_found(two_stages):
    model = load_model("two_stage_association", ModelOptions(correlated_stages=True), [])
    free = fit_joint(model, two_stages, SETTINGS)
    rho = free["shift"].posterior["rho_item"]
    assert rho.equals(free["validity"].posterior["rho_item"])
    assert float((rho > 0).mean()) > 0.99
    assert abs(float(rho.mean()) - 0.9) < 3 * float(rho.std()) + 0.1  # the LKJ(2) prior pulls away from the end


def test_what_a_joint_fit_cannot_do_it_says(two_stages):
    plain_model = load_model("two_stage_association", ModelOptions(), [])
    with pytest.raises(SamplingError, match="correlated_stages"):
        fit_joint(plain_model, two_stages, SETTINGS)
    model = load_model("two_stage_association", ModelOptions(correlated_stages=True), [])
    with pytest.raises(SamplingError, match="must lie in"):
        fit_joint(model, two_stages, SETTINGS, fixed_correlation=1.0)
    shared = load_model("two_stage_association", ModelOptions(items="shared"), [])
    mixed = replace(model, stages=shared.stages)
    with pytest.raises(ConfigError, match="shared by the judges"):
        fit_joint(mixed, two_stages, SETTINGS)


def test_clusters_that_are_not_in_the_table_are_refused(plain):
    assert "no clusters" in str(PymcEngine().refusal(stage(cluster=1.0), plain))
    with pytest.raises(SamplingError, match="cannot serve"):
        PymcEngine().fit(stage(cluster=1.0), plain, SETTINGS)


def test_progress_counts_draws_of_all_cells(plain):
    seen = []
    settings = replace(SETTINGS, warmup=100, draws=100, progress=lambda *step: seen.append(step))
    PymcEngine().fit(stage(), plain, settings)
    done = [step[1] for step in seen]
    assert seen[0][1:] == (0, 2400)
    assert done[-1] == 2400
    assert done == sorted(done)
