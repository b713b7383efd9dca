"""A small analysis on files, run once for the tests of the command line."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ANALYSIS = """
name = "small"
title = "Small"
question = "Does it run?"
model = "two_stage_association"
seed = 3

[trials]
files = "*.csv"
labels = ["A", "B"]

[engine]
draws = 100

[falsification]
schemes = ["auto"]
permutations = 50
"""

Command = Callable[..., subprocess.CompletedProcess[str]]


def environment(**extra: str) -> dict[str, str]:
    """This environment without the project's own variables, plus `extra`."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("JUDGESTATS_")}
    return kept | {"NO_COLOR": "1", "COLUMNS": "200"} | extra


@pytest.fixture
def background() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the command line in a process of its own and do not wait for it."""
    started: list[subprocess.Popen[str]] = []

    def start(*words: object) -> subprocess.Popen[str]:
        line = [sys.executable, "-m", "judgestats.cli.app", *map(str, words)]
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


@pytest.fixture(scope="session")
def judgestats() -> Command:
    """Run the command line in a process of its own."""

    def run(*words: object, cwd: Path | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "judgestats.cli.app", *map(str, words)]
        return subprocess.run(
            line, capture_output=True, text=True, timeout=240, check=False, cwd=cwd, env=environment(**extra)
        )

    return run


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with analysis.toml and data/: 2 judges x 1 domain x 12 items x 2 blocks.

    ``j/1`` errs on 4 incongruent trials, ``k`` on none and refuses 6 incongruent ones.
    """
    home = tmp_path_factory.mktemp("small")
    (home / "analysis.toml").write_text(ANALYSIS, encoding="utf-8")
    (home / "data").mkdir()
    with (home / "data" / "trials.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["judge", "domain", "item", "block", "status", "response", "consistent"])
        for judge in ("j/1", "k"):
            for item in range(12):
                writer.writerow([judge, "d", f"é{item}", "congruent", "valid", "A", "true"])
                refused = judge == "k" and item >= 6
                wrong = judge == "j/1" and item < 4
                answer = ["refusal", "", ""] if refused else ["valid", "B" if wrong else "A", str(not wrong).lower()]
                writer.writerow([judge, "d", f"é{item}", "incongruent", *answer])
    return home


@pytest.fixture(scope="session")
def finished(
    small: Path, judgestats: Command, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The small analysis, run once: its folder and what the command said."""
    out = tmp_path_factory.mktemp("finished") / "out"
    done = judgestats("run", small, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    return out, done
