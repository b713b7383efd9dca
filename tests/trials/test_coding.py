"""Counts of the stages: hand-made tables, and properties of any table."""

from __future__ import annotations

import dataclasses
import io
import random
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgestats.trials.coding import invalid_as_inconsistent, stage_counts
from judgestats.trials.counts import StageCounts
from judgestats.trials.reading import canonical, read_file
from judgestats.trials.status import STATUSES
from judgestats.trials.table import Choice, TrialTable

HAND = """judge,domain,item,cluster,block,status,consistent
b/1,x,i2,t1,congruent,valid,true
b/1,x,i2,t1,congruent,valid,false
b/1,x,i2,t2,incongruent,refusal,
b/1,x,i1,t1,congruent,valid,true
b/1,x,i1,t1,incongruent,malformed,
b/1,x,i1,t1,,valid,true
a,y,k,t9,,valid,true
"""
TRIAL = st.fixed_dictionaries(
    {
        "judge": st.sampled_from(["a", "b/c", "ü:1"]),
        "domain": st.sampled_from(["x", "y"]),
        "item": st.sampled_from(["i1", "I1", "é", "10", "9"]),
        "cluster": st.sampled_from(["t1", "t2", "t10"]),
        "block": st.sampled_from(["congruent", "incongruent", None]),
        "status": st.sampled_from(STATUSES),
        "yes": st.booleans(),
    }
)


def table_of(rows: list[dict[str, object]], drop: tuple[str, ...] = ()) -> TrialTable:
    frame = pd.DataFrame(rows)
    frame["consistent"] = frame["yes"].where(frame["status"] == "valid", None).astype("boolean")
    text = {name: "str" for name in ("judge", "domain", "item", "cluster", "block", "status")}
    frame = frame.astype(text).drop(columns=["yes", *drop])
    return TrialTable(canonical(frame), Choice())


def as_rows(counts: StageCounts) -> list[tuple[object, ...]]:
    """Spell the counts out as (judge, domain, item, cluster, block, trials, successes)."""
    out = []
    for i in range(len(counts.trials)):
        cell = int(counts.cell[i])
        cluster = None
        if counts.clusters is not None and counts.cluster is not None:
            cluster = counts.clusters[cell][counts.cluster[i]]
        names = (counts.cells[cell].judge, counts.cells[cell].domain, counts.items[cell][counts.item[i]], cluster)
        out.append((*names, float(counts.block[i]), int(counts.trials[i]), int(counts.successes[i])))
    return out


def test_a_hand_made_table(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(HAND, encoding="utf-8")
    table = read_file(tmp_path / "x.csv")
    counts = stage_counts(table)
    assert as_rows(counts["validity"]) == [
        ("b/1", "x", "i1", "t1", -0.5, 1, 0),
        ("b/1", "x", "i1", "t1", 0.5, 1, 1),
        ("b/1", "x", "i2", "t1", 0.5, 2, 2),
        ("b/1", "x", "i2", "t2", -0.5, 1, 0),
    ]
    assert as_rows(counts["shift"]) == [("b/1", "x", "i1", "t1", 0.5, 1, 1), ("b/1", "x", "i2", "t1", 0.5, 2, 1)]
    assert as_rows(invalid_as_inconsistent(table)) == [
        ("b/1", "x", "i1", "t1", -0.5, 1, 0),
        ("b/1", "x", "i1", "t1", 0.5, 1, 1),
        ("b/1", "x", "i2", "t1", 0.5, 2, 1),
        ("b/1", "x", "i2", "t2", -0.5, 1, 0),
    ]
    # a cell without any block keeps its place, without items
    assert [str(cell) for cell in counts["shift"].cells] == ["a x y", "b/1 x x"]
    assert counts["shift"].items == ((), ("i1", "i2"))
    assert counts["shift"].items is counts["validity"].items
    assert [notice.count for notice in table.notices if notice.code == "no_block"] == [2]


def plain_counts(rows: list[dict[str, object]]) -> dict[str, Counter[tuple[object, ...]]]:
    out: dict[str, Counter[tuple[object, ...]]] = {"asked": Counter(), "valid": Counter(), "good": Counter()}
    for row in rows:
        if row["block"] is None:
            continue
        half = 0.5 if row["block"] == "congruent" else -0.5
        key = (row["judge"], row["domain"], row["item"], row["cluster"], half)
        out["asked"][key] += 1
        out["valid"][key] += row["status"] == "valid"
        out["good"][key] += row["status"] == "valid" and bool(row["yes"])
    return out


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(TRIAL, min_size=1, max_size=60))
def test_counts_equal_a_plain_tally(rows: list[dict[str, object]]) -> None:
    plain = plain_counts(rows)
    counts = stage_counts(table_of(rows))
    expected = [(*key, n, plain["valid"][key]) for key, n in sorted(plain["asked"].items())]
    assert sorted(as_rows(counts["validity"])) == expected
    expected = [(*key, n, plain["good"][key]) for key, n in sorted(plain["valid"].items()) if n]
    assert sorted(as_rows(counts["shift"])) == expected
    naive = [(*key, n, plain["good"][key]) for key, n in sorted(plain["asked"].items())]
    assert sorted(as_rows(invalid_as_inconsistent(table_of(rows)))) == naive


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(TRIAL, min_size=1, max_size=40), seed=st.integers(0, 1000))
def test_row_order_changes_nothing_and_no_row_is_lost(rows: list[dict[str, object]], seed: int) -> None:
    shuffled = rows[:]
    random.Random(seed).shuffle(shuffled)
    one, two = table_of(rows), table_of(shuffled)
    pd.testing.assert_frame_equal(one.frame, two.frame)
    for name in ("validity", "shift"):
        a, b = stage_counts(one)[name], stage_counts(two)[name]
        for field in dataclasses.fields(StageCounts):
            left, right = getattr(a, field.name), getattr(b, field.name)
            assert np.array_equal(left, right) if isinstance(left, np.ndarray) else left == right
    assert len(one.frame) == len(rows)
    by_status = one.status_counts().groupby("status")["n"].sum().to_dict()
    assert by_status == Counter(row["status"] for row in rows)


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(TRIAL, min_size=1, max_size=40))
def test_aggregated_rows_count_like_repeated_ones(rows: list[dict[str, object]]) -> None:
    tally = Counter(tuple(sorted(row.items(), key=str)) for row in rows)
    aggregated = [{**dict(key), "n": count} for key, count in tally.items()]
    single, summed = table_of(rows), table_of(aggregated)
    for name, counts in stage_counts(single).items():
        assert as_rows(counts) == as_rows(stage_counts(summed)[name])
    pd.testing.assert_frame_equal(single.status_counts(), summed.status_counts(), check_dtype=False)


@settings(max_examples=25, deadline=None)
@given(rows=st.lists(TRIAL, min_size=1, max_size=40))
def test_swapped_blocks_swap_the_sides(rows: list[dict[str, object]]) -> None:
    other = {"congruent": "incongruent", "incongruent": "congruent", None: None}
    swapped = [{**row, "block": other[row["block"]]} for row in rows]  # type: ignore[index]
    for name, counts in stage_counts(table_of(rows)).items():
        assert np.array_equal(counts.totals()[:, ::-1], stage_counts(table_of(swapped))[name].totals())


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(TRIAL, min_size=1, max_size=30), seed=st.integers(0, 99))
def test_through_a_file_every_row_arrives(tmp_path: Path, rows: list[dict[str, object]], seed: int) -> None:
    frame = table_of(rows).frame
    buffer = io.StringIO()
    frame.sample(frac=1, random_state=seed).to_csv(buffer, index=False)
    path = tmp_path / "x.csv"
    path.write_text(buffer.getvalue(), encoding="utf-8")
    back = read_file(path)
    assert back.sources[0].rows == len(rows)
    for name, counts in stage_counts(TrialTable(frame, Choice())).items():
        assert as_rows(counts) == as_rows(stage_counts(back)[name])


def test_without_a_cluster_or_a_block() -> None:
    row: dict[str, object] = {
        "judge": "j",
        "domain": "d",
        "item": "i",
        "cluster": "t",
        "block": "congruent",
        "status": "valid",
        "yes": True,
    }
    counts = stage_counts(table_of([row], drop=("cluster",)))["shift"]
    assert counts.clusters is None
    assert counts.cluster is None
    empty = stage_counts(table_of([row], drop=("block",)))
    assert [len(stage.trials) for stage in empty.values()] == [0, 0]
    assert empty["shift"].items == ((),)


def test_a_count_of_zero_is_no_trial() -> None:
    row: dict[str, object] = {
        "judge": "j",
        "domain": "d",
        "item": "i",
        "cluster": "t",
        "block": "congruent",
        "status": "valid",
        "yes": True,
        "n": 0,
    }
    table = table_of([row, {**row, "item": "k", "n": 3}])
    assert as_rows(stage_counts(table)["shift"]) == [("j", "d", "k", "t", 0.5, 3, 3)]


def test_a_million_rows_in_seconds() -> None:
    rng = np.random.default_rng(3)
    n = 1_000_000
    consistent = rng.random(n) < 0.9
    codes = {
        "judge": rng.integers(0, 3, n),
        "domain": rng.integers(0, 2, n),
        "item": rng.integers(0, 500, n),
        "cluster": rng.integers(0, 20, n),
    }
    frame = pd.DataFrame({name: pd.Series(code).astype(str) for name, code in codes.items()})
    frame["block"] = pd.Series(np.where(rng.random(n) < 0.5, "congruent", "incongruent"))
    frame["status"] = "valid"
    frame["consistent"] = pd.Series(consistent, dtype="boolean")
    start = time.perf_counter()
    counts = stage_counts(TrialTable(frame, Choice()))
    elapsed = time.perf_counter() - start
    assert counts["shift"].trials.sum() == n
    assert counts["shift"].successes.sum() == consistent.sum()
    assert elapsed < 20, f"{elapsed:.1f} s"  # about 1 s on an idle core


@pytest.mark.parametrize("bad", [{"successes": [2]}, {"trials": [0], "successes": [0]}, {"block": [0.0]}])
def test_impossible_counts_are_refused(bad: dict[str, list[float]]) -> None:
    counts = stage_counts(
        table_of(
            [
                {
                    "judge": "j",
                    "domain": "d",
                    "item": "i",
                    "cluster": "t",
                    "block": "congruent",
                    "status": "valid",
                    "yes": True,
                }
            ]
        )
    )["shift"]
    with pytest.raises(ValueError, match=r"must be|needs"):
        dataclasses.replace(counts, **{name: np.asarray(value) for name, value in bad.items()})
