"""Calibration of the ordinal stage: truths from the priors, and data made from other parameters than the truths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import logit
from score_tables import score_rows_of

from judgestats.checks.ecdf_band import ecdf_band
from judgestats.inference import score_nodes, score_stage
from judgestats.inference.contract import EngineSettings
from judgestats.inference.score_stage import fit_score_stage
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions

pytestmark = pytest.mark.sampling

SEED = Seed(20261201)
SETTINGS = EngineSettings(SEED, chains=4, warmup=80, draws=60)
SETS = {"model": 32, "effects raised, item sd tripled": 16}
ITEMS, REPEATS = 6, 3  # at most 8 items a cell: every data set pads to 8 patterns and shares a compiled program
LEVELS = 4
NODES = 31  # for all data sets, again for one program
LEVEL = 0.99  # of the simultaneous band of each quantity; over the four of a family they hold together at 96 % or more


@dataclass(frozen=True)
class Study:
    """Ranks of the truths among the draws, dims (data set,), by world and quantity."""

    ranks: dict[tuple[str, str], np.ndarray]

    def excess(self, world, quantity):
        """Return how far the ranks of a quantity leave the band, at most 0 inside."""
        ranks = self.ranks[world, quantity]
        return ecdf_band(ranks.size, LEVEL, SEED.generator("band")).excess(ranks)


def rank(draws, truth):
    """Return the share of draws below each truth, dims (data set,); draws have dims (chain, draw, data set)."""
    return (draws < truth).mean(axis=(0, 1))


def ordinal_truth(rng):
    """Draw from the priors: Dirichlet(1, 1, 1, 1) of the levels at 0, effects N(0, 1.5), item sd half-normal(1)."""
    below = np.cumsum(rng.dirichlet(np.ones(LEVELS)))[:-1]
    return {
        "threshold": logit(below),
        "effect": np.append(0.0, rng.normal(0.0, 1.5, 2)),
        "sigma_item": abs(rng.normal()),
    }


def ordinal_trials(truth, rng, *, raised=0.0, item_sd=1.0):
    """Draw (item, variant, level, count) rows; `raised` is added to the effects, the item sd multiplied."""
    u = rng.normal(0.0, item_sd * truth["sigma_item"], ITEMS)
    counts = {}
    for item in range(ITEMS):
        for variant in range(3):
            latent = truth["effect"][variant] + raised * (variant > 0) + u[item] + rng.logistic(size=REPEATS)
            for level in (latent[:, None] > truth["threshold"]).sum(axis=1):
                key = (item, variant, int(level))
                counts[key] = counts.get(key, 0) + 1
    return [(*key, n) for key, n in counts.items()]


WORLDS = {"model": {}, "effects raised, item sd tripled": {"raised": 1.5, "item_sd": 3.0}}


@pytest.fixture(scope="module")
def ordinal():
    """All data sets of all worlds are cells of one fit."""
    stage = load_model("two_stage_ordinal", ModelOptions(), ()).stage("shift")
    sets = [(world, i) for world, size in SETS.items() for i in range(size)]
    truths = [ordinal_truth(SEED.generator(f"truth/{i}")) for _, i in sets]
    rows = [
        (cell, *row)
        for cell, ((world, i), truth) in enumerate(zip(sets, truths, strict=True))
        for row in ordinal_trials(truth, SEED.generator(f"{world}/{i}"), **WORLDS[world])
    ]
    table = score_rows_of(rows, outcomes=LEVELS, cells=len(sets), items=ITEMS)
    with pytest.MonkeyPatch.context() as patch:
        for module in (score_nodes, score_stage):
            patch.setattr(module, "NODES", (NODES,) * 3)
        posterior = fit_score_stage(stage, table, SETTINGS).posterior
    pairs = {
        "effect of neg": (posterior["effect"].values[..., 1], [t["effect"][1] for t in truths]),
        "effect of pos": (posterior["effect"].values[..., 2], [t["effect"][2] for t in truths]),
        "sigma_item": (posterior["sigma_item"].values, [t["sigma_item"] for t in truths]),
        "first threshold": (posterior["threshold"].values[..., 0], [t["threshold"][0] for t in truths]),
    }
    of = np.array([world for world, _ in sets])
    return Study(
        {
            (world, name): rank(draws, np.array(truth))[of == world]
            for name, (draws, truth) in pairs.items()
            for world in WORLDS
        }
    )


@pytest.mark.parametrize("quantity", ["effect of neg", "effect of pos", "sigma_item", "first threshold"])
def test_ranks_of_ordinal_truths_are_uniform(ordinal, quantity):
    assert ordinal.excess("model", quantity) <= 0


@pytest.mark.parametrize("quantity", ["effect of neg", "effect of pos", "sigma_item"])
def test_ranks_leave_the_band_where_ordinal_truths_are_wrong(ordinal, quantity):
    assert ordinal.excess("effects raised, item sd tripled", quantity) > 0
