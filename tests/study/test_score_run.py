"""Runs on scores: from a simulated judge to pages, resumed, read back and written again."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from judgestats.draws.store import load_tree
from judgestats.draws.tree import table_rows
from judgestats.report.findings_store import load_findings
from judgestats.report.score_findings import ScoreFindings
from judgestats.study.analysis import load_analysis
from judgestats.study.opening import open_run
from judgestats.study.pages import FINDINGS, rewrite_pages
from judgestats.study.score_run import PIECES, ScoreRun
from judgestats.trials.columns import weights

ITEMS = 24
ANALYSIS = f"""
name = "scores"
title = "One judge under one cue"
question = "Does a majority note move the score?"
model = "two_stage_ordinal"
seed = 7
[engine]
warmup = 100
draws = 200
[falsification]
permutations = 200
rank_refits = 0
[scores]
placebo = ["neutral"]
[simulation]
design = "cues"
seed = 11
scale = {{ lowest = 1, highest = 5, step = 1 }}
items = {ITEMS}
cues = ["bandwagon"]
[simulation.judges."lab/judge:1".science]
kind = "ordinal"
level = 3.2
item_sd = 0.6
noise = 0.5
refusal = 0.1
[simulation.judges."lab/judge:1".science.effects]
"bandwagon neg" = {{ shift = -1.2 }}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished run, its analysis beside it."""
    home = tmp_path_factory.mktemp("scores")
    (home / "analysis.toml").write_text(ANALYSIS, encoding="utf-8")
    opened(home).report()
    return home


def opened(home: Path) -> ScoreRun:
    run = open_run(load_analysis(home), None, home / "out")
    assert isinstance(run, ScoreRun)
    return run


def stored(home: Path) -> ScoreFindings:
    found = load_findings(home / "out" / FINDINGS)
    assert isinstance(found, ScoreFindings)
    return found


def test_every_trial_is_counted_once(folder: Path) -> None:
    """Base, two polarities and a placebo of every item: 4 x 24 trials, as the written file holds them."""
    table = opened(folder).setup.table
    found = stored(folder)
    assert int(weights(table.frame).sum()) == 4 * ITEMS == sum(count.n for count in found.counts)
    valid = {(c.cue, c.polarity): c.n for c in found.counts if c.status == "valid"}
    for raw in found.raw:
        assert sum(raw.levels) == valid[raw.cue, raw.polarity]


def test_records_carry_the_planted_shift_and_cover_the_large_one(folder: Path) -> None:
    """A shift of about a point against a posterior sd near .2: the sign is beyond doubt whatever the seed of the chains."""
    shifts = {
        (r.cue, r.polarity): r
        for r in stored(folder).records
        if r.estimand == "score_shift" and r.version == "marginal"
    }
    moved = shifts["bandwagon", "neg"]
    assert moved.planted is not None
    assert moved.lower is not None
    assert moved.upper is not None
    assert moved.planted < -0.8
    assert moved.upper < 0
    assert moved.lower - 0.5 < moved.planted < moved.upper + 0.5
    assert shifts["neutral", ""].planted == pytest.approx(0.0, abs=1e-9)
    assert all(r.n_asked == 2 * ITEMS for r in shifts.values())


def test_draws_hold_what_the_records_say(folder: Path) -> None:
    tree = load_tree(folder / "out" / "draws.nc")
    assert {"validity", "shift"} <= set(tree.children)
    assert len(table_rows(tree, "estimands")) == len(stored(folder).records)
    assert list(tree["shift/posterior"]["judge"].values) == ["lab/judge:1"]
    observed = tree["shift/observed_data"].to_dataset()
    assert int(observed["count"].sum()) == sum(c.n for c in stored(folder).counts if c.status == "valid")


def test_a_finished_run_makes_nothing_again(folder: Path) -> None:
    before = (folder / "out" / "results.json").read_bytes()
    run = opened(folder)
    assert set(PIECES) <= set(run.finished())
    run.report()
    assert run.ledger.made == []
    after = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))
    assert after["records"] == json.loads(before)["records"]


def test_pages_written_again_are_the_same(folder: Path) -> None:
    index = folder / "out" / "index.html"
    before = index.read_text(encoding="utf-8")
    rewrite_pages(folder / "out")
    assert index.read_text(encoding="utf-8") == before


def test_permutation_p_of_every_cue_is_that_of_all_sign_flips(folder: Path) -> None:
    """The exact law of the sum of flipped differences, added up one item at a time from the written file."""
    trials = pd.read_csv(folder / "out" / "trials.csv", keep_default_na=False)
    valid = trials[trials["status"] == "valid"].assign(score=lambda frame: frame["score"].astype(float))
    scores = {name: group.set_index("item")["score"] for name, group in valid.groupby(["cue", "polarity"])}
    rows = stored(folder).falsification
    assert {(row.cue, row.polarity) for row in rows} == {("bandwagon", "neg"), ("bandwagon", "pos"), ("neutral", "")}
    for row in rows:
        differences = (scores[row.cue, row.polarity] - scores["base", ""]).dropna()
        law = {0.0: 1.0}
        for d in differences:
            flipped: dict[float, float] = {}
            for total, mass in law.items():
                for sign in (-1, 1):
                    flipped[total + sign * d] = flipped.get(total + sign * d, 0.0) + mass / 2
            law = flipped
        observed = differences.sum()
        tails = [sum(m for t, m in law.items() if side * t >= side * observed) for side in (-1, 1)]
        assert row.observed == pytest.approx(differences.mean())
        assert row.p_value == pytest.approx(min(1.0, 2 * min(tails)))
