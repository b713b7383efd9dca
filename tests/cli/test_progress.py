"""Progress: lines without a terminal, bars with one, silence when quiet."""

from __future__ import annotations

import pytest

from judgestats.cli import progress as module
from judgestats.cli.session import Voice


def test_a_line_when_work_ends_and_a_new_clock_when_it_comes_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 0.0, 2.0, 10.0, 16.0, 17.0])  # made; 0 of 3; 3 of 3; again 0 of 3; 1 of 3; 3 of 3
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    with module.progress(Voice()) as tell:
        tell("fit", 0, 3)
        tell("fit", 3, 3)
        tell("fit", 0, 3)
        tell("fit", 1, 3)
        tell("fit", 3, 3)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["fit: done in 2.0 s", "fit: 0 of 3, 0 s", "fit: 1 of 3, 6 s", "fit: done in 7.0 s"]


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with module.progress(Voice(quiet=True)) as tell:
        tell("fit", 1, 1)
    assert capsys.readouterr() == ("", "")


def test_bars_at_a_terminal_count_every_kind_of_work() -> None:
    from io import StringIO

    from rich.console import Console
    from rich.progress import Progress

    bars = Progress(console=Console(file=StringIO()))
    tell = module._Bars(bars)
    tell("fit", 1, 4)
    tell("pages", 1, 1)
    tell("fit", 4, 4)
    tell("fit", 1, 2)
    assert [(task.description, task.completed, task.total) for task in bars.tasks] == [("fit", 1, 2), ("pages", 1, 1)]
