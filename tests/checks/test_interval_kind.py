"""Alternative analyses carry the interval kind of the analysis: the row "as fitted" is the main record."""

from __future__ import annotations

import numpy as np
import pytest

from judgestats.checks.effect_summary import fit_summary
from judgestats.checks.prior_sensitivity import prior_grid
from judgestats.draws.intervals import IntervalKind
from judgestats.inference.choose import fit_stage
from judgestats.inference.contract import EngineSettings
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

MODEL = load_model("two_stage_association", ModelOptions(), ())
SETTINGS = EngineSettings(Seed(1))


@pytest.mark.parametrize("kind", ["eti", "hdi"])
def test_the_row_as_fitted_is_the_main_record(kind: IntervalKind) -> None:
    """30 items in both blocks: all congruent answers consistent, 24 incongruent ones: a skewed posterior."""
    counts = StageCounts(
        "shift",
        (Cell("judge", "domain"),),
        (tuple(f"i{i:02d}" for i in range(30)),),
        None,
        np.zeros(60, dtype=np.int64),
        np.repeat(np.arange(30), 2),
        None,
        np.tile([-0.5, 0.5], 30),
        np.ones(60, dtype=np.int64),
        np.concatenate([np.ones(48, dtype=np.int64), np.tile([0, 1], 6)]),
    )
    rope = (-0.018, 0.018)
    main = fit_summary(fit_stage(MODEL.stage("shift"), counts, SETTINGS), 0, ci_prob=0.95, ci_kind=kind, rope=rope)
    first = prior_grid(MODEL, counts, SETTINGS, rope=rope, ci_prob=0.95, ci_kind=kind)[0]
    # Two lattices of the same posterior: equal-tailed ends within the engine's own limit; the width of an HDI is flat around its
    # optimum, so its ends agree to 1 % of the width (.28) only. The kinds themselves differ by more than twice that.
    tolerance = 2e-4 if kind == "eti" else 3e-3
    assert first.lower == pytest.approx(main.lower, abs=tolerance)
    assert first.upper == pytest.approx(main.upper, abs=tolerance)
    assert first.mean == pytest.approx(main.mean, abs=1e-4)
    other: IntervalKind = "hdi" if kind == "eti" else "eti"
    differs = prior_grid(MODEL, counts, SETTINGS, rope=rope, ci_prob=0.95, ci_kind=other)[0]
    assert abs(first.upper - differs.upper) + abs(first.lower - differs.lower) > 0.0095
