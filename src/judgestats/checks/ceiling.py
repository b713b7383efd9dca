"""Ceiling: whether the prior or the data decide the outcome of a cell, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.checks.finding import SensitivityRow
from judgestats.draws.record import Record
from judgestats.estimands.decision import NOT_ESTIMABLE
from judgestats.trials.cell import Cell


def ceiling_notes(records: Sequence[Record], sensitivity: Sequence[SensitivityRow]) -> dict[str, tuple[str, ...]]:
    """Return, by cell, what the priors have to do with its outcome.

    Near the ceiling a table such as 79 of 80 against 73 of 80 is decided by the prior of the block effect; a reader
    has to know it. The first sentence compares the outcome of the rule over the prior grid, the second the mass
    inside the ROPE before and after the data.

    Parameters
    ----------
    records : sequence of Record
        Reported quantities; the marginal Delta P of each cell is used.
    sensitivity : sequence of SensitivityRow
        Rows of the prior grid; rows of other kinds are passed over.

    Returns
    -------
    dict of str to tuple of str
        Keyed by ``str(cell)``; sentences begin with the cell's name.
    """
    notes: dict[str, tuple[str, ...]] = {}
    for record in records:
        if (record.estimand, record.version) != ("delta_p", "marginal") or not (record.judge and record.domain):
            continue
        cell = Cell(record.judge, record.domain)
        rows = [
            row
            for row in sensitivity
            if (row.kind, row.estimand, row.judge, row.domain) == ("prior", "delta_p", cell.judge, cell.domain)
        ]
        found = [text for text in (_outcomes(cell, rows), _masses(cell, record)) if text]
        if found and record.outcome != NOT_ESTIMABLE:
            notes[str(cell)] = tuple(found)
    return notes


def prior_decides(rows: Sequence[SensitivityRow]) -> bool:
    """Return whether the outcome of one cell differs between the priors of its grid."""
    return len({row.outcome for row in rows}) > 1


def _outcomes(cell: Cell, rows: Sequence[SensitivityRow]) -> str:
    means = [row.mean for row in rows if row.mean is not None]
    if not rows or not means:
        return ""
    spread = f"the mean of Delta P runs from {min(means):.3f} to {max(means):.3f}"
    if not prior_decides(rows):
        return f"{cell}: the outcome is {rows[0].outcome} under all {len(rows)} priors tried; {spread}."
    others = [row for row in rows if row.outcome != rows[0].outcome]
    example = others[0]
    return (
        f"{cell}: the prior decides the outcome. It is {rows[0].outcome} under the fitted priors and differs under "
        f"{len(others)} of {len(rows) - 1} others, for instance {example.outcome} under {example.setting}; {spread}."
    )


def _masses(cell: Cell, record: Record) -> str:
    if record.rope is None or record.p_rope is None or record.p_rope_prior is None:
        return ""
    before, after = record.p_rope_prior, record.p_rope
    text = (
        f"{cell}: the prior alone puts {before:.0%} of its mass inside the ROPE "
        f"[{record.rope[0]:g}, {record.rope[1]:g}], the posterior {after:.0%}"
    )
    if record.outcome == "inside" and before > after / 2:
        return f"{text}; more than half of what says practically none was in the prior."
    return f"{text}."
