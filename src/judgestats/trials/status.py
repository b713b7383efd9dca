"""Status: what kind of answer came back."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """What kind of answer a trial produced.

    A status is never a number: no code path turns one into 0, into "inconsistent" or into a tie.
    """

    VALID = "valid"
    REFUSAL = "refusal"
    MALFORMED = "malformed"
    FILTERED = "filtered"
    TRUNCATED = "truncated"
    ERROR = "error"
    MISSING = "missing"


STATUSES: tuple[str, ...] = tuple(s.value for s in Status)
LOST: tuple[Status, ...] = tuple(s for s in Status if s is not Status.VALID)
