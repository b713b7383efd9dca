"""The documentation runs: its commands, its files and its code."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "analyses").glob("*/README.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
NAMED_FILE = re.compile(r"`([\w./-]+\.(?:csv|toml))`[^`]*?```(csv|toml)\n(.*?)```", re.S)


def blocks(page: Path, language: str) -> list[str]:
    return [body for found, body in BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


def commands(page: Path) -> list[list[str]]:
    lines = (line for body in blocks(page, "console") for line in body.splitlines())
    return [shlex.split(line[2:]) for line in lines if line.startswith("$ ")]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name_of)
def test_python_blocks_run(page: Path) -> None:
    for body in blocks(page, "python"):
        exec(compile(body, name_of(page), "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_make_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z]+)`|^\$ make ([a-z]+)", page.read_text(encoding="utf-8"), re.M):
        name = "".join(target)
        assert re.search(rf"^{name}:", makefile, re.M), f"make {name}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_point_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one documented command; `judgestats` is this interpreter's."""
    assert words[0] == "judgestats"
    line = [sys.executable, "-m", "judgestats.cli.app", *words[1:]]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("JUDGESTATS_")}
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=300, check=False, env=environment)


def test_the_own_table_page_works_as_written(tmp_path: Path) -> None:
    page = ROOT / "docs" / "how-to" / "own-table.md"
    for name, _, body in NAMED_FILE.findall(page.read_text(encoding="utf-8")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(body, encoding="utf-8")
    assert (tmp_path / "answers.csv").exists()
    assert (tmp_path / "my_analysis" / "analysis.toml").exists()
    for words in commands(page):
        done = run(words, tmp_path)
        assert done.returncode in {0, 6} if "--fail-on" in words else done.returncode == 0, done.stderr
    assert (tmp_path / "my-report" / "index.html").exists()
    # The readme's walk is the same one.
    readme = [words for words in commands(ROOT / "README.md") if words[0] == "judgestats"]
    assert readme == commands(page)[: len(readme)]


def test_the_tutorial_works_as_written(tmp_path: Path) -> None:
    (tmp_path / "analyses").symlink_to(ROOT / "analyses")
    for words in commands(ROOT / "docs" / "tutorial" / "first-report.md"):
        done = run(words, tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "first-report" / "index.html").exists()


def test_the_reference_names_every_key_and_flag() -> None:
    from dataclasses import fields

    from judgestats.study import analysis as module

    text = (ROOT / "docs" / "reference" / "analysis.md").read_text(encoding="utf-8")
    kinds = (
        module.EngineSection,
        module.DecisionSection,
        module.FalsificationSection,
        module.SensitivitySection,
        module.ReportSection,
        module.ModelOptions,
        module.Planted,
    )
    for kind in kinds:
        for field in fields(kind):
            assert re.search(rf"`{field.name}(`| =)", text), f"{kind.__name__}.{field.name}"
