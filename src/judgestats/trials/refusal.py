"""Refusal patterns: what tells a refusal from a malformed answer, where an analysis declares it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pandas as pd

from judgestats.errors import ConfigError
from judgestats.trials.columns import TEXT
from judgestats.trials.status import Status


@dataclass(frozen=True)
class RefusalPatterns:
    """Regular expressions that tell a refusal from a malformed answer; none are assumed.

    Parameters
    ----------
    patterns : tuple of str
        Searched without regard to case in the stripped answer.
    """

    patterns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for pattern in self.patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ConfigError(
                    f"refusal pattern {pattern!r} is not a regular expression ({error})",
                    allowed="Python regular expressions",
                    remedy="correct `refusal` in [trials.coding]",
                ) from error

    def lost(self, answers: pd.Series) -> pd.Series:
        """Return the status of answers that are not valid: missing, refusal or malformed."""
        text = answers.fillna("").astype(TEXT).str.strip()
        status = pd.Series(Status.MALFORMED.value, index=answers.index, dtype=TEXT)
        if self.patterns:
            words = {word: self.matches(word) for word in text.unique()}
            status = status.mask(text.map(words).astype(bool), Status.REFUSAL.value)
        return status.mask(text == "", Status.MISSING.value)

    def matches(self, text: str) -> bool:
        """Return whether one of the patterns is found in `text`."""
        return any(re.search(pattern, text, flags=re.IGNORECASE) for pattern in self.patterns)
