"""Placebo: what neutral notes move, and how often exact repeats differ: the noise floor of every cue.

A neutral note has the length and the place of a cue and nothing to say. A cue is told from noise where it moves scores by more
than every neutral note of its cell does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judgestats.checks.shift_rows import ShiftDraws
from judgestats.trials.base_sets import CONTEXT, ITEM
from judgestats.trials.cell import Cell
from judgestats.trials.columns import weights
from judgestats.trials.pairing import level_index
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.status import Status
from judgestats.trials.table import Score, TrialTable

Array = NDArray[np.float64]
FEWEST_WORDINGS = 3


@dataclass(frozen=True)
class PlaceboRow:
    """One cue of one cell beside the neutral notes of that cell.

    Parameters
    ----------
    judge, domain, cue, polarity : str
        Cell and variant; the placebos have rows of their own, each against the others.
    shift, wasserstein1 : float
        Mean paired difference and Wasserstein-1 distance of the raw scores of the pairs, score points.
    floor_shift, floor_wasserstein1 : float or None
        Largest |shift| and largest Wasserstein-1 among the placebos; None without one.
    placebos : int
        Neutral notes behind the floor.
    at_least : int
        How many of them have a |shift| at least as large.
    p_beyond : float or None
        P(|shift| exceeds that of every placebo), from posterior draws; None without draws.
    note : str
        A sentence where one is needed.
    """

    judge: str
    domain: str
    cue: str
    polarity: str
    shift: float
    wasserstein1: float
    floor_shift: float | None
    floor_wasserstein1: float | None
    placebos: int
    at_least: int
    p_beyond: float | None = None
    note: str = ""


@dataclass(frozen=True)
class RepeatFlips:
    """How often exact repeats of a trial got different scores, in one cell.

    Parameters
    ----------
    judge, domain : str
        The cell.
    groups : int
        Items x variants (x prompt configurations) with two valid repeats or more.
    repeats : int
        Their valid trials.
    flip_rate : float or None
        Mean over the groups of the share of pairs of repeats whose scores differ; None without a group.
    mean_difference : float or None
        Mean over the groups of the mean absolute difference of two repeats, score points.
    """

    judge: str
    domain: str
    groups: int
    repeats: int
    flip_rate: float | None
    mean_difference: float | None


def placebo_floor(
    pairs: Mapping[str, ScoreRows],
    scale: Score,
    placebo: Sequence[str],
    draws: ShiftDraws | None = None,
) -> tuple[PlaceboRow, ...]:
    """Return every cue beside the neutral notes of its cell.

    Parameters
    ----------
    pairs : mapping of str to ScoreRows
        Stages ``moved`` and ``shift`` of the paired model.
    scale : Score
        Turns steps into score points.
    placebo : sequence of str
        Cues that are neutral notes.
    draws : ShiftDraws, optional
        Posterior shift; its joint draws give `p_beyond`.

    Returns
    -------
    tuple of PlaceboRow
        One row a cell and variant with a pair. Empty without a placebo cue.
    """
    beyond = {} if draws is None else {place[:4]: values for place, values in draws.effects()}
    rows: list[PlaceboRow] = []
    moved, shift = pairs["moved"], pairs["shift"]
    notes = [v for v, variant in enumerate(moved.variants) if variant.cue in placebo]
    if not notes:
        return ()
    for index, cell in enumerate(moved.cells):
        base, score = pair_levels(moved.select(index), shift.select(index), shift.outcomes)
        n = base.sum(axis=1)
        value = np.arange(shift.outcomes) * scale.step
        with np.errstate(invalid="ignore"):
            means = (score - base) @ value / np.where(n, n, np.nan)
            gaps = np.abs(np.cumsum(score - base, axis=1)).sum(axis=1) * scale.step / np.where(n, n, np.nan)
        for v, variant in enumerate(moved.variants):
            if v == 0 or not n[v]:
                continue
            others = [p for p in notes if p != v and n[p]]
            few = f"Only {len(others)} neutral notes: the floor is a guess." if len(others) < FEWEST_WORDINGS else ""
            rows.append(
                PlaceboRow(
                    judge=cell.judge,
                    domain=cell.domain,
                    cue=variant.cue,
                    polarity=variant.polarity,
                    shift=float(means[v]),
                    wasserstein1=float(gaps[v]),
                    floor_shift=float(np.abs(means[others]).max()) if others else None,
                    floor_wasserstein1=float(gaps[others].max()) if others else None,
                    placebos=len(others),
                    at_least=int(np.sum(np.abs(means[others]) >= abs(means[v]) - 1e-12)),
                    p_beyond=_beyond(beyond, (cell.judge, cell.domain), moved, v, others),
                    note=few,
                )
            )
    return tuple(rows)


def pair_levels(moved: ScoreRows, shift: ScoreRows, levels: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how often each level occurs among base and variant scores of the pairs of one cell, dims (variant, level)."""
    base, score = (np.zeros((len(moved.variants), levels), dtype=np.int64) for _ in range(2))
    if moved.base is None or shift.base is None:
        raise ValueError("paired stages hold the level of the base")
    np.add.at(base, (moved.variant, moved.base), moved.count)
    same = moved.outcome == 0
    np.add.at(score, (moved.variant[same], moved.base[same]), moved.count[same])
    np.add.at(score, (shift.variant, shift.base + shift.outcome), shift.count)
    return base, score


def repeat_flips(table: TrialTable) -> tuple[RepeatFlips, ...]:
    """Return how often exact repeats differ, by cell.

    Repeats are valid trials of the same judge, domain, item and variant, in the same prompt configuration, judge version,
    rater and dimension. Two repeats of a group drawn at random differ with probability 1 - sum_k n_k (n_k - 1) / (n (n - 1)).

    Parameters
    ----------
    table : TrialTable
        Trials whose verdict is a score.
    """
    frame, scale = table.frame[table.frame["status"] == Status.VALID.value], table.score
    names = [*ITEM, *(name for name in ("cue", "polarity", *CONTEXT) if name in frame)]
    columns = [frame[name].astype("string").fillna("") for name in names]
    code, keys = pd.factorize(pd.MultiIndex.from_arrays(columns), sort=True)
    counts = np.zeros((len(keys), len(scale.levels)), dtype=np.int64)
    np.add.at(counts, (code, level_index(frame["score"].to_numpy(dtype=np.float64), scale)), weights(frame))
    cells = pd.MultiIndex.from_arrays([keys.get_level_values(0), keys.get_level_values(1)])
    rows = []
    for cell in table.cells():
        mine = np.asarray(cells == (cell.judge, cell.domain), dtype=bool)
        rows.append(_flips(cell, counts[mine & (counts.sum(axis=1) >= 2)], scale.step))
    return tuple(rows)


def _flips(cell: Cell, counts: NDArray[np.int64], step: float) -> RepeatFlips:
    """Return the flips of one cell from counts of repeats by group and level, dims (group, level)."""
    if not len(counts):
        return RepeatFlips(cell.judge, cell.domain, 0, 0, None, None)
    n = counts.sum(axis=1)
    same = (counts * (counts - 1)).sum(axis=1)
    # |x - y| is the number of edges between levels that lie between x and y, times the step.
    below = np.cumsum(counts, axis=1)
    apart = 2 * (below * (n[:, None] - below)).sum(axis=1) * step
    pairs = n * (n - 1)
    rates, apart_means = 1.0 - same / pairs, apart / pairs
    return RepeatFlips(
        cell.judge, cell.domain, len(counts), int(n.sum()), float(rates.mean()), float(apart_means.mean())
    )


def _beyond(
    draws: Mapping[tuple[str, str, str, str], Array],
    cell: tuple[str, str],
    rows: ScoreRows,
    variant: int,
    others: Sequence[int],
) -> float | None:
    places = [(*cell, rows.variants[v].cue, rows.variants[v].polarity) for v in (variant, *others)]
    if not others or any(place not in draws or not np.isfinite(draws[place]).all() for place in places):
        return None
    own, floor = np.abs(draws[places[0]]), np.max([np.abs(draws[place]) for place in places[1:]], axis=0)
    return float(np.mean((own > floor) + 0.5 * (own == floor)))
