"""Gate: the verdict on whether a computation can be trusted, one row per criterion and quantity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

GateStatus = Literal["pass", "warn", "fail", "undefined"]


@dataclass(frozen=True)
class GateRow:
    """One criterion applied to one quantity.

    Parameters
    ----------
    stage : str
        ``validity``, ``shift`` or ``joint``.
    judge, domain : str or None
        The cell, None where the criterion is about the whole fit.
    quantity : str
        Parameter or estimand, e.g. ``delta_p[marginal]``.
    criterion : str
        ``rhat``, ``ess_bulk``, ``ess_tail``, ``divergences``, ``ebfmi``, ``grid_error``, ``node_error``,
        ``edge_mass`` ...
    value, threshold : float or None
        Measured value and the limit; None where undefined.
    status : {"pass", "warn", "fail", "undefined"}
        Outcome; a constant has no R-hat, so its status is ``undefined``.
    action : str
        What to do when it did not pass.
    """

    stage: str
    judge: str | None
    domain: str | None
    quantity: str
    criterion: str
    value: float | None
    threshold: float | None
    status: GateStatus
    action: str = ""


def worst(rows: Iterable[GateRow]) -> GateStatus:
    """Return the worst status of `rows`: fail, then warn, then undefined, then pass."""
    found = {row.status for row in rows}
    order: tuple[GateStatus, ...] = ("fail", "warn", "undefined", "pass")
    return next((s for s in order if s in found), "undefined")
