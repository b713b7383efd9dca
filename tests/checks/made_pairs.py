"""Made pairs: rows of the paired model from plain arrays of scores."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from judgestats.trials.cell import Cell
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.table import Score
from judgestats.trials.variant import Variant

SCALE = Score(1, 10)
CELL = Cell("vendor/judge:1", "arc")


def variants(n: int) -> tuple[Variant, ...]:
    """Return the base and `n` variants."""
    return (Variant(), *(Variant(f"cue-{v:02d}", "pos") for v in range(n)))


def pair_rows_of(
    scores: Mapping[Cell, NDArray[np.int64]], lost: Mapping[Cell, NDArray[np.bool_]] | None = None
) -> dict[str, ScoreRows]:
    """Return stages moved and shift from level indices, dims (item, variant, repeat), base first.

    `lost` has the same dims and marks trials without a valid answer.
    """
    cells = tuple(sorted(scores))
    moved: dict[tuple[int, ...], int] = {}
    shift: dict[tuple[int, ...], int] = {}
    for c, cell in enumerate(cells):
        values = scores[cell]
        gone = np.zeros(values.shape, dtype=bool) if lost is None else lost[cell]
        for i, v, r in np.ndindex(*values.shape):
            if v == 0 or gone[i, v, r] or gone[i, 0, r]:
                continue
            base = int(values[i, 0, r])
            d = int(values[i, v, r]) - base
            key = (c, i, v, base, int(d != 0))
            moved[key] = moved.get(key, 0) + 1
            if d:
                key = (c, i, v, base, d)
                shift[key] = shift.get(key, 0) + 1
    n = max(values.shape[1] for values in scores.values()) - 1
    items = tuple(tuple(f"item-{i:04d}" for i in range(scores[cell].shape[0])) for cell in cells)
    return {name: _rows(name, cells, items, n, found) for name, found in (("moved", moved), ("shift", shift))}


def _rows(
    name: str, cells: tuple[Cell, ...], items: tuple[tuple[str, ...], ...], n: int, found: dict[tuple[int, ...], int]
) -> ScoreRows:
    keys = sorted(found)
    table = np.array(keys, dtype=np.int64).reshape(-1, 5)
    return ScoreRows(
        stage=name,
        cells=cells,
        items=items,
        variants=variants(n),
        outcomes=2 if name == "moved" else len(SCALE.levels),
        cell=table[:, 0],
        item=table[:, 1],
        variant=table[:, 2],
        outcome=table[:, 4],
        count=np.array([found[k] for k in keys], dtype=np.int64),
        base=table[:, 3],
    )
