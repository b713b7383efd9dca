"""Section 12: methods text to copy, and how to cite."""

from __future__ import annotations

from judgestats.report.citations import bibliography
from judgestats.report.document import Paragraph, Section, Verbatim
from judgestats.report.facts import ReportFacts
from judgestats.report.methods import methods_text


def section(report: ReportFacts) -> Section:
    """Return the methods text in three markups and the bibliography of what ran."""
    blocks = (
        Paragraph("Written from the settings of this run; the bibliography cites only what ran."),
        Verbatim(methods_text(report, "txt"), "Methods, plain text"),
        Verbatim(methods_text(report, "md"), "Methods, Markdown", folded=True),
        Verbatim(methods_text(report, "tex"), "Methods, LaTeX", folded=True),
        Verbatim(bibliography(report), "references.bib", folded=True),
    )
    return Section(12, "methods", "Methods text and citation", blocks)
