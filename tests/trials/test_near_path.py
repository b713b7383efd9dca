"""Near paths: a misspelt part anywhere in the path, and silence where nothing is like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgestats.trials.near_path import near_path


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("study/data/answer.csv", "study/data/answers.csv"),
        ("study/dta/answers.csv", "study/data/answers.csv"),
        ("study/dta/zzz", "study/data"),
        ("STUDY2", "study"),
        ("study/data/xyz", ""),
        ("qqqq/data", ""),
    ],
)
def test_near_path(given: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "study" / "data").mkdir(parents=True)
    (tmp_path / "study" / "data" / "answers.csv").write_text("x")
    monkeypatch.chdir(tmp_path)
    assert near_path(Path(given)) == (f"did you mean {meant!r}?" if meant else "")
    absolute = f"did you mean {str(tmp_path / meant)!r}?" if meant else ""
    assert near_path(tmp_path / given) == absolute
