"""Section 4 of scores: the decision rule, its outcomes and the noise floor."""

from __future__ import annotations

from judgestats.report import outcome, score_words
from judgestats.report.document import Block, Listing, Paragraph, Section, TableBlock
from judgestats.report.labels import outcome_label
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts
from judgestats.report.tables import Column, Row, Table


def section(cell: ScoreCellFacts, report: ScoreReportFacts) -> Section:
    """Return the rule, the outcome of every variant, and which shifts overlap the noise floor."""
    rule = outcome.rule_words(report.analysis.decision_rule)
    blocks: list[Block] = [Paragraph(f"Rule, fixed before the run: {rule or 'none was given.'}")]
    if cell.gate.status == "fail":
        blocks.append(Paragraph("No outcome is declared: the computation failed its gate (section 11).", "fail"))
    else:
        blocks.append(TableBlock(_table(cell)))
        if cell.floor is not None:
            blocks.append(Paragraph(score_words.placebo(cell)))
        elif not report.placebo:
            blocks.append(
                Paragraph(
                    "No placebo note was asked, so nothing says how far any note at all would move the score.", "note"
                )
            )
    if cell.notes:
        blocks.append(Listing(cell.notes, "To know about this cell"))
    return Section(4, "decision", "Decision", tuple(blocks))


def _table(cell: ScoreCellFacts) -> Table:
    numbers = ("P(in ROPE)", "prior P(in ROPE)")
    columns = (Column("variant"), Column("outcome"), *(Column(h, "number") for h in numbers), Column("noise floor"))
    rows = []
    for v in cell.shifted:
        e = v.shift
        if e is None:
            continue
        near = score_words.within_floor(v, cell)
        floor = "placebo" if v.placebo else "" if near is None else "overlaps it" if near else "clear of it"
        rows.append(
            Row((v.name, outcome_label(e.outcome, has_rope=e.rope is not None), e.p_rope, e.p_rope_prior, floor))
        )
    note = "The prior's own mass in the ROPE stands beside the posterior's." if cell.shifted else ""
    return Table("decision", "Outcome of the rule by variant", columns, tuple(rows), note).without_empty_columns()
