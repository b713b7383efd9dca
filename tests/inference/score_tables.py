"""Small score rows for tests, from plain lists."""

from __future__ import annotations

import numpy as np

from judgestats.trials.cell import Cell
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.variant import Variant

VARIANTS = (Variant(), Variant("authority", "neg"), Variant("authority", "pos"))


def score_rows_of(rows, *, outcomes, stage="shift", cells=1, items=6, variants=VARIANTS) -> ScoreRows:
    """Return rows from (cell, item, variant, outcome, count) or (cell, item, variant, base, outcome, count)."""
    table = np.array(sorted(rows), dtype=np.int64).reshape(len(rows), -1)
    paired = table.shape[1] == 6
    return ScoreRows(
        stage=stage,
        cells=tuple(Cell(f"judge {c}", "d") for c in range(cells)),
        items=tuple(tuple(f"i{i}" for i in range(items)) for _ in range(cells)),
        variants=variants,
        outcomes=outcomes,
        cell=table[:, 0],
        item=table[:, 1],
        variant=table[:, 2],
        outcome=table[:, -2],
        count=table[:, -1],
        base=table[:, 3] if paired else None,
    )
