"""Score coding: from scores to the rows that the likelihood of each stage sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgestats.trials.cell import Cell
from judgestats.trials.coding import cell_codes, within_cell
from judgestats.trials.columns import weights
from judgestats.trials.pairing import level_index, pair_trials
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.status import Status
from judgestats.trials.table import TrialTable
from judgestats.trials.variant import BASE_CUE, Variant

Index = NDArray[np.int64]


def score_rows(table: TrialTable) -> dict[str, ScoreRows]:
    """Return the rows of the validity stage and of the shift stage on levels.

    Both stages share cells, items and variants. A row that stands for `n` equal trials counts `n` times.

    Parameters
    ----------
    table : TrialTable
        Trials whose verdict is a score; trials without a cue are the base.

    Returns
    -------
    dict of str to ScoreRows
        ``validity``: outcome 1 for a valid trial, 0 for any other; ``shift``: valid trials, outcome = index of the level.

    Raises
    ------
    ConfigError
        The verdict of the table is no score.
    """
    grid = _Grid.of(table)
    valid = np.asarray(table.frame["status"] == Status.VALID.value, dtype=bool)
    level = level_index(table.frame["score"].to_numpy(dtype=np.float64), table.score)
    everyone = np.arange(len(valid))
    answered = np.flatnonzero(valid)
    return {
        "validity": grid.rows("validity", 2, everyone, valid.astype(np.int64), grid.weight),
        "shift": grid.rows("shift", len(table.score.levels), answered, level[answered], grid.weight[answered]),
    }


def pair_rows(table: TrialTable) -> dict[str, ScoreRows]:
    """Return the rows of the validity stage and of the two stages of paired differences.

    Pairs are those of `judgestats.trials.pairing.pair_trials`; the table's notices count what found no pair. All stages
    share cells, items and variants, and `validity` is that of `score_rows`: a trial whose partner was lost was still asked.

    Returns
    -------
    dict of str to ScoreRows
        ``validity``; ``moved``: outcome 1 where the scores of a pair differ; ``shift``: pairs that differ, outcome =
        difference in steps, variant minus base, never 0. The last two hold the level of the base.

    Raises
    ------
    ConfigError
        The verdict of the table is no score.
    """
    grid = _Grid.of(table)
    pairs = pair_trials(table)
    difference = pairs.level - pairs.base
    moved = difference != 0
    levels = len(table.score.levels)
    return {
        "validity": score_rows(table)["validity"],
        "moved": grid.rows("moved", 2, pairs.row, moved.astype(np.int64), pairs.count, pairs.base),
        "shift": grid.rows("shift", levels, pairs.row[moved], difference[moved], pairs.count[moved], pairs.base[moved]),
    }


@dataclass(frozen=True)
class _Grid:
    """Codes of every trial of the table, dims (trial,); items are numbered within their cell."""

    cells: tuple[Cell, ...]
    items: tuple[tuple[str, ...], ...]
    variants: tuple[Variant, ...]
    cell: Index
    item: Index
    variant: Index
    weight: Index

    @classmethod
    def of(cls, table: TrialTable) -> _Grid:
        _ = table.score
        cells, frame = table.cells(), table.frame
        cell = cell_codes(frame, {(c.judge, c.domain): i for i, c in enumerate(cells)})
        items, item = within_cell(cell, frame["item"], len(cells))
        size = len(frame)
        cue = frame["cue"].fillna(BASE_CUE).tolist() if "cue" in frame else [BASE_CUE] * size
        polarity = frame["polarity"].fillna("").tolist() if "polarity" in frame else [""] * size
        names = list(zip(cue, polarity, strict=True))
        others = sorted({Variant(*name) for name in set(names)} - {Variant()})
        variants = (Variant(), *others)
        position = {(v.cue, v.polarity): i for i, v in enumerate(variants)}
        variant = np.array([position[name] for name in names], dtype=np.int64)
        return cls(cells, items, variants, cell, item, variant, weights(frame))

    def rows(
        self, stage: str, outcomes: int, at: Index, outcome: Index, count: Index, base: Index | None = None
    ) -> ScoreRows:
        """Return one row per cell x item x variant x base x outcome that occurs among the trials `at`, in that order."""
        at, outcome, count = at[count > 0], outcome[count > 0], count[count > 0]
        columns = [self.cell[at], self.item[at], self.variant[at], outcome]
        if base is not None:
            columns.insert(3, base)
        keys, total = _tally(columns, count)
        return ScoreRows(
            stage=stage,
            cells=self.cells,
            items=self.items,
            variants=self.variants,
            outcomes=outcomes,
            cell=keys[0],
            item=keys[1],
            variant=keys[2],
            outcome=keys[-1],
            count=total,
            base=keys[3] if base is not None else None,
        )


def _tally(columns: list[Index], count: Index) -> tuple[list[Index], Index]:
    """Return the different rows of integer columns, sorted, and the sum of the counts of each."""
    least = [int(column.min(initial=0)) for column in columns]
    sizes = [int(column.max(initial=0)) - low + 1 for column, low in zip(columns, least, strict=True)]
    key = np.zeros(len(count), dtype=np.int64)
    for column, low, size in zip(columns, least, sizes, strict=True):
        key = key * size + (column - low)
    unique, inverse = np.unique(key, return_inverse=True)
    total = np.zeros(len(unique), dtype=np.int64)
    np.add.at(total, inverse, count)
    out: list[Index] = []
    for low, size in zip(reversed(least), reversed(sizes), strict=True):
        out.insert(0, unique % size + low)
        unique = unique // size
    return out, total
