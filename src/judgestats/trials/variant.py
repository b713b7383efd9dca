"""Variant: the base form of a trial, or one cue in one polarity."""

from __future__ import annotations

from dataclasses import dataclass

BASE_CUE = "base"
"""Word in column ``cue`` for a trial without a cue."""


@dataclass(frozen=True, order=True)
class Variant:
    """The base form, or one cue x polarity.

    Parameters
    ----------
    cue : str
        Name of the cue, or of a level of whatever factor the column ``cue`` holds; ``base`` for the reference.
    polarity : str
        ``pos``, ``neg``, or empty where the cue has no sign.
    """

    cue: str = BASE_CUE
    polarity: str = ""

    @property
    def is_base(self) -> bool:
        """Whether this is the reference that every shift is measured from."""
        return self.cue == BASE_CUE

    def __str__(self) -> str:
        return f"{self.cue} {self.polarity}".strip()
