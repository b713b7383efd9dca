"""Loss rules: three answers to three questions about lost trials."""

from __future__ import annotations

import hand_made as hm
import pytest

from judgestats.checks.finding import SensitivityRow
from judgestats.checks.loss_rules import INCONSISTENT, LEFT_OUT, MODELLED, loss_rules
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import ExactEngine
from judgestats.seeds import Seed
from judgestats.spec.model import ModelOptions, ModelSpec
from judgestats.trials.counts import StageCounts

SETTINGS = EngineSettings(Seed(2))


def tables(lost_congruent: int, lost_incongruent: int) -> tuple[StageCounts, StageCounts, StageCounts]:
    """Return validity, shift and lost-as-inconsistent counts of 60 items, 54 consistent in each block when valid."""
    validity, shift, counted = [], [], []
    for item in range(60):
        for block, lost in ((0.5, lost_congruent), (-0.5, lost_incongruent)):
            valid = item >= lost
            consistent = item % 10 != 9
            validity.append((0, item, None, block, 1, int(valid)))
            counted.append((0, item, None, block, 1, int(valid and consistent)))
            if valid:
                shift.append((0, item, None, block, 1, int(consistent)))
    return hm.counts(validity, name="validity"), hm.counts(shift), hm.counts(counted)


def rows_of(lost_congruent: int, lost_incongruent: int) -> dict[str, SensitivityRow]:
    validity, shift, counted = tables(lost_congruent, lost_incongruent)
    stages = (hm.stage(name="validity"), hm.stage())
    model = ModelSpec("m", "", "", "choice", stages, ModelOptions(), ())
    fits = {
        "validity": ExactEngine().fit(stages[0], validity, SETTINGS),
        "shift": ExactEngine().fit(stages[1], shift, SETTINGS),
    }
    return {row.setting: row for row in loss_rules(model, fits, counted, SETTINGS)}


def test_refusing_in_one_block_moves_the_naive_rule_and_not_the_conditional_one() -> None:
    rows = rows_of(0, 30)
    # Raw: conditional 54/60 - 27/30 = 0; counted inconsistent 54/60 - 27/60 = .45.
    assert rows[LEFT_OUT].mean == pytest.approx(0.0, abs=0.03)
    assert rows[INCONSISTENT].mean == pytest.approx(0.45, abs=0.06)
    assert rows[MODELLED].mean == pytest.approx(0.45, abs=0.06)
    assert rows[INCONSISTENT].outcome == rows[MODELLED].outcome == "beyond"
    assert rows[LEFT_OUT].outcome == "undecided"
    assert rows[LEFT_OUT].note == "Lost: 0 of 60 congruent, 30 of 60 incongruent trials."


def test_nothing_lost_makes_the_first_two_rows_equal() -> None:
    rows = rows_of(0, 0)
    assert rows[LEFT_OUT].mean == pytest.approx(rows[INCONSISTENT].mean, abs=1e-5)
    assert rows[LEFT_OUT].lower == pytest.approx(rows[INCONSISTENT].lower, abs=2e-4)
    assert {row.estimand for row in rows.values()} == {"delta_p", "delta_p_naive", "valid_and_consistent"}


def test_a_judge_that_answered_nothing_validly_is_not_estimable_conditionally_only() -> None:
    rows = rows_of(60, 60)
    assert rows[LEFT_OUT].outcome == "not estimable"
    assert rows[INCONSISTENT].outcome != "not estimable"
    assert abs(rows[MODELLED].mean) < 0.02


def test_counts_of_other_cells_are_refused() -> None:
    _, shift, _ = tables(0, 0)
    stages = (hm.stage(name="validity"), hm.stage())
    fits = {"shift": ExactEngine().fit(stages[1], shift, SETTINGS)}
    other = hm.counts(hm.paired(2, 0, 0, 0), (hm.Cell("z", "z"),))
    with pytest.raises(ValueError, match="must hold the cells of the fits"):
        loss_rules(ModelSpec("m", "", "", "choice", stages, ModelOptions(), ()), fits, other, SETTINGS)
