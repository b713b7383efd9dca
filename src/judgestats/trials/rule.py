"""Rule: how status and verdict of a trial follow from the columns of a file."""

from __future__ import annotations

from typing import Protocol

import pandas as pd


class Rule(Protocol):
    """What every coding rule offers."""

    def needs(self) -> tuple[str, ...]:
        """Return the columns that the rule reads."""
        ...

    def labels(self) -> tuple[str, ...]:
        """Return the labels that a valid response can have; empty when the rule declares none."""
        ...

    def apply(self, frame: pd.DataFrame, file: str) -> pd.DataFrame:
        """Return the frame with ``status``, ``response`` and ``consistent``."""
        ...
