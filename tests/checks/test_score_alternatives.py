"""Score alternatives: subsets of trials row by row, and the rows that refits of them give."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from made_fits import shift_array
from made_pairs import SCALE

from judgestats.checks.score_alternatives import HIGHEST, LEFT_OUT, LOWEST, room_rows, score_loss_rules
from judgestats.checks.score_subsets import by_prompt_config, lost_counted, with_room
from judgestats.checks.shift_rows import DecisionRule, ShiftDraws
from judgestats.trials.cell import Cell
from judgestats.trials.score_coding import pair_rows
from judgestats.trials.table import TrialTable

JUDGE, DOMAIN = "vendor/judge:1", "arc"


def table(scores: dict[tuple[str, str], list[float | None]], config: list[str] | None = None) -> TrialTable:
    """Return trials from scores by (cue, polarity), one a item in order; None is a refusal."""
    rows = [
        (JUDGE, DOMAIN, f"i{i:02d}", cue, polarity or pd.NA, value, "refusal" if value is None else "valid", i)
        for (cue, polarity), values in scores.items()
        for i, value in enumerate(values)
    ]
    frame = pd.DataFrame(rows, columns=["judge", "domain", "item", "cue", "polarity", "score", "status", "at"])
    frame["score"] = frame["score"].astype("float64")
    if config is not None:
        frame["prompt_config"] = [config[i] for i in frame["at"]]
    return TrialTable(frame.drop(columns="at"), SCALE)


def raw_shift(trials: TrialTable) -> ShiftDraws:
    """Return, as if they were draws, the raw mean difference of every variant with a little noise."""
    pairs = pair_rows(trials)
    moved, shift = pairs["moved"], pairs["shift"]
    names = [(v.cue, v.polarity) for v in moved.variants]
    totals = np.array([np.sum((shift.outcome * shift.count)[shift.variant == v]) for v in range(len(names))])
    counts = np.array([np.sum(moved.count[moved.variant == v]) for v in range(len(names))])
    means = np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
    means[0] = 0
    noise = np.random.default_rng(1).normal(0, 0.01, (4, 250, 1, 1))
    return ShiftDraws(shift_array(means + noise, names, (Cell(JUDGE, DOMAIN),)), "independent")


# A cue raises by 1 and lowers by 1 where there is room; two base scores sit at the top, where it cannot raise.
BASE: list[float | None] = [10, 10, 5, 6]
CUES: dict[tuple[str, str], list[float | None]] = {
    ("base", ""): BASE,
    ("age", "pos"): [10, 10, 6, 7],
    ("age", "neg"): [9, 9, 4, 5],
}


def test_room_takes_the_ceiling_out_of_the_asymmetry() -> None:
    trials = table(CUES)
    found = room_rows(trials, raw_shift(trials), raw_shift, DecisionRule(), room=(3, 8))
    rows = {(row.setting, row.cue, row.polarity, row.estimand): row for row in found}
    assert {row.kind for row in found} == {"room"}
    assert rows["all items", "age", "", "asymmetry"].mean == pytest.approx(0.5 - 1.0, abs=0.005)
    assert rows["all items", "age", "", "asymmetry"].outcome == "beyond"
    inner = rows["items with base 3 to 8", "age", "", "asymmetry"]
    assert inner.mean == pytest.approx(0.0, abs=0.005)
    assert inner.outcome == "undecided"
    assert inner.note == "The outcome changes from beyond to undecided."
    assert rows["items with base 3 to 8", "age", "pos", "score_shift"].mean == pytest.approx(1.0, abs=0.005)


def test_each_prompt_configuration_has_its_rows() -> None:
    trials = table(CUES, config=["terse", "terse", "long", "long"])
    found = room_rows(trials, raw_shift(trials), raw_shift, DecisionRule(), room=(3, 8))
    rows = {(row.setting, row.polarity): row for row in found if row.estimand == "score_shift"}
    assert rows["prompt configuration terse", "pos"].mean == pytest.approx(0.0, abs=0.005)
    assert rows["prompt configuration long", "pos"].mean == pytest.approx(1.0, abs=0.005)
    assert by_prompt_config(table(CUES)) == {}
    assert by_prompt_config(table(CUES, config=["one"] * 4)) == {}


def test_a_subset_without_items_is_not_estimable() -> None:
    trials = table(CUES)
    found = room_rows(trials, raw_shift(trials), raw_shift, DecisionRule(), room=(1, 2))
    rows = [row for row in found if row.setting == "items with base 1 to 2"]
    assert len(rows) == 3
    assert {(row.outcome, row.mean) for row in rows} == {("not estimable", None)}
    assert all("No item" in row.note for row in rows)


def test_room_reads_the_base_of_the_own_configuration_and_the_mean_of_repeats() -> None:
    trials = table({("base", ""): [5, 9], ("age", "pos"): [6, 9]})
    again = trials.frame.copy()
    again["score"] = again["score"].where(again["cue"] != "base", 9)
    again["prompt_config"] = "b"
    first = trials.frame.assign(prompt_config="a")
    both = TrialTable(pd.concat([first, again], ignore_index=True), SCALE)
    kept = with_room(both, 3, 8).frame
    assert list(zip(kept["item"], kept["prompt_config"], kept["cue"], strict=True)) == [
        ("i00", "a", "base"),
        ("i00", "a", "age"),
    ]
    # Without configurations the two base scores of an item are repeats: (5 + 9) / 2 = 7 has room, (9 + 9) / 2 has not.
    repeated = TrialTable(both.frame.drop(columns="prompt_config"), SCALE)
    assert set(with_room(repeated, 3, 8).frame["item"]) == {"i00"}
    # Rows that stand for several trials count as many: (3 x 9 + 5) / 4 = 8.
    weighted = TrialTable(repeated.frame.assign(n=[1, 1, 1, 1, 3, 3, 3, 3]), SCALE)
    assert set(with_room(weighted, 8, 8).frame["item"]) == {"i00"}


def test_lost_trials_take_an_end_of_the_scale_in_a_labelled_row_only() -> None:
    scores = {("base", ""): [5.0, 5.0, None, 5.0], ("age", "pos"): [5.0, None, 5.0, 5.0]}
    trials = table(scores)
    found = score_loss_rules(trials, raw_shift(trials), raw_shift, DecisionRule())
    rows = {row.setting: row for row in found}
    assert list(rows) == [LEFT_OUT, LOWEST, HIGHEST]
    assert rows[LEFT_OUT].mean == pytest.approx(0.0, abs=0.005)
    # Differences 0, 1 - 5, 5 - 1, 0 with the lowest, 0, 10 - 5, 5 - 10, 0 with the highest: losses on both sides cancel.
    assert rows[LOWEST].mean == pytest.approx(0.0, abs=0.005)
    scores["base", ""] = [5.0] * 4
    lost_with_cue = table(scores)
    rows = {r.setting: r for r in score_loss_rules(lost_with_cue, raw_shift(lost_with_cue), raw_shift, DecisionRule())}
    assert rows[LOWEST].mean == pytest.approx(-1.0, abs=0.005)
    assert rows[HIGHEST].mean == pytest.approx(1.25, abs=0.005)
    assert rows[LOWEST].outcome == "beyond"
    assert rows[LOWEST].note == (
        "Lost: 1 of 4 trials with the cue, 0 of 4 base trials. The outcome changes from inside to beyond."
    )
    assert lost_with_cue.frame["score"].isna().sum() == 1  # the trials themselves stay as they were
    assert (lost_counted(lost_with_cue, "lowest").frame["status"] == "valid").all()


def test_without_losses_there_is_no_rule_to_vary() -> None:
    trials = table(CUES)

    def never(_: TrialTable) -> ShiftDraws:
        raise AssertionError("no refit is needed")

    assert {r.setting for r in score_loss_rules(trials, raw_shift(trials), never, DecisionRule())} == {LEFT_OUT}
