"""The decision rule, what cannot be estimated and what is bounded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hand_made_fits import drop_block, make_counts

from judgestats.draws.summary import Summary
from judgestats.estimands.decision import bounded_by, decide, missing_blocks, not_estimable_reasons
from judgestats.trials.cell import Cell

BASE = Summary(
    mean=0.0,
    median=0.0,
    sd=0.01,
    lower=-0.01,
    upper=0.01,
    ci_prob=0.95,
    ci_kind="eti",
    p_gt_0=0.5,
    p_rope=0.9,
    rope=(-0.02, 0.02),
    rhat=None,
    ess_bulk=None,
    ess_tail=None,
    mcse=1e-4,
    mcse_lower=1e-4,
    mcse_upper=1e-4,
)
CELLS = (Cell("a", "x"), Cell("b", "x"))


@pytest.mark.parametrize(
    ("lower", "upper", "outcome"),
    [
        (0.03, 0.12, "beyond"),
        (-0.12, -0.03, "beyond"),
        (-0.015, 0.015, "inside"),
        (-0.007, 0.115, "undecided"),
        (0.004, 0.126, "undecided"),  # excludes 0 but not the ROPE
        (-0.3, 0.3, "undecided"),
        (0.0201, 0.12, "not resolved"),
        (0.0199, 0.12, "not resolved"),
        (-0.015, 0.01985, "not resolved"),
        (-0.01985, 0.01, "not resolved"),
        (-0.3, -0.0199, "not resolved"),
        (-0.0201, 0.3, "undecided"),  # on either side of -.02 the interval reaches beyond .02
        (-0.0199, 0.3, "undecided"),
        (-0.3, 0.0201, "undecided"),
    ],
)
def test_outcomes_with_a_rope(lower: float, upper: float, outcome: str) -> None:
    assert decide(replace(BASE, lower=lower, upper=upper)) == outcome


@pytest.mark.parametrize(
    ("lower", "upper", "null", "outcome"),
    [
        (0.1, 0.2, 0.0, "beyond"),
        (-0.1, 0.2, 0.0, "undecided"),
        (0.00015, 0.2, 0.0, "not resolved"),
        (1.2, 9.0, 1.0, "beyond"),
        (0.8, 9.0, 1.0, "undecided"),
        (0.99985, 9.0, 1.0, "not resolved"),
    ],
)
def test_outcomes_without_a_rope(lower: float, upper: float, null: float, outcome: str) -> None:
    assert decide(replace(BASE, lower=lower, upper=upper, rope=None, p_rope=None), null) == outcome


@pytest.mark.parametrize("end", ["mcse_lower", "mcse_upper"])
@pytest.mark.parametrize("rope", [(-0.02, 0.02), None])
def test_an_end_whose_error_is_not_known_decides_nothing(end: str, rope: tuple[float, float] | None) -> None:
    """(.03, .12) with a known error is beyond; without one, nobody knows how far from .02, or 0, the end lies."""
    effect = replace(BASE, lower=0.03, upper=0.12, rope=rope)
    assert decide(effect) == "beyond"
    unknown = decide(replace(effect, **{end: None}))
    # The upper end of an interval above 0 can only be unknown upwards to no effect; downwards it could cross the lower end.
    assert unknown == ("not resolved" if end == "mcse_lower" else "beyond")
    inside = decide(replace(BASE, lower=-0.01, upper=0.01, **{end: None}))
    assert inside == "not resolved"


def test_a_constant_has_no_error_and_is_decided() -> None:
    constant = replace(BASE, sd=0.0, lower=0.0, upper=0.0, mcse_lower=None, mcse_upper=None)
    assert decide(constant) == "inside"


def test_outcome_of_a_mirrored_effect() -> None:
    for lower, upper in ((0.03, 0.12), (-0.015, 0.01), (-0.01, 0.05), (0.0201, 0.1)):
        assert decide(replace(BASE, lower=lower, upper=upper)) == decide(replace(BASE, lower=-upper, upper=-lower))


def test_a_block_without_valid_answers_is_named() -> None:
    counts = make_counts("shift", CELLS, 3, np.ones((2, 3, 2)))
    without = drop_block(counts, 0, -0.5)
    assert missing_blocks(without, 0) == ("incongruent",)
    assert missing_blocks(without, 1) == ()
    reasons = not_estimable_reasons(without)
    assert list(reasons) == [CELLS[0]]
    assert "no valid answer in the incongruent block" in reasons[CELLS[0]]
    assert "not estimable" in reasons[CELLS[0]]
    empty = drop_block(without, 0, 0.5)
    assert "congruent block and no valid answer in the incongruent block" in not_estimable_reasons(empty)[CELLS[0]]


def test_bounded_by() -> None:
    counts = make_counts("shift", CELLS, 80, np.ones((2, 80, 2)))
    found = bounded_by(counts, 0, -0.021, 0.024)
    assert found is not None
    assert (found.kind, found.bound, found.n_congruent) == ("all consistent", 0.024, 80)
    assert found.rule_of_three == pytest.approx(0.0375)
    none = bounded_by(make_counts("shift", CELLS, 80, np.zeros((2, 80, 2))), 1, -0.02, 0.02)
    assert none is not None
    assert none.kind == "all inconsistent"
    valid = bounded_by(make_counts("validity", CELLS, 80, np.ones((2, 80, 2))), 1, -0.02, 0.02)
    assert valid is not None
    assert valid.kind == "all valid"
    mixed = np.ones((2, 80, 2))
    mixed[0, 3, 1] = 0
    assert bounded_by(make_counts("shift", CELLS, 80, mixed), 0, -0.02, 0.02) is None
    # One block all, the other none: separated, but the effect is large, not bounded.
    assert bounded_by(make_counts("shift", CELLS, 80, np.array([1.0, 0.0])), 0, 0.9, 1.0) is None
    assert bounded_by(drop_block(counts, 0, 0.5), 0, -0.02, 0.02) is None
