"""Placebo: the floor from neutral notes, distances as scipy has them, and the flip rate of exact repeats."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from made_fits import shift_array
from made_pairs import CELL, SCALE, pair_rows_of
from scipy.stats import wasserstein_distance

from judgestats.checks.placebo import placebo_floor, repeat_flips
from judgestats.checks.shift_rows import ShiftDraws
from judgestats.trials.cell import Cell
from judgestats.trials.table import Score, TrialTable

NOTES = ("cue-01", "cue-02", "cue-03")


def test_shift_and_distance_equal_plain_arithmetic_and_scipy() -> None:
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 10, (60, 5, 2))
    rows = placebo_floor(pair_rows_of({CELL: scores}), SCALE, NOTES)
    assert len(rows) == 4
    for v, row in enumerate(rows, start=1):
        assert row.shift == pytest.approx(scores[:, v].mean() - scores[:, 0].mean(), abs=1e-12)
        wanted = wasserstein_distance(scores[:, v].ravel(), scores[:, 0].ravel())
        assert row.wasserstein1 == pytest.approx(wanted, abs=1e-12)
        assert row.wasserstein1 >= abs(row.shift) - 1e-12
    shifts = [abs(row.shift) for row in rows]
    assert rows[0].floor_shift == pytest.approx(max(shifts[1:]))
    assert rows[0].floor_wasserstein1 == pytest.approx(max(row.wasserstein1 for row in rows[1:]))
    assert (rows[0].placebos, rows[1].placebos) == (3, 2)
    # A placebo is held against the others, never against itself.
    assert rows[1].floor_shift == pytest.approx(max(shifts[2], shifts[3]))
    assert rows[0].note == ""
    assert "Only 2 neutral notes" in rows[1].note


def test_half_steps_are_score_points() -> None:
    scores = np.zeros((4, 3, 1), dtype=np.int64)
    scores[:, 1] = 2
    (row, _) = placebo_floor(pair_rows_of({CELL: scores}), Score(1, 5.5, 0.5), ("cue-01",))
    assert (row.shift, row.wasserstein1, row.floor_shift, row.at_least) == (1.0, 1.0, 0.0, 0)


def test_coin_flip_judge_stays_within_its_floor_and_a_cue_does_not() -> None:
    rng = np.random.default_rng(2)
    names = [("base", ""), *((f"cue-{v:02d}", "pos") for v in range(4))]
    beyond = []
    for _ in range(200):
        # A coin between two scores: what the cue moves is exchangeable with what each of the three notes moves.
        scores = 4 + rng.integers(0, 2, (80, 5, 1))
        beyond.append(placebo_floor(pair_rows_of({CELL: scores}), SCALE, NOTES)[0].at_least == 0)
    # One of four exchangeable numbers is the largest with probability 1/4, less for ties.
    assert np.mean(beyond) == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / 200))
    scores[:, 1] -= 2
    draws = np.array([0, -2, 0.1, -0.1, 0.0]) + rng.normal(0, 0.1, (4, 500, 1, 5))
    floor = placebo_floor(pair_rows_of({CELL: scores}), SCALE, NOTES, ShiftDraws(shift_array(draws, names), "markov"))
    assert floor[0].at_least == 0
    assert floor[0].p_beyond == 1.0
    assert floor[3].p_beyond is not None
    assert floor[3].p_beyond < 0.5


def test_constant_judge_ties_with_its_notes() -> None:
    draws = ShiftDraws(
        shift_array(np.zeros((4, 10, 1, 3)), [("base", ""), ("cue-00", "pos"), ("cue-01", "pos")]), "markov"
    )
    (row, _) = placebo_floor(pair_rows_of({CELL: np.full((9, 3, 1), 7)}), SCALE, ("cue-01",), draws)
    assert (row.shift, row.floor_shift, row.at_least, row.p_beyond) == (0.0, 0.0, 1, 0.5)
    assert placebo_floor(pair_rows_of({CELL: np.full((9, 3, 1), 7)}), SCALE, ()) == ()


def repeats(scores: dict[str, list[float]]) -> TrialTable:
    """Return base trials of one cell from repeats by item, and a cell without a repeat."""
    rows = [("j", "d", item, value, "valid") for item, values in scores.items() for value in values]
    rows += [("j", "other", "a", 5.0, "valid"), ("j", "other", "a", np.nan, "refusal")]
    frame = pd.DataFrame(rows, columns=["judge", "domain", "item", "score", "status"]).assign(cue="base")
    return TrialTable(frame, SCALE)


def test_flip_rate_counts_pairs_of_repeats() -> None:
    scores = {"a": [5.0, 5.0, 6.0], "b": [9.0, 9.0], "c": [1.0, 4.0, 4.0, 10.0], "d": [3.0]}
    row, none = repeat_flips(repeats(scores))
    differ, apart = [], []
    for values in scores.values():
        if len(values) > 1:
            pairs = list(permutations(values, 2))
            differ.append(np.mean([x != y for x, y in pairs]))
            apart.append(np.mean([abs(x - y) for x, y in pairs]))
    assert (row.groups, row.repeats) == (3, 9)
    assert row.flip_rate == pytest.approx(np.mean(differ), abs=1e-12)
    assert row.mean_difference == pytest.approx(np.mean(apart), abs=1e-12)
    assert (Cell(none.judge, none.domain), none.groups, none.flip_rate) == (Cell("j", "other"), 0, None)


def test_rows_that_stand_for_several_trials_are_repeats() -> None:
    row, _ = repeat_flips(repeats({"a": [5.0, 5.0, 6.0], "b": [9.0, 9.0]}))
    table = repeats({"a": [5.0, 6.0], "b": [9.0]})
    weighted = replace(table, frame=table.frame.assign(n=[2, 1, 2, 1, 1]))
    assert repeat_flips(weighted)[0] == row
