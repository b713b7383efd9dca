"""Section 3: the decision, under a rule that was fixed before the run."""

from __future__ import annotations

from judgestats.report import loss, outcome
from judgestats.report.document import Block, Listing, Paragraph, Section, TableBlock
from judgestats.report.facts import CellFacts, Estimate, ReportFacts
from judgestats.report.numbers import Number, fixed
from judgestats.report.tables import Column, Row, Table


def section(cell: CellFacts, report: ReportFacts) -> Section:
    """Return the rule, its outcome, and how far the interval's ends lie from the thresholds."""
    blocks: list[Block] = [
        Paragraph(f"Rule, fixed before the run: {outcome.rule(report) or 'none was given.'}"),
        Paragraph(f"ROPE of {report.analysis.effect_name}: {outcome.rope(report)} on the probability scale."),
        Paragraph(outcome.decision(cell, report), "lead" if cell.quotable else "fail"),
    ]
    if cell.headline is not None and cell.quotable:
        match outcome.standing(cell):
            case "inside":
                blocks.append(Paragraph(f"{loss.counted(cell)} {outcome.suppression(cell)}"))
            case "undecided" | "includes":
                blocks.append(Paragraph(f"{loss.counted(cell)} {outcome.hidden(cell)}"))
        blocks.append(TableBlock(_distances(cell.headline, report)))
        blocks.append(Paragraph(_prior_mass(cell.headline)))
    if cell.notes:
        blocks.append(Listing(cell.notes, "To know about this cell"))
    return Section(3, "decision", "Decision", tuple(blocks))


def _distances(head: Estimate, report: ReportFacts) -> Table:
    thresholds = (("0", Number(0.0, "0")), ("lower ROPE end", report.rope[0]), ("upper ROPE end", report.rope[1]))
    places = len(head.lower.text.partition(".")[2])
    rows = []
    for name, at in thresholds:
        ends = [
            fixed(None if e.value is None or at.value is None else e.value - at.value, places)
            for e in (head.lower, head.upper)
        ]
        rows.append(Row((name, at, *ends)))
    columns = (
        Column("threshold"),
        Column("at", "number"),
        Column("lower end minus threshold", "number"),
        Column("upper end minus threshold", "number"),
    )
    return Table(
        "distances", "Distance of the interval's ends to the thresholds (probability scale)", columns, tuple(rows)
    )


def _prior_mass(head: Estimate) -> str:
    if head.p_rope.value is None or head.p_rope_prior.value is None:
        return "The prior's own mass inside the ROPE was not computed."
    return (
        f"P(inside the ROPE) {outcome.equals(head.p_rope)}. The prior's own mass there, for comparison: {head.p_rope_prior}. "
        "Whether the prior decides the outcome is said by the prior grid in section 9."
    )
