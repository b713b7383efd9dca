"""Joint claims about several cells."""

from __future__ import annotations

import hand_made as hm
import numpy as np
import pytest

from judgestats.checks.multiplicity import joint_signs
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import ExactEngine
from judgestats.seeds import Seed

CELLS = (hm.Cell("a", "x"), hm.Cell("b", "x"))


def test_joint_draws_of_cells_that_move_together() -> None:
    # beta of both cells is the same draw: above 0 in 3 of 4 draws, so both signs are right with probability 3/4, not
    # 9/16.
    beta = np.array([[1.0, 2.0, 0.5, -1.0]])
    table = hm.counts(hm.paired(3, 1, 0, 0), CELLS)
    fit = hm.fit(
        table,
        {"alpha": np.zeros((1, 4, 2)), "beta": np.stack([beta, beta], axis=-1), "sigma_item": np.zeros((1, 4, 2))},
    )
    found = joint_signs(fit, CELLS, shared=True)
    assert found.signs == (1, 1)
    assert found.each == (0.75, 0.75)
    assert found.all_right == 0.75


def test_joint_draws_of_opposite_signs() -> None:
    up = np.array([[1.0, 2.0, 0.5, -1.0]])
    down = np.array([[-1.0, -2.0, 0.5, -1.0]])
    table = hm.counts(hm.paired(3, 1, 0, 0), CELLS)
    fit = hm.fit(
        table, {"alpha": np.zeros((1, 4, 2)), "beta": np.stack([up, down], axis=-1), "sigma_item": np.zeros((1, 4, 2))}
    )
    found = joint_signs(fit, CELLS, shared=True)
    assert found.signs == (1, -1)
    # Right together in draws 1 and 2 only.
    assert found.all_right == 0.5
    assert "right with probability 0.500 (joint draws)" in found.sentence()


def test_cells_fitted_apart_multiply() -> None:
    rows = hm.paired(20, 8, 2, 0) + hm.paired(10, 3, 12, 5, cell=1)
    fit = ExactEngine().fit(hm.stage(), hm.counts(rows, CELLS), EngineSettings(Seed(1)))
    found = joint_signs(fit, CELLS, shared=False)
    assert found.signs == (1, -1)
    assert found.all_right == pytest.approx(found.each[0] * found.each[1])
    drawn = joint_signs(fit, CELLS, shared=True)
    # 4,000 draws: standard error below .008.
    assert found.all_right == pytest.approx(drawn.all_right, abs=0.025)


def test_no_claim_and_unknown_cells() -> None:
    table = hm.counts(hm.paired(3, 1, 0, 0))
    fit = hm.fit(table, {k: np.zeros((1, 2, 1)) for k in ("alpha", "beta", "sigma_item")})
    assert joint_signs(fit, (), shared=True).all_right == 1.0
    assert "No cell is claimed" in joint_signs(fit, (), shared=False).sentence()
    with pytest.raises(ValueError, match="z x z"):
        joint_signs(fit, [hm.Cell("z", "z")], shared=False)
