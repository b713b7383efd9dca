"""Cue multiplicity: joint draws within a cell, products over cells, no claim from a constant judge."""

from __future__ import annotations

import numpy as np
import pytest
from made_fits import shift_array
from scipy.stats import norm

from judgestats.checks.cue_multiplicity import cue_signs
from judgestats.checks.shift_rows import ShiftDraws
from judgestats.trials.cell import Cell

CELLS = (Cell("a", "x"), Cell("a", "y"))
NAMES = [("base", ""), ("age", "neg"), ("age", "pos")]


def draws(rho: float) -> ShiftDraws:
    """Return normal draws of unit sd with means -1 and 1.5, correlated within cells only."""
    rng = np.random.default_rng(1)
    z = rng.standard_normal((4, 5000, 2, 2)) * np.sqrt(1 - rho) + rng.standard_normal((4, 5000, 2, 1)) * np.sqrt(rho)
    values = np.concatenate([np.zeros((4, 5000, 2, 1)), z + np.array([-1.0, 1.5])], axis=-1)
    return ShiftDraws(shift_array(values, NAMES, CELLS), "independent")


def place(cell: Cell, polarity: str) -> tuple[str, str, str, str, str]:
    return (cell.judge, cell.domain, "age", polarity, "score_shift")


def test_independent_claims_multiply() -> None:
    claims = [place(c, p) for c in CELLS for p in ("neg", "pos")]
    found = cue_signs(draws(0.0), claims, shared=False)
    p, q = norm.cdf(1.0), norm.cdf(1.5)
    assert found.signs == (-1, 1, -1, 1)
    assert found.each == pytest.approx((p, q, p, q), abs=0.012)
    assert found.all_right == pytest.approx((p * q) ** 2, abs=0.015)
    assert found.expected_wrong == pytest.approx(4 - 2 * p - 2 * q, abs=0.03)
    assert "all 4 claimed shifts" in found.sentence()


def test_correlated_claims_of_a_cell_are_weighed_jointly() -> None:
    # Signs of opposite kind, errors of a common base: both hold where -1.5 < shared error < 1, so P = F(1) - F(-1.5).
    found = cue_signs(draws(1.0), [place(CELLS[0], "neg"), place(CELLS[0], "pos")], shared=False)
    assert found.all_right == pytest.approx(norm.cdf(1.0) - norm.cdf(-1.5), abs=0.012)
    assert found.all_right < found.each[0] * found.each[1] - 0.01


def test_shared_cells_are_taken_from_joint_draws() -> None:
    both = draws(0.0)
    both.shift.values[:, :, 1] = both.shift.values[:, :, 0]
    claims = [place(c, "neg") for c in CELLS]
    assert cue_signs(both, claims, shared=True).all_right == pytest.approx(norm.cdf(1.0), abs=0.012)
    assert cue_signs(both, claims, shared=False).all_right == pytest.approx(norm.cdf(1.0) ** 2, abs=0.015)


def test_constant_judge_and_unknown_claims() -> None:
    flat = ShiftDraws(shift_array(np.zeros((4, 10, 2, 3)), NAMES, CELLS), "markov")
    assert cue_signs(flat, [place(CELLS[0], "pos")], shared=False).each == (0.5,)
    assert "No shift is claimed" in cue_signs(flat, [], shared=False).sentence()
    with pytest.raises(ValueError, match="no draws: b x age pos score_shift"):
        cue_signs(flat, [("b", "x", "age", "pos", "score_shift")], shared=False)
