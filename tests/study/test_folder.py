"""Claiming a folder: new, resumed, foreign; and pages of what is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgestats.errors import ConfigError
from judgestats.study.folder import RunCard, claim, read_card, remove_stale, write_card


def test_new_and_empty_folders_are_taken_and_the_same_analysis_resumes(tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    assert claim(out, "one", overwrite=False) == RunCard("one")
    write_card(out, RunCard("one", ("index.html",)))
    (out / "index.html").touch()
    assert claim(out, "one", overwrite=False).files == ("index.html",)


def test_another_analysis_and_foreign_files_are_refused_without_overwrite(tmp_path: Path) -> None:
    claim(tmp_path, "one", overwrite=False)
    with pytest.raises(ConfigError, match="the run of analysis 'one'"):
        claim(tmp_path, "two", overwrite=False)
    claim(tmp_path, "two", overwrite=True)
    assert read_card(tmp_path) == RunCard("two")
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "letter.txt").write_text("keep me")
    with pytest.raises(ConfigError, match="--overwrite"):
        claim(foreign, "one", overwrite=False)
    claim(foreign, "one", overwrite=True)
    assert (foreign / "letter.txt").read_text() == "keep me"


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(ConfigError, match="is a file"):
        claim(tmp_path / "out", "one", overwrite=True)


def test_a_damaged_card_is_named(tmp_path: Path) -> None:
    claim(tmp_path, "one", overwrite=False)
    (tmp_path / ".judgestats" / "run.json").write_text("{")
    with pytest.raises(ConfigError, match="damaged"):
        claim(tmp_path, "one", overwrite=False)
    claim(tmp_path, "one", overwrite=True)


def test_only_own_files_inside_the_folder_are_removed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "gone").mkdir(parents=True)
    (tmp_path / "outside.html").touch()
    for name in ("index.html", "gone/d.html", "mine.txt"):
        (out / name).touch()
    before = RunCard("one", ("index.html", "gone/d.html", "../outside.html"))
    assert remove_stale(out, before, ["index.html"]) == ("../outside.html", "gone/d.html")
    assert sorted(path.name for path in out.iterdir()) == ["index.html", "mine.txt"]
    assert (tmp_path / "outside.html").exists()
