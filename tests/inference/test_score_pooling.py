"""Partial pooling of ordinal effects over judges and domains: between the cells apart and their common mean."""

from __future__ import annotations

import numpy as np
import pytest
from score_tables import VARIANTS

from judgestats.inference import score_nodes, score_stage
from judgestats.inference.contract import EngineSettings
from judgestats.inference.score_stage import fit_score_stage
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions
from judgestats.trials.cell import Cell
from judgestats.trials.score_rows import ScoreRows

pytestmark = [pytest.mark.sampling, pytest.mark.calibration]  # about 50 s of CPU, mostly compiling
SEED = Seed(20261202)
SETTINGS = EngineSettings(SEED, chains=4, warmup=200, draws=200)
CELLS = tuple(Cell(judge, domain) for judge in ("a", "b") for domain in ("c", "d"))
EFFECTS = (1.0, 1.6, 2.2, 3.0)  # one cue that is strong everywhere
CUTS = np.array([-1.0, 0.5, 2.0])
ITEMS = 40


def rows():
    """Draw one score of the base and one of the variant for each item; item sd 0.7."""
    rng = SEED.generator("data")
    made = []
    for cell, effect in enumerate(EFFECTS):
        u = rng.normal(0.0, 0.7, ITEMS)
        for item in range(ITEMS):
            for variant, shift in enumerate((0.0, effect)):
                made.append((cell, item, variant, int((shift + u[item] + rng.logistic() > CUTS).sum())))
    cell, item, variant, outcome = np.array(made).T
    return ScoreRows(
        stage="shift",
        cells=CELLS,
        items=tuple(tuple(f"i{i:02}" for i in range(ITEMS)) for _ in CELLS),
        variants=VARIANTS[:2],
        outcomes=4,
        cell=cell,
        item=item,
        variant=variant,
        outcome=outcome,
        count=np.ones(len(cell), dtype=np.int64),
    )


def stage(pooling):
    return load_model("two_stage_ordinal", ModelOptions(pooling=pooling), ()).stage("shift")


def effects(fit):
    """Return draws of the effects of the cue, dims (draw, cell)."""
    return fit.posterior["effect"].values[..., 1].reshape(-1, len(CELLS))


@pytest.fixture(scope="module")
def fits():
    """One number of nodes for all cells: one compiled program for those apart."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (score_nodes, score_stage):
            patch.setattr(module, "NODES", (31,) * 3)
        return {pooling: fit_score_stage(stage(pooling), rows(), SETTINGS) for pooling in ("partial", "none")}


def test_pooled_effects_lie_between_the_cells_apart_and_the_common_mean(fits):
    pooled, apart = (effects(fits[name]).mean(axis=0) for name in ("partial", "none"))
    outer = [int(np.argmin(apart)), int(np.argmax(apart))]
    common = fits["partial"].posterior["mu_effect"].values.mean()
    share = (pooled[outer] - common) / (apart[outer] - common)
    assert np.all(share > 0)
    assert np.all(share < 1)
    assert np.ptp(pooled) < np.ptp(apart)


def test_chains_of_the_pooled_fit_agree(fits):
    # Standard deviations over two judges or domains mix slowly: 1.02 was seen at this length.
    assert max(row.value for row in fits["partial"].gate if row.criterion == "rhat") < 1.05
