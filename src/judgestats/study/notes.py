"""Notes: counts and sentences about the input and the fits, under the cell that they are about."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.report.findings import StatusCount
from judgestats.study.setup import Setup
from judgestats.trials.cell import Cell

FREE_ASSIGNMENT = (
    "No block instructs the judge in this design, and every item stands on one side only: wherever these pages say "
    "consistent, the default label was given, and Delta P is the difference of its probability between the sides."
)


def status_counts(setup: Setup) -> tuple[StatusCount, ...]:
    """Return the counts of trials by judge, domain, block and status."""
    rows = setup.table.status_counts().itertuples(index=False)
    return tuple(StatusCount(str(r.judge), str(r.domain), str(r.block), str(r.status), int(str(r.n))) for r in rows)


def notes_by_cell(setup: Setup, texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return notes of the fits under the cell that they begin with, others under ``fits``; notices under ``trials``."""
    said = [notice.text for notice in setup.table.notices]
    if setup.table.choice.free_assignment:
        said.append(FREE_ASSIGNMENT)
    return sorted_notes(setup.counts["validity"].cells, texts, said)


def sorted_notes(cells: Sequence[Cell], texts: Sequence[str], trials: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return notes of the fits under the cell that they begin with, others under ``fits``; those of trials under ``trials``."""
    out: dict[str, list[str]] = {}
    # The longest name first, so that a cell whose name begins another's does not take its notes.
    names = sorted((str(cell) for cell in cells), key=len, reverse=True)
    for text in texts:
        owner = next((name for name in names if text.startswith((f"{name},", f"{name}:"))), "fits")
        out.setdefault(owner, []).append(text)
    out["trials"] = list(trials)
    return {key: tuple(dict.fromkeys(entries)) for key, entries in out.items() if entries}
