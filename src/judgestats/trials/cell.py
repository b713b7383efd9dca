"""Cell: one judge in one domain, the unit that a report page is about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Cell:
    """One judge x domain cell.

    Parameters
    ----------
    judge : str
        Name of the LLM under study; may hold "/" and ":".
    domain : str
        Topic or benchmark of the items.
    """

    judge: str
    domain: str

    def __str__(self) -> str:
        return f"{self.judge} x {self.domain}"
