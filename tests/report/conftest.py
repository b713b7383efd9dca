from __future__ import annotations

from pathlib import Path

import pytest
from example_findings import example_findings
from page_reader import Node, read_page

from judgestats.report.facts import ReportFacts
from judgestats.report.findings import Findings
from judgestats.report.gather.report import report_facts
from judgestats.report.write import write_report


@pytest.fixture(scope="session")
def findings() -> Findings:
    return example_findings()


@pytest.fixture(scope="session")
def facts(findings: Findings) -> ReportFacts:
    return report_facts(findings)


@pytest.fixture(scope="session")
def folder(findings: Findings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    write_report(findings, out)
    return out


@pytest.fixture(scope="session")
def pages(folder: Path) -> dict[str, Node]:
    """Every HTML page by its path inside the report folder."""
    return {
        p.relative_to(folder).as_posix(): read_page(p.read_text(encoding="utf-8"))
        for p in sorted(folder.rglob("*.html"))
    }
