"""Progress on stderr: bars at a terminal, plain lines elsewhere, nothing when quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from judgestats.cli.session import Voice

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from judgestats.inference.contract import Progress


@contextmanager
def progress(voice: Voice) -> Iterator[Progress]:
    """Yield a callback ``(what, done, of)`` that shows how far the work is."""
    if voice.quiet:
        yield _silent
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console) as bars:
            yield _Bars(bars)
    else:
        yield _Lines(voice)


def _silent(what: str, done: int, of: int) -> None:
    """Say nothing."""


class _Bars:
    """One bar for each kind of work."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, what: str, done: int, of: int) -> None:
        if what not in self._tasks:
            self._tasks[what] = self._bars.add_task(what, total=max(of, 1))
        if self._bars.tasks[self._tasks[what]].finished and done < of:
            self._bars.reset(self._tasks[what])
        self._bars.update(self._tasks[what], completed=done, total=max(of, 1))


class _Lines:
    """One line when a kind of work ends, and one every few seconds while it lasts."""

    EVERY = 5.0

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._started: dict[str, float] = {}
        self._last = time.monotonic()

    def __call__(self, what: str, done: int, of: int) -> None:
        now = time.monotonic()
        started = self._started.setdefault(what, now)
        if done >= of:
            self._voice.note(f"{what}: done in {now - started:.1f} s")
            self._last = now
            del self._started[what]  # the same kind of work may come again, for instance a refit
        elif now - self._last >= self.EVERY:
            self._voice.note(f"{what}: {done} of {of}, {now - started:.0f} s")
            self._last = now
