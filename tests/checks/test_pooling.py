"""Pooled refits beside unpooled ones."""

from __future__ import annotations

import hand_made as hm
import numpy as np
import pytest

from judgestats.checks.pooling import pooled_stage, pooling_rows
from judgestats.errors import ConfigError
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import ExactEngine
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions
from judgestats.spec.prior import Prior

SETTINGS = EngineSettings(Seed(3), chains=2, warmup=100, draws=150)
CELLS = (hm.Cell("a", "x"), hm.Cell("b", "x"), hm.Cell("c", "x"))


def test_pooled_stage_keeps_priors_that_were_changed() -> None:
    model = load_model("two_stage_association", ModelOptions(), ())
    table = hm.counts(hm.paired(5, 1, 1, 1), CELLS)
    stage = pooled_stage(model, table)
    assert stage.has("tau_beta_judge")
    assert stage.term("beta").prior.label() == "N(0, 1.5)"
    changed = model.stages[1].with_priors({"beta": Prior("normal", 0.7)})
    altered = type(model)(
        model.name,
        model.title,
        model.question,
        model.verdict,
        (model.stages[0], changed),
        model.options,
        model.estimands,
    )
    assert pooled_stage(altered, table).term("beta").prior.label() == "N(0, 0.7)"


def test_one_cell_and_a_pooled_model_are_refused() -> None:
    model = load_model("two_stage_association", ModelOptions(), ())
    with pytest.raises(ConfigError, match="nothing to pool"):
        pooling_rows(model, hm.counts(hm.paired(5, 1, 1, 1)), SETTINGS)
    pooled = load_model("two_stage_association", ModelOptions(pooling="partial"), ())
    with pytest.raises(ConfigError, match="pools its cells already"):
        pooling_rows(pooled, hm.counts(hm.paired(5, 1, 1, 1), CELLS), SETTINGS)


@pytest.mark.sampling
def test_pooling_draws_cells_together() -> None:
    model = load_model("two_stage_association", ModelOptions(), ())
    # Raw differences .45, .15 and -.15 over 40 items a cell.
    rows = hm.paired(16, 20, 2, 2) + hm.paired(20, 10, 4, 6, cell=1) + hm.paired(20, 4, 10, 6, cell=2)
    table = hm.counts(rows, CELLS)
    apart = ExactEngine().fit(model.stage("shift"), table, EngineSettings(Seed(3)))
    found = pooling_rows(model, table, SETTINGS, unpooled=apart)
    assert [row.setting.split(" (")[0] for row in found] == ["unpooled", "partially pooled"] * 3
    unpooled = np.array([row.mean for row in found[::2]])
    pooled = np.array([row.mean for row in found[1::2]])
    # Differences of .6 between cells shrink by far more than the Monte Carlo error of 300 draws (about .01 each).
    assert np.ptp(pooled) < np.ptp(unpooled) - 0.02
    assert np.array_equal(np.argsort(pooled), np.argsort(unpooled))
    assert "mostly their priors" in found[1].note
