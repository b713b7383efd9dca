"""The errors a user can meet: each says what was given, what is allowed and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar


class JudgestatsError(Exception):
    """Base of every error raised on purpose.

    Parameters
    ----------
    problem : str
        What was given and why it cannot be used, as one sentence.
    allowed : str, optional
        What would have been accepted.
    remedy : str, optional
        What the reader can do next.

    Attributes
    ----------
    exit_code : int
        Exit code of the command line for this class of error.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, problem: str, *, allowed: str = "", remedy: str = "") -> None:
        self.problem = problem
        self.allowed = allowed
        self.remedy = remedy
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """Return the whole message on at most three lines."""
        lines = [self.problem]
        if self.allowed:
            lines.append(f"Allowed: {self.allowed}")
        if self.remedy:
            lines.append(f"What to do: {self.remedy}")
        return "\n".join(lines)


class ConfigError(JudgestatsError):
    """The command, an analysis file or a model file is wrong (exit code 2)."""

    exit_code: ClassVar[int] = 2


class TrialDataError(JudgestatsError):
    """The input data cannot be read as trials (exit code 3)."""

    exit_code: ClassVar[int] = 3


class SamplingError(JudgestatsError):
    """An engine could not produce a posterior (exit code 4)."""

    exit_code: ClassVar[int] = 4


def near_match(word: str, options: Iterable[str]) -> str:
    """Return a hint such as ``did you mean 'prestige'?``, or an empty string.

    Parameters
    ----------
    word : str
        The unknown word.
    options : iterable of str
        The known words.

    Returns
    -------
    str
        A question naming the closest option, empty when none is close.
    """
    close = difflib.get_close_matches(word, list(options), n=1)
    return f"did you mean {close[0]!r}?" if close else ""
