"""The numpyro engine against the exact one, its seeds, its compilations and its edge cases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from association_counts import pairs, stage, table
from nuts_tables import assert_agree, counts_of, simulate, swap_blocks

from judgestats.draws import arviz
from judgestats.draws.gate import worst
from judgestats.errors import SamplingError
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines import numpyro_nuts
from judgestats.inference.engines.exact import ExactEngine
from judgestats.inference.engines.numpyro_nuts import NumpyroEngine
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions
from judgestats.trials.cell import Cell

pytestmark = pytest.mark.sampling
NAMES = ("alpha", "beta", "sigma_item")
SETTINGS = EngineSettings(Seed(4), chains=4, warmup=400, draws=600)


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(21)
    cells, rows = simulate(rng, [(2.5, 1.0, 0.8, 0.0), (0.4, -0.6, 1.2, 0.0)], items=50)
    # A third cell is declared and has no valid trial.
    return counts_of([*cells, Cell("judge/c", "d")], rows, clusters=False)


@pytest.fixture(scope="module")
def fit(counts):
    return NumpyroEngine().fit(stage(), counts, SETTINGS)


def test_agrees_with_the_exact_engine(fit, counts):
    exact = ExactEngine().fit(stage(), counts, EngineSettings(Seed(1)))
    assert_agree(fit, exact, NAMES)
    for name in NAMES:
        ours, theirs = (f.posterior[name].std(("chain", "draw")).values for f in (fit, exact))
        # The relative error of a standard deviation is about sqrt(1 / (2 ESS)) for normal tails; ESS is at least 300.
        assert ours == pytest.approx(theirs, rel=0.15)


def test_an_empty_cell_keeps_its_place_and_holds_the_prior(fit):
    cell = fit.posterior.isel(cell=2)
    assert str(cell["judge"].values) == "judge/c"
    # N(0, 1.5), N(0, 1.5), half-normal(1): means 0, 0, sqrt(2 / pi); sds 1.5, 1.5, sqrt(1 - 2 / pi).
    for name, mean, sd in (
        ("alpha", 0, 1.5),
        ("beta", 0, 1.5),
        ("sigma_item", (2 / np.pi) ** 0.5, (1 - 2 / np.pi) ** 0.5),
    ):
        values = cell[name].values
        assert abs(values.mean() - mean) < 3 * arviz.mcse_mean(values)
        assert values.std() == pytest.approx(sd, rel=0.1)
    assert any("every number of this cell is its prior" in note for note in fit.notes)


def test_gate_and_shape(fit):
    assert fit.posterior["alpha"].dims == ("chain", "draw", "cell")
    assert fit.posterior["alpha"].dtype == np.float64
    assert set(fit.sample_stats.data_vars) == {"diverging", "energy", "tree_depth", "acceptance_rate"}
    assert {r.status for r in fit.gate if r.criterion in ("divergences", "ebfmi", "node_error")} == {"pass"}


def test_the_same_seed_gives_the_same_draws_and_compiles_nothing(fit, counts):
    before = len(numpyro_nuts.compilations)
    again = NumpyroEngine().fit(stage(), counts, SETTINGS)
    wider = NumpyroEngine().fit(stage(beta=2.5), counts, replace(SETTINGS, target_accept=0.85))
    assert len(numpyro_nuts.compilations) == before
    assert fit.posterior.equals(again.posterior)
    assert fit.sample_stats.equals(again.sample_stats)
    assert wider.posterior["beta"].isel(cell=2).std() > 1.5 * fit.posterior["beta"].isel(cell=2).std()
    other = NumpyroEngine().fit(stage(), counts, replace(SETTINGS, seed=Seed(5)))
    assert not np.array_equal(other.posterior["alpha"], fit.posterior["alpha"])
    chains = fit.posterior["alpha"].isel(cell=0).values
    assert not any(np.array_equal(chains[0], chains[i]) for i in (1, 2, 3))


def test_a_cell_does_not_depend_on_the_others(fit, counts):
    alone = NumpyroEngine().fit(stage(), counts.select(1), SETTINGS)
    assert np.allclose(alone.posterior["alpha"].values[..., 0], fit.posterior["alpha"].values[..., 1], atol=1e-6)


def test_swapping_the_blocks_swaps_the_sign(fit, counts):
    swapped = NumpyroEngine().fit(stage(), swap_blocks(counts), replace(SETTINGS, seed=Seed(9)))
    assert_agree(fit, swapped, NAMES, {"beta": -1.0})


def test_one_chain_runs_and_repeats(counts):
    settings = replace(SETTINGS, chains=1)
    one, two = (NumpyroEngine().fit(stage(), counts.select(0), settings) for _ in range(2))
    assert one.posterior.sizes["chain"] == 1
    assert one.posterior.equals(two.posterior)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: pairs(40, 0, 0), "all of 40 congruent trials are consistent"),
        (lambda: pairs(0, 0, 0, 40), "none of 40 incongruent trials are consistent"),
        (lambda: table([(1, 1, 0, 0)] * 6), "no valid trial is incongruent"),
        (lambda: table([(2, 1, 2, 1)]), "one item only"),
    ],
    ids=["all consistent", "none consistent", "one block", "one item"],
)
def test_thin_data_give_a_finite_answer_and_a_sentence(make, sentence):
    counts = make()
    fit = NumpyroEngine().fit(stage(), counts, SETTINGS)
    exact = ExactEngine().fit(stage(), counts, EngineSettings(Seed(1)))
    assert_agree(fit, exact, NAMES)
    assert any(sentence in note for note in fit.notes)


def test_progress_is_reported(counts):
    seen = []
    NumpyroEngine().fit(stage(), counts, replace(SETTINGS, progress=lambda *step: seen.append(step)))
    assert [(done, total) for _, done, total in seen] == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_what_it_does_not_serve_it_says(counts):
    engine = NumpyroEngine()
    assert engine.refusal(stage(), counts) is None
    clustered = stage(cluster=1.0)
    assert "use pymc" in str(engine.refusal(clustered, counts))
    with pytest.raises(SamplingError, match="cannot serve"):
        engine.fit(clustered, counts, SETTINGS)
    slopes = load_model("two_stage_association", ModelOptions(block_slope=True), []).stage("shift")
    assert "slopes" in str(engine.refusal(slopes, counts))


def test_many_trials_an_item_get_more_nodes():
    # Items with 60 trials: 31 nodes would be off by far more than the limit; the gate row proves that more were taken.
    counts = table([(30, 28, 30, 22), (30, 15, 30, 7)])
    fit = NumpyroEngine().fit(stage(), counts, SETTINGS)
    (row,) = (r for r in fit.gate if r.criterion == "node_error")
    assert row.status == "pass"
    exact = ExactEngine().fit(stage(), counts, EngineSettings(Seed(1)))
    assert_agree(fit, exact, NAMES)


def test_partial_pooling_pulls_cells_together_and_names_its_levels():
    rng = np.random.default_rng(2)
    cells, rows = simulate(rng, [(1.0, 0.8, 0.5, 0.0)] * 4, items=12, names=(("a", "b"), ("d", "e")))
    counts = counts_of(cells, rows, clusters=False)
    pooled = load_model("two_stage_association", ModelOptions(pooling="partial"), []).stage("shift")
    fit = NumpyroEngine().fit(pooled, counts, replace(SETTINGS, draws=1000))
    apart = ExactEngine().fit(stage(), counts, EngineSettings(Seed(1)))
    assert worst(r for r in fit.gate if r.criterion == "divergences") == "pass"
    for name in ("alpha", "beta"):
        means = fit.posterior[name].mean(("chain", "draw"))
        assert means.std() < 0.8 * apart.posterior[name].mean(("chain", "draw")).std()
        # The coefficient of a cell is the mean plus the deviations of its judge, its domain and itself.
        parts = fit.posterior[f"mu_{name}"] + fit.posterior[f"{name}_cell"]
        parts = parts + fit.posterior[f"{name}_judge"].sel(judge_level=fit.posterior["judge"])
        parts = parts + fit.posterior[f"{name}_domain"].sel(domain_level=fit.posterior["domain"])
        assert np.allclose(parts.transpose("chain", "draw", "cell"), fit.posterior[name], atol=1e-12)
    assert any("2 judges inform the standard deviation over judges" in note for note in fit.notes)
