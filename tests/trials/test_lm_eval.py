"""Samples of the LM Evaluation Harness."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgestats.errors import ConfigError, TrialDataError
from judgestats.trials.mapping import TrialsSource
from judgestats.trials.reading import read_trials
from judgestats.trials.table import TrialTable


def sample(doc: int, answer: object, raw: object, **more: object) -> dict[str, Any]:
    bare = {"doc_id": doc, "doc": {"question": "q"}, "target": "4", "filter": "strict"}
    return {**bare, "resps": [[raw]], "filtered_resps": [answer], **more}


def write(
    folder: Path, samples: list[dict[str, Any]], name: str = "samples_gsm8k_2024-05-01T10-00-00.123.jsonl"
) -> None:
    (folder / "org__judge").mkdir(exist_ok=True)
    text = "\n".join(json.dumps(entry) for entry in samples)
    (folder / "org__judge" / name).write_text(text, encoding="utf-8")


def read(folder: Path, **section: Any) -> TrialTable:
    return read_trials(TrialsSource.from_dict({"files": "*/*.jsonl", "reader": "lm_eval", **section}), folder)


SAMPLES = [
    sample(0, "4", "so 4", exact_match=1.0),
    sample(1, "5", "so 5", exact_match=0.0),
    sample(2, "[invalid]", "I would rather not", exact_match=0.0),
    sample(3, "", "", exact_match=0.0),
]


def test_a_metric_of_zero_and_one_is_a_choice(tmp_path: Path) -> None:
    write(tmp_path, SAMPLES)
    frame = read(tmp_path).frame
    assert frame["judge"].unique().tolist() == ["org__judge"]
    assert frame["domain"].unique().tolist() == ["gsm8k"]
    assert frame["item"].tolist() == ["0", "1", "2", "3"]
    # What no filter could read is lost, not wrong.
    assert frame["status"].tolist() == ["valid", "valid", "malformed", "missing"]
    assert frame["consistent"].isna().tolist() == [False, False, True, True]
    assert frame["consistent"][:2].tolist() == [True, False]
    assert frame["raw_text"][2] == "I would rather not"


def test_a_metric_is_a_score(tmp_path: Path) -> None:
    write(tmp_path, [sample(0, "7", "7", rating=7, f1=0.5), sample(1, "10", "10", rating=10, f1=0.1)])
    score = {"lowest": 1, "highest": 10}
    assert read(tmp_path, options={"metric": "rating"}, score=score).frame["score"].tolist() == [7.0, 10.0]
    with pytest.raises(ConfigError, match="the file holds 2 of metric"):
        read(tmp_path, score=score)
    with pytest.raises(ConfigError, match="'ratin' is not a metric of the file; did you mean 'rating'"):
        read(tmp_path, options={"metric": "ratin"}, score=score)


def test_one_of_several_filters_is_named(tmp_path: Path) -> None:
    flexible = [{**entry, "filter": "flexible", "exact_match": 1.0, "filtered_resps": ["4"]} for entry in SAMPLES]
    write(tmp_path, SAMPLES + flexible)
    with pytest.raises(ConfigError, match="the file holds 2 of filter"):
        read(tmp_path)
    assert len(read(tmp_path, options={"filter": "strict"}).frame) == 4
    assert read(tmp_path, options={"filter": "flexible"}).frame["consistent"].all()


def test_likelihoods_of_choices_are_answers(tmp_path: Path) -> None:
    pairs = [["-1.2", "False"], ["-0.3", "True"]]
    entry = {"doc_id": 5, "target": 1, "resps": [[pairs[0]], [pairs[1]]], "filtered_resps": pairs, "acc": 1.0}
    write(tmp_path, [entry], "samples_boolq.jsonl")
    frame = read(tmp_path).frame
    assert frame[["domain", "item", "status"]].to_numpy().tolist() == [["boolq", "5", "valid"]]
    assert frame["consistent"].tolist() == [True]


def test_a_file_of_another_kind_is_named(tmp_path: Path) -> None:
    write(tmp_path, [{"doc_id": 1, "answer": "x"}])
    with pytest.raises(TrialDataError, match="row 1 lacks 'filtered_resps', 'resps'"):
        read(tmp_path)
