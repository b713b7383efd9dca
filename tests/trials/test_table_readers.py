"""CSV, JSON and Parquet give the same trials; types and odd spellings."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pandas as pd
import pytest

from judgestats.trials.reading import read_file

ROWS = [
    {
        "judge": "org/j:1",
        "domain": "d",
        "item": 'naïve, "quoted"\nsecond line',
        "block": "congruent",
        "status": "valid",
        "response": "yes",
        "consistent": True,
        "repeat": 1,
        "latency_s": 0.5,
        "note": "<script>alert(1)</script>",
    },
    {
        "judge": "org/j:1",
        "domain": "d",
        "item": "Nan",
        "block": "incongruent",
        "status": "refusal",
        "response": None,
        "consistent": None,
        "repeat": 2,
        "latency_s": None,
        "note": "NA",
    },
]


def as_csv(path: Path) -> None:
    data = [{k: "" if v is None else v for k, v in row.items()} for row in ROWS]
    pd.DataFrame(data).to_csv(path, index=False)


def as_jsonl(path: Path) -> None:
    path.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n\n", encoding="utf-8")


def as_json(path: Path) -> None:
    path.write_text("\n " + json.dumps(ROWS, indent=1), encoding="utf-8")


def as_parquet(path: Path) -> None:
    pd.DataFrame(ROWS).astype({"repeat": "Int64", "consistent": "boolean"}).to_parquet(path)


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize(
    ("ending", "write"), [(".csv", as_csv), (".jsonl", as_jsonl), (".json", as_json), (".parquet", as_parquet)]
)
def test_every_format_gives_the_same_trials(tmp_path: Path, ending: str, write: object, suffix: str) -> None:
    path = tmp_path / f"x{ending}"
    write(path)  # type: ignore[operator]
    if suffix:
        packed = tmp_path / f"x{ending}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        path = packed
    frame = read_file(path).frame
    assert frame["judge"].tolist() == ["org/j:1", "org/j:1"]
    assert frame["item"].tolist() == ["Nan", 'naïve, "quoted"\nsecond line']  # a name is not a gap
    assert frame["status"].tolist() == ["refusal", "valid"]
    assert frame["consistent"].isna().tolist() == [True, False]
    assert bool(frame["consistent"][1])
    assert frame["repeat"].tolist() == ["2", "1"]
    assert frame["latency_s"].isna().tolist() == [True, False]
    assert frame["latency_s"][1] == 0.5
    assert frame["note"].tolist() == ["NA", "<script>alert(1)</script>"]  # extra columns pass as they are


@pytest.mark.parametrize(
    ("word", "value"), [("true", True), ("FALSE", False), ("1", True), ("0.0", False), (" consistent ", True)]
)
def test_spellings_of_the_verdict(tmp_path: Path, word: str, value: bool) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"judge,domain,item,status,consistent\nj,d,i,Valid ,{word}\n", encoding="utf-8")
    frame = read_file(path).frame
    assert frame["status"].tolist() == ["valid"]
    assert bool(frame["consistent"][0]) is value


def test_all_true_stays_all_true(tmp_path: Path) -> None:
    """A verdict of one value only is not recoded: success is declared, not inferred."""
    for word, value in (("1", True), ("0", False)):
        path = tmp_path / f"{word}.csv"
        path.write_text("judge,domain,item,status,consistent\n" + f"j,d,i,valid,{word}\n" * 3, encoding="utf-8")
        assert read_file(path).frame["consistent"].tolist() == [value] * 3


def test_a_pandas_index_column_passes(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    frame = pd.read_csv(io.StringIO("judge,domain,item,status,consistent\nj,d,i,valid,true\n"), dtype=str)
    frame.to_csv(path)
    assert read_file(path).frame["source_index"].tolist() == ["0"]


def test_a_field_longer_than_the_csv_module_allows_by_default(tmp_path: Path) -> None:
    import csv

    before = csv.field_size_limit()
    path = tmp_path / "x.csv"
    path.write_text(
        f"judge,domain,item,status,consistent,reasoning\nj,d,i,valid,true,{'x' * 300_000}\n", encoding="utf-8"
    )
    assert read_file(path).frame["reasoning"].str.len().tolist() == [300_000]
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(tmp_path: Path, end: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(end.join(["judge,domain,item,status,consistent", "j,d,i,valid,1", "j,d,k,valid,0", ""]).encode())
    assert read_file(path).frame["item"].tolist() == ["i", "k"]


def test_keys_that_some_json_rows_lack(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    rows = [{k: v for k, v in row.items() if k != "note" or i} for i, row in enumerate(ROWS)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert sorted(read_file(path).frame["note"].fillna("-")) == ["-", "NA"]


def test_nested_and_dictionary_columns_of_parquet(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS).astype({"consistent": "boolean"})
    frame["judge"] = frame["judge"].astype("category")
    frame["tags"] = [["a", "b"], []]
    frame["when"] = pd.to_datetime(["2026-01-02", "2026-01-03"])
    frame.to_parquet(tmp_path / "x.parquet")
    out = read_file(tmp_path / "x.parquet").frame
    assert out["tags"].tolist() == ["[]", '["a", "b"]']
    assert out["when"].tolist()[1].startswith("2026-01-02")
    assert out["judge"].tolist() == ["org/j:1"] * 2


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    row = {"judge": "j", "domain": "d", "item": "i", "status": "malformed", "consistent": None}
    line = json.dumps({**row, "raw_text": "TEXT"}).replace("TEXT", "a\\ud83d b \\ud83d\\ude00")
    path.write_text(line, encoding="utf-8")
    assert read_file(path).frame["raw_text"].tolist() == ["a\ufffd b \U0001f600"]
