"""Section 12 of scores: methods text to copy, and how to cite."""

from __future__ import annotations

from judgestats.report.document import Paragraph, Section, Verbatim
from judgestats.report.score_citations import score_bibliography
from judgestats.report.score_facts import ScoreReportFacts
from judgestats.report.score_methods import score_methods_text


def section(report: ScoreReportFacts) -> Section:
    """Return the methods text in three markups and the bibliography of what ran."""
    blocks = (
        Paragraph("Written from the settings of this run; the bibliography cites only what ran."),
        Verbatim(score_methods_text(report, "txt"), "Methods, plain text"),
        Verbatim(score_methods_text(report, "md"), "Methods, Markdown", folded=True),
        Verbatim(score_methods_text(report, "tex"), "Methods, LaTeX", folded=True),
        Verbatim(score_bibliography(report), "references.bib", folded=True),
    )
    return Section(12, "methods", "Methods text and citation", blocks)
