"""Score patterns: items of a cell with equal rows as one pattern with a count, item effects left to be integrated out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgestats.trials.score_rows import ScoreRows

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class ScorePatterns:
    """What the collapsed likelihood of one cell sees.

    Items whose rows are equal are one pattern, which is exact because their effects are exchangeable. Where a model has
    no item effect all items are one pattern.

    Parameters
    ----------
    pattern, variant, outcome, base, trials : ndarray, dims (row,)
        Rows of one item of each pattern; `base` is 0 outside paired stages.
    count : ndarray, dims (pattern,)
        Items that gave a pattern.
    """

    pattern: Index
    variant: Index
    outcome: Index
    base: Index
    trials: Index
    count: Index

    @property
    def size(self) -> int:
        """Number of patterns."""
        return len(self.count)


def collapse_items(rows: ScoreRows, items: bool) -> ScorePatterns:
    """Collapse the rows of one cell.

    Parameters
    ----------
    rows : ScoreRows
        Rows of one cell, in canonical order.
    items : bool
        Whether the model has an item effect; otherwise rows of all items are added up.
    """
    base = np.zeros_like(rows.item) if rows.base is None else rows.base
    table = np.stack([rows.item if items else np.zeros_like(rows.item), rows.variant, base, rows.outcome])
    keys, inverse = np.unique(table, axis=1, return_inverse=True)
    trials = np.zeros(keys.shape[1], dtype=np.int64)
    np.add.at(trials, inverse.ravel(), rows.count)
    starts = np.flatnonzero(np.diff(keys[0], prepend=-1))
    found: dict[tuple[bytes, bytes], int] = {}
    first: list[slice] = []
    count: list[int] = []
    for start, stop in zip(starts, [*starts[1:], keys.shape[1]], strict=True):
        part = slice(start, stop)
        key = (np.ascontiguousarray(keys[1:, part]).tobytes(), trials[part].tobytes())
        if key not in found:
            found[key] = len(first)
            first.append(part)
            count.append(0)
        count[found[key]] += 1
    # Patterns are sorted by their content, so that renaming items changes nothing, not even rounding.
    order = sorted(range(len(first)), key=lambda i: [*keys[1:, first[i]].ravel(), *trials[first[i]]])
    parts = [first[i] for i in order]
    kept = np.concatenate([np.arange(p.start, p.stop) for p in parts]) if parts else np.zeros(0, dtype=np.int64)
    return ScorePatterns(
        pattern=np.repeat(np.arange(len(parts)), [p.stop - p.start for p in parts]).astype(np.int64),
        variant=keys[1, kept],
        outcome=keys[3, kept],
        base=keys[2, kept],
        trials=trials[kept],
        count=np.array([count[i] for i in order], dtype=np.int64),
    )
