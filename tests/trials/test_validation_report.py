"""What `validate` says: columns, counts, support and every named warning."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from judgestats.errors import TrialDataError
from judgestats.trials.checks import inspect_table
from judgestats.trials.mapping import TrialsSource
from judgestats.trials.noticing import family
from judgestats.trials.reading import read_file, read_trials
from judgestats.trials.table import Score, TrialTable

HEADER = ("judge", "domain", "item", "block", "status", "consistent")


def table_of(path: Path, rows: Sequence[tuple[str, ...]], header: tuple[str, ...] = HEADER) -> TrialTable:
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


def renamed(names: dict[str, str]) -> tuple[str, ...]:
    return tuple(names.get(name, name) for name in HEADER)


def test_all_missing_columns_are_named_at_once_with_the_lines_that_map_them(tmp_path: Path) -> None:
    header = renamed({"judge": "model", "block": "condition", "item": "question"})
    with pytest.raises(TrialDataError) as error:
        table_of(tmp_path / "x.csv", balanced(3), header)
    said = error.value.sentence()
    assert "needed columns are not there: 'judge', 'item'; found" in said
    assert "'condition' (it holds congruent and incongruent) the block" in said
    # The line that is shown is one that an analysis takes.
    line = said.split("[trials.columns] ")[1].splitlines()[0]
    assert tomllib.loads(line.replace("; ", "\n")) == {"judge": "model", "item": "question", "block": "condition"}


def test_columns_that_an_analysis_misnames_are_named_with_those_that_it_forgets(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("model,domain,item,block,status,correct\nj,d,i,congruent,valid,1\n")
    source = TrialsSource.from_dict({"files": "x.csv", "columns": {"judge": "modell"}})
    with pytest.raises(TrialDataError, match=r"not there: 'modell' \(as judge\), 'consistent'; found") as error:
        read_trials(source, tmp_path)
    assert 'judge = "model"; consistent = "correct"' in error.value.sentence()


@pytest.mark.parametrize("column", ["condition", "phase", "blok", "congruency"])
def test_a_block_of_another_name_is_asked_about(column: str, tmp_path: Path) -> None:
    table = table_of(tmp_path / "x.csv", balanced(), renamed({"block": column}))
    (notice,) = inspect_table(table).notices  # and no word of duplicates, of which there is none
    assert notice.code == "no_block"
    assert f'[trials.columns] block = "{column}"' in notice.text


def test_without_a_block_repeats_are_told_as_what_they_may_be(tmp_path: Path) -> None:
    rows = [(*row[:3], *row[4:]) for row in balanced()]
    table = table_of(tmp_path / "x.csv", rows, tuple(name for name in HEADER if name != "block"))
    (notice,) = inspect_table(table).notices
    assert notice.code == "no_block"
    assert "100 trials repeat the judge, domain and item of another" in notice.text
    # Words that are no block are not asked about.
    header = ("judge", "domain", "item", "status", "consistent", "side")
    marked = table_of(tmp_path / "y.csv", [(*row, "left") for row in rows], header)
    assert "side" not in inspect_table(marked).notices[0].text


def test_items_are_counted_once_and_by_judge(tmp_path: Path) -> None:
    table = table_of(tmp_path / "x.csv", [*balanced(60), *balanced(60, "k"), *balanced(10, "l")])
    report = inspect_table(table)
    assert (report.items, report.distinct_items) == (130, 60)
    assert report.items_by_judge == {"j": 60, "k": 60, "l": 10}
    assert "60 distinct items (10 to 60 for each of 3 judges)" in report.lines()[0]


def test_rows_of_a_csv_file_are_tied_to_its_lines(tmp_path: Path) -> None:
    rows = balanced(3)
    rows[1] = (*rows[1][:3], "incongruant", *rows[1][4:])
    with pytest.raises(
        TrialDataError, match=r"1 row: row 2; did you mean 'incongruent'\?\); row 1 is line 2 of the file"
    ):
        table_of(tmp_path / "x.csv", rows)
    assert (tmp_path / "x.csv").read_text().splitlines()[2].startswith("j,d,i0,incongruant")
    (tmp_path / "x.jsonl").write_text(json.dumps(dict(zip(HEADER, rows[1], strict=True))) + "\n")
    with pytest.raises(TrialDataError) as error:
        read_file(tmp_path / "x.jsonl")
    assert "row 1;" in error.value.sentence()
    assert "line 2" not in error.value.sentence()


SCORES = """judge,domain,item,cue,polarity,status,score,n
j,d,a,base,,valid,5,1
j,d,a,expert,pos,valid,10,2
j,d,a,expert,neg,refusal,,1
j,d,b,base,,valid,6,1
j,d,b,expert,neg,valid,6,1
k,e,a,base,,error,,1
k,e,a,expert,pos,valid,1,1
"""


def test_scores_are_spoken_of_by_cue(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(SCORES, encoding="utf-8")
    report = inspect_table(read_file(tmp_path / "x.csv", scale=Score(1, 10)))
    assert (report.trials, report.valid) == (8, 6)
    assert report.supports == (
        "validity by cue and its difference to the base: 2 of 2 cells",
        "score shift on levels (two_stage_ordinal): 1 of 2 cells",
        "paired score shift (two_stage_shift): 3 pairs in 1 of 2 cells",
        "asymmetry between the polarities of a cue: 1 of 2 cells",
    )
    lines = report.lines()
    assert lines[lines.index("Counts by judge x domain x cue x polarity x status") + 1 :][:7] == [
        "  judge  domain  cue     polarity  asked  valid  refusal  error",
        "  j      d       base                  2      2        0      0",
        "  j      d       expert  neg           2      1        1      0",
        "  j      d       expert  pos           2      2        0      0",
        "  k      e       base                  1      0        0      1",
        "  k      e       expert  pos           1      1        0      0",
        "",
    ]
    assert "Scores used, on the declared scale 1 to 10 in steps of 1" in lines
    # (5 + 2 x 10 + 6 + 6) / 5 = 7.4
    assert (
        "  j x d: scores 5 to 10, 3 of 10 levels used, mean 7.40; 0 of 5 at the lowest, 2 at the highest score" in lines
    )
    assert {unlock.column for unlock in report.unlocks} == {
        "repeat",
        "raw_text",
        "generator",
        "prompt_config",
        "judge_version",
    }
    assert {column.name: column.role for column in report.columns}["score"] == "verdict"
    json.dumps(report.to_dict())
