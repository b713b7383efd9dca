"""Section 11: inside the judge."""

from __future__ import annotations

from judgestats.report.document import Paragraph, Section


def section() -> Section:
    """Return why the section is empty: an analysis of verdicts looks at answers only."""
    text = "Not run: this analysis looks at verdicts only. Hidden states need a white-box judge and an analysis of their own."
    return Section(11, "mechanism", "Mechanism", (Paragraph(text),))
