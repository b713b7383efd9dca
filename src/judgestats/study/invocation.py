"""Invocation: how a run was asked for, as a command that a reader of the report can type."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Invocation:
    """What was typed to start a run.

    Parameters
    ----------
    verb : {"run", "demo"}
        The verb; ``demo`` finds its analysis in the installed package.
    source : Path, optional
        The analysis as typed; None for the demo, or where a program and not a command line asked.
    data : Path, optional
        The data folder as typed; None where none was.
    """

    verb: str = "run"
    source: Path | None = None
    data: Path | None = None

    def command(self, engine: str, seed: int) -> str:
        """Return the command that makes the same report in the folder DIR.

        Relative paths stand as they were typed. Of an absolute one only the last part is shown, so that a report that
        is passed on does not tell how somebody's disk is laid out.
        """
        if self.verb == "demo":
            return shlex.join(["judgestats", "demo", "--out", "DIR", "--seed", str(seed)])
        words = ["judgestats", "run", "ANALYSIS" if self.source is None else shown(self.source)]
        words += [] if self.data is None else ["--data", shown(self.data)]
        return shlex.join([*words, "--out", "DIR", "--engine", engine, "--seed", str(seed)])


def shown(path: Path) -> str:
    """Return a path as it may stand in a report: as typed when relative, else its last part."""
    return path.as_posix() if not path.is_absolute() else path.name or path.as_posix()
