"""The [trials] section: every slip is a usage error with a near match."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judgestats.errors import ConfigError
from judgestats.trials.instructed import InstructedTest
from judgestats.trials.layout import path_part, stem
from judgestats.trials.mapping import TrialsSource

TESTS = [{"domains": ["a*"], "congruent": {"x": "good", "y": "bad"}}]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"fils": "*"}, ["key 'fils'", "did you mean 'files'?"]),
        ({}, ["does not say which files"]),
        ({"files": 3}, ["'files' has the wrong type"]),
        ({"files": "*", "format": "cvs"}, ["format 'cvs'", "did you mean 'csv'?"]),
        ({"files": "*", "path": {"judge": "foldr"}}, ["'foldr'", "did you mean 'folder'?"]),
        ({"files": "*", "path": {"judge": "folder:0"}}, ["folder:0"]),
        ({"files": "*", "path": {"judge": "stem:2"}}, ["stem:2"]),
        ({"files": "*", "columns": {"judge": 3}}, ["'judge' has the wrong type"]),
        ({"files": "*", "columns": ["judge"]}, ["'columns' has the wrong type"]),
        ({"files": "*", "columns": {"judge": "m"}, "constants": {"judge": "x"}}, ["says twice", "'judge'"]),
        ({"files": "*", "row_number": "cluster", "path": {"cluster": "stem"}}, ["says twice", "'cluster'"]),
        ({"files": "*", "values": {"block": {"A": True}}}, ["[trials.values.block]", "wrong type"]),
        ({"files": "*", "labels": "yes"}, ["'labels' has the wrong type"]),
        ({"files": "*", "max_bytes": 0}, ["max_bytes"]),
        ({"files": "*", "design": "free"}, ["design 'free'", "free_assignment"]),
        ({"files": "*", "coding": {"rule": "instructed_maping"}}, ["did you mean 'instructed_mapping'?"]),
        ({"files": "*", "coding": {"rule": "instructed_mapping", "group": "g"}}, ["declares no test"]),
        ({"files": "*", "coding": {"rule": "instructed_mapping", "tests": TESTS}}, ["'group' is not given"]),
        ({"files": "*", "coding": {"rule": "expected_answer", "refusals": []}}, ["did you mean 'refusal'?"]),
        ({"files": "*", "coding": {"rule": "expected_answer", "expected": "e", "refusal": ["("]}}, ["not a regular"]),
        (
            {"files": "*", "coding": {"rule": "instructed_mapping", "group": "g", "tests": [{"domain": ["a"]}]}},
            ["did you mean 'domains'?"],
        ),
        (
            {
                "files": "*",
                "coding": {
                    "rule": "instructed_mapping",
                    "group": "g",
                    "tests": [{"domains": ["a"], "congruent": {"x": "g"}}],
                },
            },
            ["names 1 categories"],
        ),
    ],
)
def test_slips(table: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ConfigError) as error:
        TrialsSource.from_dict(table)
    for word in words:
        assert word in error.value.sentence()
    assert error.value.exit_code == 2


def test_a_source_is_plain_data() -> None:
    table = {
        "files": "*/*.csv",
        "columns": {"item": "word"},
        "coding": {"rule": "instructed_mapping", "group": "g", "tests": TESTS, "refusal": ["^sorry"]},
    }
    source = TrialsSource.from_dict(table)
    plain = json.loads(json.dumps(source.to_dict()))
    assert plain["columns"] == {"item": "word"}
    assert plain["coding"]["rule"] == "InstructedMapping"
    assert source.labels() == ("bad", "good")


def test_the_first_pattern_that_fits_speaks_for_a_group() -> None:
    test = InstructedTest(("race_*",), {"european*": "pleasant", "african*": "unpleasant"})
    assert test.target("european_american_x") == "pleasant"
    assert test.target("asian") is None
    assert test.covers("race_nosek")
    assert not test.covers("Race")


@pytest.mark.parametrize(
    ("path", "part", "word"),
    [
        ("a/b/c.d.csv.gz", "stem", "c.d"),
        ("a/b/c.JSONL", "stem", "c"),
        ("a/b/c.csv.gz", "name", "c.csv.gz"),
        ("a/b/c.csv", "folder", "b"),
        ("a/b/c.csv", "folder:2", "a"),
    ],
)
def test_path_parts(path: str, part: str, word: str) -> None:
    assert path_part(path, part) == word


def test_a_name_without_a_known_ending_is_its_own_stem() -> None:
    assert stem("run.v2") == "run.v2"
