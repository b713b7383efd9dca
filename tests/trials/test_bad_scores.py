"""Bad input of tables of scores: each kind has one outcome and a sentence that names it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from judgestats.errors import ConfigError, TrialDataError
from judgestats.trials.mapping import TrialsSource
from judgestats.trials.reading import read_file, read_trials
from judgestats.trials.table import Score, TrialTable

HEADER = ("judge", "domain", "item", "cue", "status", "score")
SCALE: dict[str, Any] = {"lowest": 1, "highest": 10}


def table_of(
    folder: Path, rows: Sequence[tuple[str, ...]], header: tuple[str, ...] = HEADER, **score: object
) -> TrialTable:
    with (folder / "x.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(header)
        writer.writerows(rows)
    return read_trials(TrialsSource.from_dict({"files": "x.csv", "score": {**SCALE, **score}}), folder)


def scored(*scores: str, status: str = "valid") -> list[tuple[str, ...]]:
    return [("j", "d", f"i{i}", "base", status, score) for i, score in enumerate(scores)]


def sentence(table: TrialTable, code: str) -> str:
    return next(notice.text for notice in table.notices if notice.code == code)


@pytest.mark.parametrize("score", ["0", "11", "100", "-3"])
def test_a_score_outside_the_scale(tmp_path: Path, score: str) -> None:
    with pytest.raises(TrialDataError, match="row") as error:
        table_of(tmp_path, scored("5", score))
    text = str(error.value)
    assert "row 2" in text
    assert "never clipped to an end" in text
    assert "error code" not in text


def test_ten_on_a_scale_to_nine_is_outside(tmp_path: Path) -> None:
    with pytest.raises(TrialDataError, match=r"1 scores outside the scale: 10 \(1 row\)"):
        table_of(tmp_path, scored("9", "10"), highest=9)


def test_an_undeclared_minus_one_is_asked_about(tmp_path: Path) -> None:
    with pytest.raises(TrialDataError, match=r"is -1 the code of a failed call\? Then add error_codes = \[-1\]"):
        table_of(tmp_path, scored("5", "-1"))


def test_a_declared_error_code_is_the_status_error(tmp_path: Path) -> None:
    rows = [*scored("5", "-1", "-1.0"), *scored("-1", status="refusal"), *scored("-1", status="")]
    table = table_of(tmp_path, rows, error_codes=[-1])
    assert table.frame["status"].value_counts().to_dict() == {"error": 3, "refusal": 1, "valid": 1}
    assert table.frame["score"].dropna().tolist() == [5.0]
    assert "4 rows hold the declared error code -1" in sentence(table, "error_code")


def test_an_error_code_on_the_scale_is_refused() -> None:
    with pytest.raises(ConfigError, match="error code 1 lies on the scale"):
        TrialsSource.from_dict({"files": "x", "score": {**SCALE, "error_codes": [1]}})


def test_a_fractional_score_on_an_integer_scale(tmp_path: Path) -> None:
    with pytest.raises(
        TrialDataError, match=r"between two levels of the scale: 7.5 \(1 row\); row 2(?s:.*)never rounded"
    ):
        table_of(tmp_path, scored("7", "7.5"))
    assert table_of(tmp_path, scored("7", "7.5"), step=0.5).frame["score"].tolist() == [7.0, 7.5]


@pytest.mark.parametrize(
    ("score", "hint"),
    [
        ("7/10", "write 7 for 7/10"),
        ("7,5", "decimal point"),
        ("seven", "empty the score"),
        ("0x7", "empty the score"),
        ("inf", "empty the score"),
    ],
)
def test_text_that_is_no_number(tmp_path: Path, score: str, hint: str) -> None:
    with pytest.raises(TrialDataError, match="entries that are not numbers") as error:
        table_of(tmp_path, scored("7", score))
    assert repr(score) in str(error.value)
    assert hint in str(error.value)


@pytest.mark.parametrize("score", ["N/A", "n/a", "", "null", "NaN"])
def test_no_score_is_an_error_where_the_status_is_valid_and_data_where_it_is_not(tmp_path: Path, score: str) -> None:
    with pytest.raises(TrialDataError, match="column 'score' is empty in 1 rows whose status is valid"):
        table_of(tmp_path, scored("7", score))
    lost = table_of(tmp_path, [*scored("7"), ("j", "d", "k", "base", "malformed", score)])
    assert lost.frame["score"].isna().tolist() == [False, True]
    silent = table_of(tmp_path, [*scored("7"), ("j", "d", "k", "base", "", score)])
    assert silent.frame["status"].tolist() == ["valid", "missing"]


def test_a_lost_answer_has_no_score(tmp_path: Path) -> None:
    with pytest.raises(TrialDataError, match="a lost answer is never a number"):
        table_of(tmp_path, scored("7", status="refusal"))
    with pytest.raises(TrialDataError, match="it is not guessed from the verdict"):
        table_of(tmp_path, scored("7", status=""))


def test_text_scores_are_read_whole(tmp_path: Path) -> None:
    assert table_of(tmp_path, scored("10", "1", " 10 ", "10.0")).frame["score"].tolist() == [10.0, 1.0, 10.0, 10.0]


def test_ten_read_as_one_is_noticed(tmp_path: Path) -> None:
    header = (*HEADER, "raw_text")
    rows = [
        (*row, raw)
        for row, raw in zip(
            scored("1", "1", "1", "10", "2", "1", "1"),
            ["10", "[[10]] well", "1. Weak", "10", "2024 was fine", "1.05", ""],
            strict=True,
        )
    ]
    table = table_of(tmp_path, rows, header)
    notice = next(notice for notice in table.notices if notice.code == "first_digit")
    assert notice.count == 2  # 2024 is no score of this scale, 1.05 begins with its score
    assert "10 beside the score 1" in notice.text
    assert table.frame["score"].tolist() == [1.0, 1.0, 1.0, 10.0, 2.0, 1.0, 1.0]  # said, not changed


def test_a_constant_judge_is_noticed(tmp_path: Path) -> None:
    rows = [
        *scored("7", "7", "7"),
        ("other", "d", "i", "base", "valid", "7"),
        ("other", "d", "k", "base", "valid", "8"),
    ]
    table = table_of(tmp_path, rows)
    assert "j x d: 7 in 3 trials" in sentence(table, "constant_scores")
    assert "other x d" not in sentence(table, "constant_scores")
    assert not [n for n in table_of(tmp_path, scored("7", "8")).notices if n.code == "constant_scores"]


def test_cues_without_a_partner_are_counted_by_reason(tmp_path: Path) -> None:
    rows = [
        ("j", "d", "a", "base", "valid", "5", "p"),
        ("j", "d", "a", "expert", "valid", "6", "p"),
        ("j", "d", "a", "expert", "valid", "6", "q"),
        ("j", "d", "b", "expert", "valid", "6", "p"),
        ("j", "d", "c", "base", "refusal", "", "p"),
        ("j", "d", "c", "expert", "valid", "6", "p"),
    ]
    table = table_of(tmp_path, rows, (*HEADER, "prompt_config"))
    assert sentence(table, "no_base").startswith("1 trials of a cue have no base trial of their item (expert: 1)")
    assert "in another prompt_config only (expert: 1)" in sentence(table, "other_context")
    assert sentence(table, "pair_lost").startswith("1 trials of a cue lost their own score or that of their base")


def test_several_bases_are_said(tmp_path: Path) -> None:
    rows = [("j", "d", "a", "base", "valid", s) for s in ("5", "7")] + [("j", "d", "a", "expert", "valid", "6")]
    assert sentence(table_of(tmp_path, rows), "several_bases").startswith(
        "1 trials of a cue meet base trials of different"
    )


def test_a_table_without_cues_is_said(tmp_path: Path) -> None:
    table = table_of(
        tmp_path, [row[:3] + row[4:] for row in scored("5", "6")], ("judge", "domain", "item", "status", "score")
    )
    assert "no column `cue`" in sentence(table, "no_cue")


def test_polarity_is_declared_and_the_base_has_none(tmp_path: Path) -> None:
    header = (*HEADER, "polarity")
    with pytest.raises(TrialDataError, match=r"words that are not declared: 'positive' \(1 row"):
        table_of(tmp_path, [("j", "d", "a", "expert", "valid", "6", "positive")], header)
    with pytest.raises(TrialDataError, match="holds a sign in 1 rows of the base"):
        table_of(tmp_path, [("j", "d", "a", "", "valid", "6", "pos")], header)
    table = table_of(tmp_path, [("j", "d", "a", "expert", "valid", "6", " POS ")], header)
    assert table.frame["polarity"].tolist() == ["pos"]


@pytest.mark.parametrize(
    ("section", "match"),
    [
        ({"lowest": 1}, "does not say what the highest score is"),
        ({"lowest": 1, "highest": 10, "stp": 1}, "did you mean 'step'"),
        ({"lowest": 1, "highest": 10, "step": 0.4}, "no whole number of steps"),
        ({"lowest": 10, "highest": 1}, "no whole number of steps"),
        ({"lowest": 1, "highest": 10, "step": 0}, "no whole number of steps"),
        ({"lowest": "1", "highest": 10}, "'lowest' has the wrong type"),
        ({"lowest": 1, "highest": float("inf")}, "'highest' has the wrong type"),
        ({"lowest": 1, "highest": 10, "error_codes": -1}, "'error_codes' has the wrong type"),
    ],
)
def test_the_scale_is_declared_rightly(section: dict[str, object], match: str) -> None:
    with pytest.raises(ConfigError, match=match):
        TrialsSource.from_dict({"files": "x", "score": section})


def test_scores_and_choices_are_not_declared_at_once() -> None:
    with pytest.raises(ConfigError, match="scores and choices at once"):
        TrialsSource.from_dict({"files": "x", "score": SCALE, "labels": ["a", "b"]})


def test_a_table_of_scores_without_a_score_names_the_column(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("judge,domain,item,status\nj,d,i,valid\n", encoding="utf-8")
    with pytest.raises(TrialDataError, match="needed columns are not there: 'score'"):
        read_file(tmp_path / "x.csv", scale=Score(1, 10))


def test_scores_without_a_declared_scale_are_asked_about(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("judge,domain,item,status,score\nj,d,i,valid,7\n", encoding="utf-8")
    with pytest.raises(TrialDataError, match=r"declare the scale in \[trials\.score\]"):
        read_file(tmp_path / "x.csv")
