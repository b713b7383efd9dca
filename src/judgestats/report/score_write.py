"""Writing a report on scores: every page and file from one set of facts."""

from __future__ import annotations

from pathlib import Path

from judgestats.report.atomic import write_text
from judgestats.report.gather.score_report import score_report_facts
from judgestats.report.html import render
from judgestats.report.markdown import markdown_report
from judgestats.report.pages import score_cell as cell_page
from judgestats.report.pages import score_index as index_page
from judgestats.report.results import dumps, jsonable
from judgestats.report.score_citations import score_bibliography
from judgestats.report.score_findings import ScoreFindings
from judgestats.report.score_methods import score_methods_text
from judgestats.report.score_results import score_results


def write_score_report(findings: ScoreFindings, out: Path) -> tuple[Path, ...]:
    """Write the report on scores into a folder.

    Parameters
    ----------
    findings : ScoreFindings
        Everything that the run found.
    out : Path
        Folder; made where it is missing. Files of the same name are replaced, each written under a temporary name first.

    Returns
    -------
    tuple of Path
        Files written: ``index.html``, one page per judge and domain, ``results.json``, ``report.md``,
        ``methods.{md,tex,txt}``, ``references.bib``, ``provenance.json``. ``draws.nc`` is the study's to write.
    """
    report = score_report_facts(findings)
    pages = [cell_page.page(cell, report) for cell in report.cells]
    index = index_page.page(report)
    paths = {(cell.judge, cell.domain): cell.path for cell in report.cells}
    texts = {page.path: render(page) for page in pages}
    texts["results.json"] = dumps(score_results(findings))
    texts["provenance.json"] = dumps(jsonable(findings.provenance))
    texts["methods.md"] = score_methods_text(report, "md")
    texts["methods.tex"] = score_methods_text(report, "tex")
    texts["methods.txt"] = score_methods_text(report, "txt")
    texts["references.bib"] = score_bibliography(report)
    texts["report.md"] = markdown_report(index, pages)
    texts["index.html"] = render(index, paths)  # last: a reader who finds it finds the rest
    return tuple(write_text(out / path, text) for path, text in texts.items())
