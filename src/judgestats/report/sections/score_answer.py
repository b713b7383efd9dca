"""Section 2 of scores: which cues move the score, by how much, how sure."""

from __future__ import annotations

from judgestats.report import score_words, sentences
from judgestats.report.document import Block, Headline, Listing, Paragraph, Section
from judgestats.report.figures import cue_forest
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts


def section(cell: ScoreCellFacts, report: ScoreReportFacts) -> Section:
    """Return the answer and its figure, or why there is none."""
    blocks: list[Block] = []
    if cell.quotable:
        detail = f"Posterior medians. {score_words.counted(cell)}"
        blocks.append(Headline(score_words.headline(cell, report), detail))
        blocks.append(Listing(score_words.outcomes(cell, report)))
        if cell.unequal:
            blocks.append(
                Paragraph(
                    "The loss depends on the cue (section 1): the shifts speak of the answered trials only.", "warn"
                )
            )
        panel = cue_forest.panel(cell, report)
        if panel is not None:
            blocks.append(panel)
    elif cell.gate.status == "fail":
        blocks.append(Paragraph("No number is quoted here: the computation failed its gate (section 11).", "fail"))
        blocks.append(Listing(sentences.red_rows(cell.gate)))
    else:
        blocks.append(Paragraph("No shift could be estimated for this judge and domain (section 1).", "fail"))
    blocks.append(Listing(score_words.legend(report), "What the words mean"))
    if report.analysis.simulated:
        blocks.append(Paragraph("The judges are simulated: the planted shift stands beside every estimate.", "note"))
    blocks.append(Paragraph(score_words.INFORMATION, "note"))
    if score_words.few(cell.base):
        blocks.append(Paragraph(score_words.few(cell.base), "note"))
    return Section(2, "answer", "Answer: which cues move the score?", tuple(blocks))
