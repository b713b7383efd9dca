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
END_LIMIT = 1e-4  # each lattice's own limit of the numerical error of a quantile, probability scale


def end_tolerance(kind: IntervalKind, sd: float) -> float:
    """Return how far apart the ends of one interval may lie on two lattices of the same posterior.

    Equal-tailed ends are quantiles: two limits. A highest-density interval minimises the width u(l) - l where F(u) - F(l) = .95,
    so an error of the width, one limit at each end, moves its ends along the flat bottom of that parabola. With f(l) = f(u)
    at the minimum the second derivative of the width is (f'(l) - f'(u)) / f, for a normal posterior 2 x 1.96 / sd; both
    lattices may sit anywhere where the width is within the error of its minimum.
    """
    if kind == "eti":
        return 2 * END_LIMIT
    return float(np.sqrt(2 * (2 * END_LIMIT) / (2 * 1.96 / sd)))


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
    tolerance = end_tolerance(kind, main.sd)
    assert first.lower == pytest.approx(main.lower, abs=tolerance)
    assert first.upper == pytest.approx(main.upper, abs=tolerance)
    assert first.mean == pytest.approx(main.mean, abs=1e-4)
    # The comparison tells the kinds apart: a row of the other kind would miss the tolerance at one end at least.
    other: IntervalKind = "hdi" if kind == "eti" else "eti"
    differs = prior_grid(MODEL, counts, SETTINGS, rope=rope, ci_prob=0.95, ci_kind=other)[0]
    assert max(abs(differs.upper - main.upper), abs(differs.lower - main.lower)) > tolerance
