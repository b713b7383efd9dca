"""Full refits of permuted data beside the raw difference."""

from __future__ import annotations

import numpy as np
import pytest

from judgestats.checks.rank_agreement import rank_agreement
from judgestats.inference.contract import EngineSettings
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

STAGE = load_model("two_stage_association", ModelOptions(), ()).stage("shift")


def two_cells() -> StageCounts:
    """Two cells of 20 items, one of them constant."""
    rng = np.random.default_rng(4)
    answers = np.concatenate([(rng.uniform(size=40) < 0.7).astype(int), np.ones(40, dtype=int)])
    return StageCounts(
        "shift",
        (Cell("a/b", "x"), Cell("a/b", "y")),
        tuple(tuple(f"i{i:02d}" for i in range(20)) for _ in range(2)),
        None,
        np.repeat([0, 1], 40),
        np.tile(np.repeat(np.arange(20), 2), 2),
        None,
        np.tile([-0.5, 0.5], 40),
        np.ones(80, dtype=np.int64),
        answers,
    )


def test_raw_difference_and_refits_rank_alike_and_a_constant_cell_has_nothing_to_rank() -> None:
    notes = rank_agreement(STAGE, two_cells(), EngineSettings(Seed(1)), engine="exact", refits=8)
    assert "rank the same" in notes[Cell("a/b", "x")]
    rho = float(notes[Cell("a/b", "x")].split("Spearman ")[1].split(")")[0])
    # With no item structure in the data the posterior mean is nearly a function of the raw difference.
    assert rho == pytest.approx(1.0, abs=0.05)
    assert "nothing to rank" in notes[Cell("a/b", "y")]
