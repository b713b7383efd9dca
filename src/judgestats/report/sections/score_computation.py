"""Section 11 of scores: whether the computation can be trusted."""

from __future__ import annotations

from judgestats.report import sentences
from judgestats.report.document import Block, Listing, Paragraph, Section, TableBlock
from judgestats.report.labels import sentence_case
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts
from judgestats.report.score_labels import SCORE_STAGE_WORDS, score_stage
from judgestats.report.sections.computation import as_sentence, gate_table, verdict, worst_rows


def section(cell: ScoreCellFacts, report: ScoreReportFacts) -> Section:
    """Return the verdict, the engines and why, the worst value of every criterion, and all rows folded."""
    card, gate = report.analysis, cell.gate
    blocks: list[Block] = []
    match gate.status:
        case "pass":
            blocks.append(Paragraph(verdict(gate), "lead"))
        case "fail":
            blocks.append(Paragraph(verdict(gate), "fail"))
        case _:
            blocks.append(Paragraph(verdict(gate), "warn"))
    red = sentences.red_rows(gate)
    if red:
        blocks.append(Listing(red))
    engines = tuple(
        f"{sentence_case(score_stage(stage))}: engine {engine}. {as_sentence(card.engine_why.get(stage, ''))}".strip()
        for stage, engine in card.engine.items()
    )
    blocks.append(Listing(engines))
    if gate.rows:
        blocks.append(TableBlock(worst_rows(gate.rows, SCORE_STAGE_WORDS)))
        table = gate_table("gate-rows", "Every criterion applied to every quantity", gate.rows, SCORE_STAGE_WORDS)
        blocks.append(TableBlock(table, folded=True, summary=f"All {len(gate.rows)} criteria"))
    return Section(11, "computation", "Can the computation be trusted?", tuple(blocks))
