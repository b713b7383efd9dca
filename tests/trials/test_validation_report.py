"""What `validate` says: columns, counts, support and every named warning."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from judgestats.trials.checks import inspect_table
from judgestats.trials.noticing import family
from judgestats.trials.reading import read_file
from judgestats.trials.table import TrialTable

HEADER = ("judge", "domain", "item", "block", "status", "consistent")


def table_of(path: Path, rows: list[tuple[str, ...]], header: tuple[str, ...] = HEADER) -> TrialTable:
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(header)
        writer.writerows(rows)
    return read_file(path)


def balanced(items: int = 100, judge: str = "j") -> list[tuple[str, ...]]:
    return [
        (judge, "d", f"i{i}", block, "valid", "1" if i % 3 else "0")
        for i in range(items)
        for block in ("congruent", "incongruent")
    ]


def codes(table: TrialTable) -> dict[str, int]:
    return {notice.code: notice.count for notice in inspect_table(table).notices}


def test_a_clean_table_has_no_warning(tmp_path: Path) -> None:
    table = table_of(tmp_path / "x.csv", balanced())
    report = inspect_table(table)
    assert report.notices == ()
    assert (report.trials, report.valid, report.cells, report.items) == (200, 200, 1, 100)
    assert report.supports == (
        "validity by block and its difference: 1 of 1 cells",
        "Delta P given a valid answer, with bounds: 1 of 1 cells",
    )
    assert "cluster" in {unlock.column for unlock in report.unlocks}
    assert "block" not in {unlock.column for unlock in report.unlocks}
    text = "\n".join(report.lines())
    assert "No warnings" in text
    assert "200 trials in 1 file: 200 valid, 0 lost" in text


def test_fewer_than_100_items(tmp_path: Path) -> None:
    table = table_of(tmp_path / "x.csv", balanced(99))
    assert codes(table) == {"few_items": 1}
    assert "j x d: 99" in inspect_table(table).notices[0].text


def test_duplicated_trials(tmp_path: Path) -> None:
    rows = balanced()
    table = table_of(tmp_path / "x.csv", [*rows, *rows[:7]])
    assert codes(table) == {"duplicated": 7}
    assert len(table.frame) == 207  # kept
    numbered = [(*row, str(i)) for i, row in enumerate([*rows, *rows[:7]])]
    assert codes(table_of(tmp_path / "y.csv", numbered, (*HEADER, "repeat"))) == {}
    weighted = [(*row, "2") for row in [*rows, *rows[:7]]]
    assert codes(table_of(tmp_path / "z.csv", weighted, (*HEADER, "n"))) == {}


def test_one_block_only(tmp_path: Path) -> None:
    rows = [row for row in balanced() if row[3] == "congruent"]
    table = table_of(tmp_path / "x.csv", rows)
    assert codes(table) == {"one_block": 1, "one_block_items": 100}
    assert "j x d: congruent" in inspect_table(table).notices[0].text
    assert inspect_table(table).supports == ()


def test_items_in_one_block_only(tmp_path: Path) -> None:
    table = table_of(tmp_path / "x.csv", balanced(101)[:-1])
    assert codes(table) == {"one_block_items": 1}


def test_a_cell_without_a_valid_trial(tmp_path: Path) -> None:
    lost = [(*row[:4], "refusal", "") for row in balanced(judge="k")]
    table = table_of(tmp_path / "x.csv", [*balanced(), *lost])
    assert codes(table) == {"no_valid": 1}
    report = inspect_table(table)
    assert "validity by block and its difference: 2 of 2 cells" in report.supports
    assert "Delta P given a valid answer, with bounds: 1 of 2 cells" in report.supports
    assert "200 valid, 200 lost" in report.lines()[0]


def test_trials_without_a_block(tmp_path: Path) -> None:
    table = table_of(tmp_path / "x.csv", [*balanced(), ("j", "d", "i0", "", "valid", "1")])
    assert codes(table) == {"no_block": 1}
    assert [row.block for row in inspect_table(table).counts] == ["congruent", "incongruent", "none"]


def test_a_judge_and_an_author_of_one_family(tmp_path: Path) -> None:
    rows = [(*row, "gpt-4" if i < 4 else "claude-3") for i, row in enumerate(balanced(judge="openai/gpt-4o"))]
    table = table_of(tmp_path / "x.csv", rows, (*HEADER, "generator"))
    assert codes(table) == {"same_family": 4}
    assert "'openai/gpt-4o judging gpt-4'" in inspect_table(table).notices[0].text


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("gpt-4o", "openai/gpt-4", True),
        ("o3-mini", "GPT-4.1", True),
        ("gpt-4o", "OpenAI", True),
        ("Qwen3-8B", "qwen2.5-72b", True),
        ("mistral-large", "mixtral-8x7b", True),
        ("claude-3-opus", "anthropic:claude-2", True),
        ("gpt-4o", "gemini-1.5", False),
        ("llama-3", "claude-3", False),
        ("olmo-2", "o3-mini", False),
        ("vicuna-13b", "llama-2", False),
    ],
)
def test_families(one: str, two: str, same: bool) -> None:
    assert (family(one) == family(two)) is same


def test_counts_and_their_text(tmp_path: Path) -> None:
    rows = [
        ("a/b", "x", "1", "congruent", "valid", "1"),
        ("a/b", "x", "1", "incongruent", "refusal", ""),
        ("a/b", "x", "2", "congruent", "refusal", ""),
        ("a/b", "x", "2", "incongruent", "truncated", ""),
    ]
    report = inspect_table(table_of(tmp_path / "x.csv", rows))
    assert [(row.block, row.asked, row.statuses) for row in report.counts] == [
        ("congruent", 2, {"refusal": 1, "valid": 1}),
        ("incongruent", 2, {"refusal": 1, "truncated": 1}),
    ]
    line = next(line for line in report.lines() if line.split()[:3] == ["a/b", "x", "incongruent"])
    assert line.split()[3:] == ["2", "0", "1", "1"]  # asked, then valid, refusal, truncated
    roles = {column.name: column.role for column in report.columns}
    assert roles["judge"] == "required"
    assert roles["consistent"] == "verdict"
    assert roles["block"] == "design"


def test_the_report_is_plain_data(tmp_path: Path) -> None:
    report = inspect_table(table_of(tmp_path / "x.csv", balanced(5)))
    data = json.loads(json.dumps(report.to_dict()))
    assert data["trials"] == 10
    assert data["notices"][0]["code"] == "few_items"
    assert data["files"][0]["path"] == "x.csv"


def test_notices_of_reading_are_not_repeated(tmp_path: Path) -> None:
    table = table_of(tmp_path / "x.csv", balanced(5))
    assert inspect_table(table).notices == table.notices
