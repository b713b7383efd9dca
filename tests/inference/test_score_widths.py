"""Cells of the paired model whose tables of differences have different widths are not stacked."""

from __future__ import annotations

import numpy as np
import pytest

from judgestats.inference.score_block import score_blocks
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions
from judgestats.trials.cell import Cell
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.variant import Variant

ITEMS, LEVELS = 24, 50


def rows() -> ScoreRows:
    """Return two cells of as many items: one difference from 24 base scores, and 24 differences from one."""
    items = tuple(f"i{k:02}" for k in range(ITEMS))
    difference = np.concatenate([np.ones(ITEMS), np.arange(1, ITEMS + 1)]).astype(np.int64)
    return ScoreRows(
        stage="shift",
        cells=(Cell("j", "few"), Cell("j", "many")),
        items=(items, items),
        variants=(Variant(), Variant("note", "pos")),
        outcomes=LEVELS,
        cell=np.repeat([0, 1], ITEMS),
        item=np.tile(np.arange(ITEMS), 2),
        variant=np.ones(2 * ITEMS, dtype=np.int64),
        outcome=difference,
        count=np.ones(2 * ITEMS, dtype=np.int64),
        base=np.concatenate([np.arange(10, 10 + ITEMS), np.full(ITEMS, LEVELS // 2)]),
    )


def test_blocks_of_one_shape_may_not_be_stackable_and_widths_tell() -> None:
    """Equal shapes say that one density serves both; only equal widths say that their arrays can lie side by side."""
    few, many = score_blocks(load_model("two_stage_shift", ModelOptions(), []).stage("shift"), rows())
    assert few.shape == many.shape
    assert few.widths != many.widths
    with pytest.raises(ValueError, match="same shape"):
        np.stack([few.data["cell"]["moves"], many.data["cell"]["moves"]])
