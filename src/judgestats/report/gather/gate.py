"""The verdict on the computation of one cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from judgestats.draws.gate import GateRow, worst
from judgestats.report.facts import GateFacts
from judgestats.report.labels import GATE_WORDS, visible
from judgestats.trials.cell import Cell


def gate_facts(rows: Sequence[GateRow], cell: Cell) -> GateFacts:
    """Return the gate of `cell`: its own rows and those about the whole fit.

    An undefined criterion (a constant has no R-hat) neither passes nor fails, so it decides only where nothing else was
    computed.
    """
    mine = tuple(
        replace(row, quantity=visible(row.quantity), action=visible(row.action))
        for row in rows
        if row.judge in (None, cell.judge) and row.domain in (None, cell.domain)
    )
    defined = [row for row in mine if row.status != "undefined"]
    status = worst(defined) if defined else "undefined"
    failing = tuple(row for row in mine if row.status in ("fail", "warn"))
    failing = tuple(sorted(failing, key=lambda row: row.status != "fail"))
    return GateFacts(status, GATE_WORDS[status], mine, failing)
