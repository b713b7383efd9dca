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
    assert missing.returncode == 3
    assert "does not exist" in missing.stderr
