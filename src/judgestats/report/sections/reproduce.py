"""Section 13: how to run it again, what limits it, and every warning."""

from __future__ import annotations

from typing import Any, Protocol

from judgestats.report.document import Block, Listing, Paragraph, Section, TableBlock, Verbatim
from judgestats.report.facts import ReportFacts
from judgestats.report.findings import AnalysisCard
from judgestats.report.gather.provenance import leaves, lookup
from judgestats.report.labels import visible
from judgestats.report.tables import Column, Row, Table

MOST_ROWS = 200


class RunFacts(Protocol):
    """What the section needs of the facts of a report, of whatever kind of verdict."""

    @property
    def analysis(self) -> AnalysisCard:
        """What was asked and how."""

    @property
    def version(self) -> str:
        """Version of the package."""

    @property
    def date(self) -> str:
        """When the run finished."""

    @property
    def provenance(self) -> dict[str, Any]:
        """What the run was made with."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the data and the fit."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings raised."""


def section(report: ReportFacts) -> Section:
    """Return command, provenance, limitations, notes and warnings."""
    return Section(13, "reproduce", "Reproduce", reproduction(report))


def reproduction(report: RunFacts) -> tuple[Block, ...]:
    """Return the blocks of the section, which the index prints too."""
    blocks: list[Block] = []
    command = _command(report)
    blocks.append(Verbatim(command, "Command") if command else Paragraph("The command was not recorded.", "warn"))
    blocks.append(Paragraph(f"Seed {report.analysis.seed}; judgestats {report.version}; {report.date}."))
    rows = [Row((visible(path), visible(value, 300))) for path, value in leaves(report.provenance)]
    if rows:
        note = "" if len(rows) <= MOST_ROWS else f"{len(rows) - MOST_ROWS} more entries are in provenance.json."
        table = Table(
            "provenance", "Provenance", (Column("what"), Column("value", "code")), tuple(rows[:MOST_ROWS]), note
        )
        blocks.append(TableBlock(table, folded=True, summary="Settings, seeds, hashes, versions and hardware"))
    else:
        blocks.append(Paragraph("No provenance came with this run.", "warn"))
    limits = report.analysis.limitations
    if limits:
        blocks.append(Listing(limits, "Limitations"))
    else:
        blocks.append(Paragraph("Limitations: none were stated in the analysis.", "warn"))
    if report.notes:
        blocks.append(Listing(report.notes, "Notes on the data and the fit"))
    if report.warnings:
        blocks.append(Listing(report.warnings, "Warnings raised in this run"))
    else:
        blocks.append(Paragraph("No warning was raised in this run."))
    return tuple(blocks)


def _command(report: RunFacts) -> str:
    given = report.provenance.get("command")
    if isinstance(given, list | tuple):
        return visible(" ".join(str(word) for word in given))
    found = lookup(report.provenance, "command")
    return "" if found is None else visible(found)
