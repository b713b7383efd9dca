"""Convergence in one pass: the same numbers as ArviZ one by one."""

from __future__ import annotations

import numpy as np
import pytest

from judgestats.draws import arviz, convergence

RNG = np.random.default_rng(7)
SMOOTH = RNG.standard_normal((4, 251, 3, 2))
CASES = {
    "odd number of draws": SMOOTH,
    "one quantity": SMOOTH[..., 0, 0],
    "ties over chains": np.round(SMOOTH, 1),
    "chains that stay": np.repeat(SMOOTH[:, ::5], 5, axis=1),
    "drifting": np.cumsum(SMOOTH, axis=1),
    "one chain elsewhere": SMOOTH + np.array([0, 0, 0, 2.0])[:, None, None, None],
    "a constant": SMOOTH * np.array([0.0, 1.0]),
    "one chain": SMOOTH[:1],
    "two chains": SMOOTH[:2],
    "seven draws": SMOOTH[:, :7],
    "three draws": SMOOTH[:, :3],
    "no quantity": SMOOTH[..., :0],
}


@pytest.mark.parametrize("case", CASES)
def test_equals_arviz_to_the_last_bit(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = CASES[case]
    for block in (512, 4):
        monkeypatch.setattr(convergence, "BLOCK", block)
        found = convergence.convergence(values)
        for ours, function in zip(found, (arviz.rhat, arviz.ess_bulk, arviz.ess_tail), strict=True):
            assert ours.shape == values.shape[2:]
            if ours.size:
                assert np.array_equal(ours, function(values), equal_nan=True), function.__name__


def test_one_dim_is_refused() -> None:
    with pytest.raises(ValueError, match="chain, draw"):
        convergence.convergence(np.zeros(10))
