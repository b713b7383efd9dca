"""Section 1: the answer in one line."""

from __future__ import annotations

from judgestats.report import loss, sentences
from judgestats.report.document import Block, Headline, Listing, Paragraph, Section
from judgestats.report.facts import CellFacts, ReportFacts
from judgestats.report.figures import half_eye


def section(cell: CellFacts, report: ReportFacts) -> Section:
    """Return the answer: the number and its figure, or why there is none."""
    blocks: list[Block] = []
    if cell.quotable:
        blocks.append(
            Headline(sentences.answer(cell, report), sentences.answer_detail(cell, report), sentences.planted(cell))
        )
        blocks.append(Paragraph(sentences.answer_in_words(cell, report)))
        if cell.loss.lost and cell.loss.dependence == "depends":
            blocks.append(Paragraph(loss.unequal_loss(cell), "warn"))
        panel = half_eye.panel(cell, report)
        if panel is not None:
            blocks.append(panel)
    else:
        blocks.append(Paragraph(sentences.no_answer(cell), "fail"))
        if cell.gate.status == "fail":
            blocks.append(Listing(sentences.red_gate(cell)))
        blocks.append(Paragraph(loss.counted(cell)))
        if sentences.planted(cell) and cell.headline is not None:
            blocks.append(Paragraph(f"Simulated judge: planted {cell.headline.planted}.", "note"))
    definition = report.analysis.effect_definition
    blocks.append(Paragraph(f"{report.analysis.effect_name} is {definition}, on the probability scale."))
    if sentences.success(report):
        blocks.append(Paragraph(sentences.success(report), "note"))
    blocks.extend(Paragraph(text, "note") for text in sentences.cautions(cell))
    return Section(1, "answer", "Answer in one line", tuple(blocks))
