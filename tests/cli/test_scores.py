"""Scores at the command line: what validate and plan say before anything is fitted."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from judgestats.checks.score_finding import CueFalsification
from judgestats.cli.effects import effect_lines, falsification_lines
from judgestats.draws.record import Record

Command = Callable[..., subprocess.CompletedProcess[str]]

ROWS = """judge,domain,item,status,score,cue,polarity
k,d,a,valid,7,base,
k,d,a,valid,5,note,neg
k,d,b,valid,6,base,
k,d,b,refusal,,note,neg
"""
ANALYSIS = """
name = "scores"
title = "Scores"
question = "Do they move?"
model = "two_stage_ordinal"
seed = 1
[trials]
files = "*.csv"
[trials.score]
lowest = 1
highest = 10
"""


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Return the folder of an analysis of four scores."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "scores.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "analysis.toml").write_text(ANALYSIS, encoding="utf-8")
    return tmp_path


def test_a_bare_file_of_scores_needs_its_scale(scores: Path, judgestats: Command) -> None:
    file = scores / "data" / "scores.csv"
    done = judgestats("validate", file, "--scale", "1,10", "--json")
    assert done.returncode == 0
    counted = json.loads(done.stdout)
    assert counted == json.loads(judgestats("validate", scores, "--json").stdout)
    assert judgestats("validate", file).returncode == 3  # a table without `consistent` and without a scale


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--scale", "1"), "1 numbers"),
        (("--scale", "ten"), "'ten'"),
        (("--scale", "1,10,4"), "no whole number of steps"),
        (("--scale", "1,10", "--labels", "A,B"), "together"),
    ],
)
def test_a_wrong_scale_is_named(scores: Path, judgestats: Command, words: tuple[str, ...], said: str) -> None:
    done = judgestats("validate", scores / "data" / "scores.csv", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_plan_counts_by_cue_and_fits_nothing(scores: Path, judgestats: Command) -> None:
    done = judgestats("plan", scores)
    assert done.returncode == 0
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["judge", "domain", "cue", "status", "trials"] in rows
    assert ["k", "d", "note", "neg", "refusal", "1"] in rows
    assert ["k", "d", "base", "valid", "2"] in rows
    assert "within_item; 1000 permutations" in done.stdout


def test_a_model_of_scores_refuses_choices(scores: Path, judgestats: Command) -> None:
    (scores / "analysis.toml").write_text(ANALYSIS.split("[trials.score]")[0], encoding="utf-8")
    (scores / "data" / "scores.csv").write_text(
        "judge,domain,item,block,status,consistent\nk,d,a,congruent,valid,true\n", encoding="utf-8"
    )
    done = judgestats("plan", scores)
    assert done.returncode == 2
    assert "[trials.score]" in done.stderr


def test_effects_name_the_cue_and_the_scale_of_the_rope() -> None:
    record = Record(
        "k", "d", "score_shift", "shift", "two_stage_ordinal", "numpyro", "score_points", version="marginal",
        cue="note", polarity="neg", mean=-0.5, lower=-0.75, upper=-0.25, p_gt_0=0.001, ci_prob=0.95, ci_kind="eti",
        rope=(-0.15, 0.15), n_asked=4, n_valid=3, n_lost={"refusal": 1}, outcome="beyond",
    )  # fmt: skip
    lines = effect_lines([record])
    assert lines[1].split()[:5] == ["k", "d", "note", "neg", "-0.500"]
    assert "1/4" in lines[1]
    assert lines[-1] == "ROPE, the region of practical equivalence of score shift: [-0.15, 0.15]"


def test_an_exact_permutation_is_said_to_be_of_all_data_sets() -> None:
    row = CueFalsification("k", "d", "note", "neg", "within_item", "raw_difference", -0.5, (), 0, 9, 0.03125, 0.0625)
    head, line = falsification_lines([row])
    assert head.split()[:4] == ["judge", "domain", "cue", "scheme"]
    assert line.split() == ["k", "d", "note", "neg", "within_item", "-0.5000", "0.0312", "0.0625", "all", "9"]
