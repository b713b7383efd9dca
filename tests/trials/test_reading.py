"""Reading folders and files: other layouts, mixed columns, order and completeness."""

from __future__ import annotations

import csv
import gzip
import random
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from judgestats.errors import ConfigError, TrialDataError
from judgestats.trials.coding import stage_counts
from judgestats.trials.mapping import TrialsSource
from judgestats.trials.reading import read_file, read_trials
from judgestats.trials.table import TrialTable

RM_IAT = Path(__file__).resolve().parents[2] / "analyses" / "rm_iat" / "analysis.toml"
HEADER = ("word", "group", "attribute", "text", "condition")
WEAPON_ROWS = [
    ("banjo", "instruments", "Pleasant ", "Pleasant", "Stereotype-Consistent"),
    ("banjo", "instruments", "unpleasant", "unpleasant", "Stereotype-Inconsistent"),
    ("rifle", "weapons", "pleasant", "pleasant", "Stereotype-Consistent"),
    ("rifle", "weapons", "pleasant.", "pleasant.", "Stereotype-Inconsistent"),
    ("sword", "weapons", "", "", "Stereotype-Consistent"),
    ("sword", "weapons", "I'm sorry, no.", "I'm sorry, no.", "Stereotype-Inconsistent"),
]


def rm_source() -> TrialsSource:
    return TrialsSource.from_dict(tomllib.loads(RM_IAT.read_text(encoding="utf-8"))["trials"])


def write_rows(path: Path, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def notices(table: TrialTable, code: str) -> list[str]:
    return [notice.text for notice in table.notices if notice.code == code]


def test_another_folder_of_the_same_layout(tmp_path: Path) -> None:
    """Other judges, other tests, the other spelling of the blocks, no template column, plain and gzip files."""
    write_rows(tmp_path / "Llama 3" / "instruments_weapons.csv", HEADER, WEAPON_ROWS)
    write_rows(
        tmp_path / "Mistral" / "race_original.csv.gz",
        HEADER,
        [("Katie", "european_american_original", "pleasant", "pleasant", "Stereotype-Consistent")],
    )
    table = read_trials(rm_source(), tmp_path)
    assert [str(cell) for cell in table.cells()] == ["Llama 3 x instruments_weapons", "Mistral x race_original"]
    assert len(table.frame) == 7
    got = {
        (row["item"], row["block"]): (row["status"], None if pd.isna(row["consistent"]) else bool(row["consistent"]))
        for _, row in table.frame.iterrows()
    }
    assert got == {
        ("banjo", "congruent"): ("valid", True),
        ("banjo", "incongruent"): ("valid", True),
        ("rifle", "congruent"): ("valid", False),
        ("rifle", "incongruent"): ("malformed", None),  # a final full stop is not removed
        ("sword", "congruent"): ("missing", None),
        ("sword", "incongruent"): ("refusal", None),
        ("Katie", "congruent"): ("valid", True),
    }
    counts = stage_counts(table)
    assert counts["shift"].clusters is None
    assert counts["shift"].cluster is None
    assert any("'prompt_id'" in text and "no cluster" in text for text in notices(table, "column_absent"))


def test_a_cluster_that_some_files_lack_is_said_and_becomes_a_cluster_of_its_own(tmp_path: Path) -> None:
    write_rows(tmp_path / "a" / "young_old.csv", HEADER, [("teen", "young", "pleasant", "", "Stereotype-Consistent")])
    with_template = [("teen", "young", "pleasant", "", "Stereotype-Consistent", str(i)) for i in range(3)]
    write_rows(tmp_path / "b" / "young_old.csv", (*HEADER, "prompt_id"), with_template)
    table = read_trials(rm_source(), tmp_path)
    assert any("1 of 2 files lack" in text for text in notices(table, "column_absent"))
    assert any(text.startswith("1 trials name no cluster") for text in notices(table, "cluster_gaps"))
    assert stage_counts(table)["validity"].clusters == (("(none)",), ("0", "1", "2"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"condition": "Stereotype-Consistant"}, ["block", "'Stereotype-Consistant'", "did you mean", "row 2"]),
        ({"group": "insturments"}, ["group", "'insturments'", "did you mean 'instruments'?", "row 2"]),
    ],
)
def test_an_undeclared_word_is_named_with_its_row_and_a_near_match(
    tmp_path: Path, change: dict[str, str], words: list[str]
) -> None:
    rows = [dict(zip(HEADER, row, strict=True)) for row in WEAPON_ROWS]
    rows[1] |= change
    write_rows(tmp_path / "j" / "instruments_weapons.csv", HEADER, [tuple(row.values()) for row in rows])
    with pytest.raises(TrialDataError) as error:
        read_trials(rm_source(), tmp_path)
    for word in (*words, "j/instruments_weapons.csv"):
        assert word in error.value.sentence()


def test_an_undeclared_test_is_named(tmp_path: Path) -> None:
    write_rows(tmp_path / "j" / "cats_dogs.csv", HEADER, WEAPON_ROWS)
    with pytest.raises(TrialDataError, match="no declared test covers the domain 'cats_dogs'"):
        read_trials(rm_source(), tmp_path)


def test_a_needed_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    header = ("word", "grp", "attribute", "text", "condition")
    write_rows(tmp_path / "j" / "young_old.csv", header, WEAPON_ROWS)
    with pytest.raises(TrialDataError, match=r"j/young_old.csv: needed columns are not there: 'group'.*'grp'"):
        read_trials(rm_source(), tmp_path)


def test_a_folder_without_matching_files_and_no_folder_are_usage_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no file below"):
        read_trials(rm_source(), tmp_path)
    with pytest.raises(ConfigError, match="does not exist"):
        read_trials(rm_source(), tmp_path / "nowhere")


def test_row_order_and_file_order_change_nothing(tmp_path: Path) -> None:
    rows = [
        (
            f"j{i % 3}/x:y",
            f"d{i % 2}",
            f"item {i % 7}",
            "congruent" if i % 2 else "incongruent",
            "valid",
            str(i % 5 > 0),
        )
        for i in range(60)
    ]
    header = ("judge", "domain", "item", "block", "status", "consistent")
    first = read_file(write_rows(tmp_path / "a.csv", header, rows))
    shuffled = rows[:]
    random.Random(4).shuffle(shuffled)
    second = read_file(write_rows(tmp_path / "b.csv", header, shuffled))
    pd.testing.assert_frame_equal(first.frame, second.frame)
    assert len(first.frame) == 60
    reordered = [tuple(reversed(row)) for row in shuffled]
    third = read_file(write_rows(tmp_path / "c.csv", tuple(reversed(header)), reordered))
    pd.testing.assert_frame_equal(first.frame, third.frame)
    assert first.sources[0].rows == 60
    assert first.sources[0].sha256 != second.sources[0].sha256


def test_path_parts_constants_and_row_numbers(tmp_path: Path) -> None:
    rows = [("a", "x", "congruent", "valid", "1"), ("b", "y", "incongruent", "valid", "0")]
    write_rows(tmp_path / "gpt" / "run1" / "test.tab.csv", ("q", "domain", "block", "status", "ok"), rows)
    source = TrialsSource.from_dict(
        {
            "files": "**/*.csv",
            "columns": {"item": "q", "consistent": "ok"},
            "path": {"judge": "folder:2", "prompt_config": "folder", "domain": "stem"},
            "constants": {"rater": "none"},
            "row_number": "cluster",
        }
    )
    frame = read_trials(source, tmp_path).frame
    assert frame["judge"].tolist() == ["gpt", "gpt"]
    assert frame["prompt_config"].tolist() == ["run1", "run1"]
    assert frame["domain"].tolist() == ["test.tab", "test.tab"]
    assert frame["source_domain"].tolist() == ["x", "y"]  # hidden by the path, kept under another name
    assert frame["cluster"].tolist() == ["1", "2"]
    assert frame["rater"].tolist() == ["none", "none"]


def test_a_path_that_is_not_deep_enough(tmp_path: Path) -> None:
    write_rows(tmp_path / "x.csv", HEADER, WEAPON_ROWS)
    source = TrialsSource.from_dict({"files": "*.csv", "path": {"judge": "folder"}, "columns": {"item": "word"}})
    with pytest.raises(TrialDataError, match="has no 'folder'"):
        read_trials(source, tmp_path)


def test_aggregated_rows_in_one_file_and_single_trials_in_another(tmp_path: Path) -> None:
    header = ("judge", "domain", "item", "block", "status", "consistent")
    write_rows(tmp_path / "a.csv", (*header, "n"), [("j", "d", "i", "congruent", "valid", "1", "7")])
    write_rows(tmp_path / "b.csv", header, [("j", "d", "i", "congruent", "valid", "0")])
    table = read_trials(TrialsSource(files="*.csv"), tmp_path)
    assert stage_counts(table)["shift"].totals()[0, 0].tolist() == [8, 7]
    assert table.status_counts()["n"].tolist() == [8]


def test_expected_answer_rule(tmp_path: Path) -> None:
    """Consistent where the stripped answer equals the expected one; a given loss stays a loss."""
    rows = [
        ("j", "d", "1", "congruent", "A ", "A", ""),
        ("j", "d", "2", "congruent", "B", "A", "valid"),
        ("j", "d", "3", "incongruent", "A", "B", "error"),
        ("j", "d", "4", "incongruent", "I cannot", "B", ""),
        ("j", "d", "5", "incongruent", "both", "B", ""),
    ]
    write_rows(tmp_path / "t.csv", ("judge", "domain", "item", "block", "response", "want", "status"), rows)
    coding = {"rule": "expected_answer", "expected": "want", "labels": ["A", "B"], "refusal": ["^i cannot"]}
    table = read_trials(TrialsSource.from_dict({"files": "*.csv", "coding": coding}), tmp_path)
    assert table.frame["status"].tolist() == ["valid", "valid", "error", "refusal", "malformed"]
    assert table.frame["consistent"].fillna(False).tolist() == [True, False, False, False, False]
    assert table.frame["consistent"].isna().tolist() == [False, False, True, True, True]
    assert table.choice.labels == ("A", "B")


@pytest.mark.parametrize("column", ["judge", "domain", "item", "cluster"])
@pytest.mark.parametrize("mapped", [False, True])
def test_two_spellings_that_become_one_name_are_counted_and_named(tmp_path: Path, column: str, mapped: bool) -> None:
    """``x`` in 2 rows and ``x `` in 1: blanks around names are dropped, and the reader is told which names became one."""
    header = ("judge", "domain", "item", "cluster", "block", "status", "response", "consistent")
    rows = []
    for word in ("x", "x", "x "):
        named = {"judge": "j", "domain": "d", "item": "i", "cluster": "c"} | {column: word}
        rows.append((*(named[name] for name in header[:4]), "congruent", "valid", "A", "true"))
    write_rows(tmp_path / "t.csv", header, rows)
    table: dict[str, object] = {"files": "*.csv", "labels": ["A"]}
    if mapped:
        table["values"] = {column: {"y": "z"}}
    found = read_trials(TrialsSource.from_dict(table), tmp_path)
    assert found.frame[column].tolist() == ["x"] * 3
    (text,) = notices(found, "outer_blanks")
    assert text == (
        f"t.csv: column {column!r} has blanks around the name in 1 rows ('x '); they are read without the blanks; "
        "'x' also occurs without them, and the two are now one"
    )


def test_names_without_outer_blanks_give_no_such_notice(tmp_path: Path) -> None:
    header = ("judge", "domain", "item", "block", "status", "response", "consistent")
    write_rows(
        tmp_path / "t.csv",
        header,
        [("a b", "d", "i", "congruent", "valid", "A", "true"), ("", "d", " ", "", "refusal", "", "")],
    )
    assert (
        notices(read_trials(TrialsSource.from_dict({"files": "*.csv", "labels": ["A"]}), tmp_path), "outer_blanks")
        == []
    )
