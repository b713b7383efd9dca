"""Rows of the score stages: hand-made tables, and properties of any table of scores."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgestats.errors import ConfigError
from judgestats.trials.base_sets import NO_BASE, OTHER_CONTEXT, OTHER_REPEAT, BaseSets
from judgestats.trials.coding import stage_counts
from judgestats.trials.columns import TEXT
from judgestats.trials.pairing import LOST, pair_trials
from judgestats.trials.reading import canonical, read_file
from judgestats.trials.score_coding import pair_rows, score_rows
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.table import Choice, Score, TrialTable

SCALE = Score(1, 10)
HAND = """judge,domain,item,cue,polarity,status,score
j,d,a,base,,valid,5
j,d,a,authority,pos,valid,7
j,d,a,authority,neg,valid,5
j,d,b,,,valid,9
j,d,b,authority,pos,valid,8
j,d,b,authority,neg,refusal,
j,d,c,Base,,error,
j,d,c,authority,pos,valid,10
k,d,a,authority,pos,valid,1
"""
TRIAL = st.fixed_dictionaries(
    {
        "judge": st.sampled_from(["a", "b/c"]),
        "domain": st.sampled_from(["x", "y"]),
        "item": st.sampled_from(["i1", "I1", "é"]),
        "cue": st.sampled_from(["base", "base", "authority", "bandwagon"]),
        "polarity": st.sampled_from(["pos", "neg", None]),
        "prompt_config": st.sampled_from(["p", "q", None]),
        "repeat": st.sampled_from(["1", "2", None]),
        "status": st.sampled_from(["valid", "valid", "valid", "refusal", "error"]),
        "score": st.integers(1, 10),
        "n": st.integers(0, 3),
    }
)
TRIALS = st.lists(TRIAL, min_size=1, max_size=20)


def table_of(rows: list[dict[str, object]], drop: tuple[str, ...] = ()) -> TrialTable:
    frame = pd.DataFrame(rows)
    frame["score"] = frame["score"].astype("float64").where(frame["status"] == "valid")
    for name in ("judge", "domain", "item", "cue", "polarity", "prompt_config", "repeat", "status"):
        frame[name] = frame[name].astype(TEXT)
    frame["polarity"] = frame["polarity"].mask(frame["cue"] == "base")
    frame["n"] = frame["n"].astype("int64")
    return TrialTable(canonical(frame.drop(columns=list(drop))), SCALE)


def spelled(rows: ScoreRows) -> list[tuple[object, ...]]:
    """Spell rows out as (judge, domain, item, variant, base level or None, outcome, count)."""
    out: list[tuple[object, ...]] = []
    for i in range(len(rows.count)):
        cell = rows.cells[rows.cell[i]]
        base = None if rows.base is None else int(rows.base[i])
        name = rows.items[rows.cell[i]][rows.item[i]]
        variant = str(rows.variants[rows.variant[i]])
        out.append((cell.judge, cell.domain, name, variant, base, int(rows.outcome[i]), int(rows.count[i])))
    return out


@pytest.fixture
def hand(tmp_path: Path) -> TrialTable:
    (tmp_path / "x.csv").write_text(HAND, encoding="utf-8")
    return read_file(tmp_path / "x.csv", scale=SCALE)


def test_levels_of_a_hand_made_table(hand: TrialTable) -> None:
    rows = score_rows(hand)
    assert [str(v) for v in rows["shift"].variants] == ["base", "authority neg", "authority pos"]
    assert spelled(rows["shift"]) == [  # a level is the score less 1
        ("j", "d", "a", "base", None, 4, 1),
        ("j", "d", "a", "authority neg", None, 4, 1),
        ("j", "d", "a", "authority pos", None, 6, 1),
        ("j", "d", "b", "base", None, 8, 1),
        ("j", "d", "b", "authority pos", None, 7, 1),
        ("j", "d", "c", "authority pos", None, 9, 1),
        ("k", "d", "a", "authority pos", None, 0, 1),
    ]
    assert rows["shift"].outcomes == 10
    assert rows["validity"].totals().tolist() == [[[1, 2], [1, 1], [0, 3]], [[0, 0], [0, 0], [0, 1]]]


def test_pairs_of_a_hand_made_table(hand: TrialTable) -> None:
    rows = pair_rows(hand)
    assert spelled(rows["moved"]) == [
        ("j", "d", "a", "authority neg", 4, 0, 1),
        ("j", "d", "a", "authority pos", 4, 1, 1),
        ("j", "d", "b", "authority pos", 8, 1, 1),
    ]
    assert spelled(rows["shift"]) == [
        ("j", "d", "a", "authority pos", 4, 2, 1),
        ("j", "d", "b", "authority pos", 8, -1, 1),
    ]
    left = {reason: len(rows) for reason, rows in pair_trials(hand).left_out.items()}
    assert left == {NO_BASE: 1, OTHER_CONTEXT: 0, OTHER_REPEAT: 0, LOST: 2}


def test_half_steps_and_a_scale_that_starts_elsewhere(tmp_path: Path) -> None:
    text = "judge,domain,item,cue,status,score\nj,d,a,base,valid,-0.9\nj,d,a,x,valid,-0.1\n"
    (tmp_path / "x.csv").write_text(text, encoding="utf-8")
    table = read_file(tmp_path / "x.csv", scale=Score(-1, 0, 0.1))  # 0.1 is no binary fraction
    assert score_rows(table)["shift"].outcome.tolist() == [1, 9]
    assert pair_rows(table)["shift"].outcome.tolist() == [8]


def test_a_table_of_the_other_kind_is_refused(hand: TrialTable) -> None:
    with pytest.raises(ConfigError, match="verdict is a score"):
        stage_counts(hand)
    with pytest.raises(ConfigError, match="verdict is a choice"):
        score_rows(TrialTable(hand.frame.drop(columns="score"), Choice()))


def trial(cue: str, score: int, **more: object) -> dict[str, object]:
    bare: dict[str, object] = {"judge": "a", "domain": "x", "item": "i", "polarity": None, "prompt_config": None}
    return {**bare, "repeat": None, "status": "valid", "n": 1, "cue": cue, "score": score, **more}


def test_the_base_of_the_same_repeat_is_the_partner() -> None:
    rows = [trial("base", 3, repeat="1"), trial("base", 8, repeat="2"), trial("base", 5)]
    cues = [trial("c", 4, repeat="1"), trial("c", 4, repeat="2"), trial("c", 4, repeat="3")]
    pairs = pair_trials(table_of(rows + cues))
    # Repeat 3 has no base of its own; the base without a repeat serves it.
    assert sorted((pairs.level - pairs.base).tolist()) == [-4, -1, 1]
    without = pair_trials(table_of(rows[:2] + cues))
    assert sorted((without.level - without.base).tolist()) == [-4, 1]
    assert len(without.left_out[OTHER_REPEAT]) == 1


def test_one_trial_meets_the_median_of_several_bases() -> None:
    for bases, median in (([2, 9, 3], 3), ([2, 4], 3), ([4, 5], 5), ([5, 6], 5)):
        # The midpoints of 4, 5 and of 5, 6 go to level index 4, which is the score 5.
        pairs = pair_trials(table_of([*(trial("base", b) for b in bases), trial("c", 7)]))
        assert (pairs.base + 1).tolist() == [median]
        assert pairs.several == 1


def test_a_base_in_another_prompt_configuration_is_no_partner() -> None:
    pairs = pair_trials(table_of([trial("base", 5, prompt_config="p"), trial("c", 6, prompt_config="q")]))
    assert len(pairs.row) == 0
    assert len(pairs.left_out[OTHER_CONTEXT]) == 1


def quantiles(levels: list[int], counts: list[int], size: int) -> list[int]:
    """Return the quantiles of base trials that stand between two other items."""
    items = ["a", *(["b"] * len(levels)), "c"]
    frame = pd.DataFrame({"judge": "j", "domain": "d", "item": items})
    level, weight = np.array([3, *levels, 5]), np.array([2, *counts, 2])
    sets = BaseSets.of(frame, np.arange(len(items)), level, weight)
    at, _ = sets.partners(np.full(size, 1))
    return [int(level) for level in sets.quantile(at, np.arange(size), np.full(size, size))]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_equal_sets_of_scores_give_no_difference(levels: list[int]) -> None:
    """The (2k - 1)/(2V) quantile of V scores is the k-th of them: a share strictly inside the k-th interval."""
    assert quantiles(levels, [1] * len(levels), len(levels)) == sorted(levels)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), min_size=1, max_size=5), st.integers(1, 6))
def test_quantiles_against_the_definition(entries: list[tuple[int, int]], size: int) -> None:
    spread = sorted(level for level, count in entries for _ in range(count))
    expected = []
    for k in range(1, size + 1):
        share = Fraction(2 * k - 1, 2 * size) * len(spread)
        at = -(-share.numerator // share.denominator)  # the first trial that reaches the share
        edge = share.denominator == 1 and at < len(spread)
        low, high = spread[at - 1], spread[at] if edge else spread[at - 1]
        expected.append(round(Fraction(low + high, 2)))  # Python rounds a half to the even number
    levels, counts = (list(column) for column in zip(*entries, strict=True))
    assert quantiles(levels, counts, size) == expected


def reference_left_out(table: TrialTable) -> Counter[str]:
    """Count what finds no pair with loops over plain rows."""
    rows = table.frame.astype(object).where(table.frame.notna(), None).to_dict("records")
    rows = [row for row in rows if row["n"] > 0]
    out: Counter[str] = Counter()
    for row in rows:
        if row["cue"] == "base":
            continue
        item = [b for b in rows if b["cue"] == "base" and all(b[k] == row[k] for k in ("judge", "domain", "item"))]
        here = [b for b in item if b["prompt_config"] == row["prompt_config"]]
        mine = here if row["repeat"] is None else [b for b in here if b["repeat"] == row["repeat"]]
        mine = mine or [b for b in here if b["repeat"] is None]
        if not item:
            out[NO_BASE] += row["n"]
        elif not here:
            out[OTHER_CONTEXT] += row["n"]
        elif not mine:
            out[OTHER_REPEAT] += row["n"]
        elif row["status"] != "valid" or not any(b["status"] == "valid" for b in mine):
            out[LOST] += row["n"]
        else:
            out["pairs"] += row["n"]
    return out


@given(TRIALS)
@settings(deadline=None, max_examples=25)
def test_pairs_and_what_is_left_out_are_all_trials_of_a_variant(rows: list[dict[str, object]]) -> None:
    table = table_of(rows)
    pairs = pair_trials(table)
    weight = table.frame["n"].to_numpy()
    found = {reason: int(weight[left].sum()) for reason, left in pairs.left_out.items()}
    assert Counter({**found, "pairs": int(pairs.count.sum())}) == reference_left_out(table)
    stages = pair_rows(table)
    assert stages["moved"].count.sum() == pairs.count.sum()
    assert stages["shift"].count.sum() == stages["moved"].count[stages["moved"].outcome == 1].sum()
    assert not np.any(stages["shift"].outcome == 0)
    assert stages["shift"].base is not None
    reached = stages["shift"].base + stages["shift"].outcome
    assert np.all((reached >= 0) & (reached < 10))


@given(TRIALS, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=25)
def test_the_order_of_rows_changes_nothing(rows: list[dict[str, object]], rng: random.Random) -> None:
    shuffled = list(rows)
    rng.shuffle(shuffled)
    one, other = table_of(rows), table_of(shuffled)
    for code in (score_rows, pair_rows):
        assert {k: spelled(v) for k, v in code(one).items()} == {k: spelled(v) for k, v in code(other).items()}


@given(TRIALS)
@settings(deadline=None, max_examples=25)
def test_the_names_of_items_change_nothing(rows: list[dict[str, object]]) -> None:
    names = {"i1": "zz", "I1": "10", "é": "9"}
    renamed = [{**row, "item": names[str(row["item"])]} for row in rows]
    for code in (score_rows, pair_rows):
        for stage, before in code(table_of(rows)).items():
            after = code(table_of(renamed))[stage]
            moved = Counter((j, d, names[str(i)], *rest) for j, d, i, *rest in spelled(before))
            assert moved == Counter(spelled(after))


@given(TRIALS)
@settings(deadline=None, max_examples=25)
def test_a_row_with_a_count_is_that_many_rows(rows: list[dict[str, object]]) -> None:
    spread = [{**row, "n": 1} for row in rows for _ in range(int(str(row["n"])))]
    if not spread:
        return
    for code in (score_rows, pair_rows):
        weighted, plain = code(table_of(rows)), code(table_of(spread))
        for stage in weighted:
            assert Counter(spelled(weighted[stage])) == Counter(spelled(plain[stage]))


@given(TRIALS)
@settings(deadline=None, max_examples=25)
def test_totals_are_the_counts_of_the_table(rows: list[dict[str, object]]) -> None:
    table = table_of(rows)
    stages = score_rows(table)
    valid = table.frame["status"] == "valid"
    assert stages["validity"].count.sum() == table.frame["n"].sum()
    assert stages["shift"].count.sum() == table.frame.loc[valid, "n"].sum()
    counted = table.variant_counts()
    totals = stages["validity"].totals()
    for judge, domain, cue, polarity, status, n in counted.itertuples(index=False):
        i = [(c.judge, c.domain) for c in stages["validity"].cells].index((judge, domain))
        k = [(v.cue, v.polarity) for v in stages["validity"].variants].index((cue, polarity))
        if status == "valid":
            assert totals[i, k, 1] == n
