"""``validate``: text and JSON, files and analyses, and its exit codes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_a_file_and_an_analysis_show_the_same_counts(small: Path, judgestats: Command) -> None:
    file = judgestats("validate", small / "data" / "trials.csv", "--labels", "A, B")
    analysis = judgestats("validate", small)
    assert (file.returncode, analysis.returncode) == (0, 0)
    for done in (file, analysis):
        assert "48 trials" in done.stdout
        assert "k" in done.stdout
    rows = [line.split() for line in analysis.stdout.splitlines()]
    assert ["k", "d", "incongruent", "12", "6", "6"] in rows


def test_json_is_one_object(small: Path, judgestats: Command) -> None:
    done = judgestats("validate", small, "--json")
    payload = json.loads(done.stdout)
    assert isinstance(payload, dict)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("empty.csv", b"", 3, "empty"),
        ("noise.csv", bytes(range(128, 256)) * 20, 3, "noise.csv"),
        ("few.csv", b"a,b\n1,2\n", 3, "judge"),
        ("labels.csv", b"judge,domain,item,block,status,response,consistent\nj,d,i,congruent,valid,C,true\n", 3, "'C'"),
        (
            "status.csv",
            b"judge,domain,item,block,status,response,consistent\nj,d,i,congruent,refused,,\n",
            3,
            "refused",
        ),
        ("broken.csv.gz", b"\x1f\x8b\x08\x00garbage", 3, "broken.csv.gz"),
        ("broken.eval", b"PK\x03\x04garbage", 3, "broken.eval"),
    ],
)
def test_bad_files_end_in_words(
    name: str, content: bytes, code: int, said: str, judgestats: Command, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    done = judgestats("validate", tmp_path / name, "--labels", "A,B")
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_flags_that_do_not_belong_together(small: Path, judgestats: Command) -> None:
    assert judgestats("validate", small, "--labels", "A").returncode == 2
    assert judgestats("validate", small / "data" / "trials.csv", "--data", small).returncode == 2
    missing = judgestats("validate", small, "--data", small / "nowhere")
    assert missing.returncode == 2
    assert "does not exist" in missing.stderr


def test_what_is_not_found_is_a_usage_error_with_a_near_match(small: Path, judgestats: Command, tmp_path: Path) -> None:
    home = tmp_path / "my_analysis"
    home.mkdir()
    (home / "analysis.toml").write_bytes((small / "analysis.toml").read_bytes().replace(b'"*.csv"', b'"answer.csv"'))
    (home / "data").mkdir()
    (home / "data" / "answers.csv").write_bytes((small / "data" / "trials.csv").read_bytes())
    for words, near in (
        (("validate", "my_analysis/data/answer.csv"), "my_analysis/data/answers.csv"),
        (("validate", "my_anlysis/data/answers.csv"), "my_analysis/data/answers.csv"),
        (("validate", "my-analysis"), "my_analysis"),
        (("validate", "my_analysis", "--data", "my_analysis/dta"), "my_analysis/data"),
        (("validate", "my_analysis"), "my_analysis/data/answers.csv"),  # `files` is misspelt in the analysis
        (("plan", "my_analysys"), "my_analysis"),
        (("run", "my_analysis/analysis.tml", "--out", "out"), "my_analysis/analysis.toml"),
        (("compare", "my_analysis", "my_analyses"), None),
        (("report", "my_analyses"), "my_analysis"),
    ):
        done = judgestats(*words, cwd=tmp_path)
        assert done.returncode == 2, (words, done.stderr)
        assert "Traceback" not in done.stderr
        if near is not None:
            assert f"did you mean {near!r}?" in done.stderr, (words, done.stderr)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my_analysis"]


def test_an_analysis_in_another_encoding_names_line_and_byte(small: Path, judgestats: Command, tmp_path: Path) -> None:
    text = 'name = "small"\ntitle = "Größe"\n'
    (tmp_path / "analysis.toml").write_bytes(text.encode("latin-1"))
    done = judgestats("validate", tmp_path)
    assert done.returncode == 2
    # 15 bytes are line 1; `title = "Gr` are 11 more, so the first foreign byte is number 26 from 0.
    assert "line 2, byte 26 of the file (0xf6)" in done.stderr
    assert "save it as UTF-8" in done.stderr
