"""Ceiling notes: whether the prior decides, in words that carry the numbers."""

from __future__ import annotations

import hand_made as hm

from judgestats.checks.ceiling import ceiling_notes, prior_decides
from judgestats.checks.prior_sensitivity import prior_grid
from judgestats.draws.record import Record
from judgestats.inference.contract import EngineSettings
from judgestats.seeds import Seed
from judgestats.spec.model import ModelOptions, ModelSpec


def grid(*pattern: int) -> tuple:
    model = ModelSpec("m", "", "", "choice", (hm.stage(),), ModelOptions(), ("delta_p",))
    return prior_grid(model, hm.counts(hm.paired(*pattern)), EngineSettings(Seed(1)))


def headline(outcome: str, p_rope: float, p_rope_prior: float) -> Record:
    return Record(
        judge=hm.CELL.judge,
        domain=hm.CELL.domain,
        estimand="delta_p",
        stage="shift",
        model="m",
        engine="exact",
        scale="probability_difference",
        version="marginal",
        p_rope=p_rope,
        p_rope_prior=p_rope_prior,
        rope=(-0.02, 0.02),
        outcome=outcome,
    )


def test_a_clear_effect_is_not_decided_by_the_prior() -> None:
    rows = grid(20, 50, 2, 8)
    assert not prior_decides(rows)
    (first, second) = ceiling_notes([headline("beyond", 0.0, 0.08)], rows)[str(hm.CELL)]
    assert f"the outcome is beyond under all {len(rows)} priors" in first
    assert "the prior alone puts 8% of its mass inside the ROPE [-0.02, 0.02], the posterior 0%" in second


def test_a_ceiling_table_is_decided_by_the_prior() -> None:
    rows = grid(69, 10, 1, 0)
    assert prior_decides(rows)
    flipped = [row for row in rows if row.outcome != rows[0].outcome]
    text = ceiling_notes([headline(rows[0].outcome, 0.05, 0.08)], rows)[str(hm.CELL)][0]
    assert "the prior decides the outcome" in text
    assert f"differs under {len(flipped)} of {len(rows) - 1} others" in text
    means = [row.mean for row in rows]
    assert f"from {min(means):.3f} to {max(means):.3f}" in text


def test_equivalence_that_was_in_the_prior_is_said() -> None:
    (text,) = ceiling_notes([headline("inside", 0.7, 0.39)], ())[str(hm.CELL)]
    assert "more than half of what says practically none was in the prior" in text
    (text,) = ceiling_notes([headline("inside", 0.96, 0.39)], ())[str(hm.CELL)]
    assert "more than half" not in text


def test_cells_that_cannot_be_estimated_have_no_note() -> None:
    assert ceiling_notes([headline("not estimable", 0.1, 0.1)], grid(5, 0, 0, 0)) == {}
