"""Findings with parts missing: a page for each, every section saying why it is empty."""

from __future__ import annotations

from dataclasses import replace

import pytest
from page_reader import read_page, read_table

from judgestats.report import barg
from judgestats.report.findings import StatusCount
from judgestats.report.gather.report import report_facts
from judgestats.report.write import write_report
from judgestats.trials.cell import Cell


@pytest.fixture
def bare(findings):
    """Only cells and counts: nothing was fitted."""
    return replace(
        findings,
        records=(),
        gates=(),
        priors=(),
        predictive=(),
        items=(),
        loo=(),
        sensitivity=(),
        falsification=(),
        densities=(),
        warnings=(),
        provenance={},
        notes={},
        analysis=replace(findings.analysis, decision_rule="", limitations=(), question="", design="", title=""),
    )


def test_a_run_without_fits_makes_pages(bare, tmp_path):
    write_report(bare, tmp_path)
    page = read_page((tmp_path / "planted-B" / "gender-career.html").read_text(encoding="utf-8"))
    assert "No estimate was made" in page.one("section", id="answer").text()
    assert "24 refused" in page.one("section", id="validity").text()
    assert "nothing vouches for these numbers" in page.one("section", id="computation").text()
    assert "Labels were not permuted" in page.one("section", id="falsification").text()
    assert "command was not recorded" in page.one("section", id="reproduce").text()


def test_missing_barg_items_are_marked(bare, facts, tmp_path):
    assert barg.complete(facts)
    missing = {item.code for item in barg.checklist(report_facts(bare)) if item.state == "missing"}
    assert {"1C", "1E", "2B", "2C", "3A", "4A", "5A", "6B", "6G"} <= missing
    write_report(bare, tmp_path)
    page = read_page((tmp_path / "index.html").read_text(encoding="utf-8"))
    heads, rows = read_table(page, "barg")
    shown = {row[0] for row in rows if row[heads.index("state")] == "missing"}
    assert shown == missing
    marked = {r.children[0].text() for r in page.one("table", id="t-barg").all("tr", class_="warn")}
    assert marked == missing


@pytest.mark.parametrize(
    "part", ["densities", "items", "predictive", "loo", "sensitivity", "falsification", "priors", "gates"]
)
def test_any_one_part_may_be_missing(findings, part, tmp_path):
    one = replace(findings, cells=findings.cells[:1])
    write_report(replace(one, **{part: ()}), tmp_path)
    assert (tmp_path / "index.html").is_file()


def test_no_cell_at_all(bare, tmp_path):
    write_report(replace(bare, cells=(), counts=()), tmp_path)
    assert "What stands out" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_trials_without_a_block_and_unknown_statuses_are_counted(bare, tmp_path):
    counts = (
        StatusCount("j", "d", "congruent", "valid", 5),
        StatusCount("j", "d", "none", "valid", 7),
        StatusCount("j", "d", "none", "odd status", 2),
    )
    write_report(replace(bare, cells=(Cell("j", "d"),), counts=counts), tmp_path)
    page = read_page((tmp_path / "j" / "d.html").read_text(encoding="utf-8"))
    heads, rows = read_table(page, "status")
    assert [row[0] for row in rows] == ["congruent", "without a block", "all"]
    total = dict(zip(heads, rows[-1], strict=True))
    assert (total["asked"], total["valid"], total["odd status"]) == ("14", "12", "2")


def test_judges_that_differ_in_case_or_slash_keep_their_pages(bare, tmp_path):
    cells = (Cell("A/b", "d"), Cell("A:b", "d"), Cell("a-b", "D"), Cell("a-b", "d"), Cell("../../up", "d"))
    write_report(replace(bare, cells=cells, counts=()), tmp_path)
    pages = [p.relative_to(tmp_path) for p in tmp_path.rglob("*.html") if p.name != "index.html"]
    assert len({p.as_posix().lower() for p in pages}) == len(cells)
    assert all(len(p.parts) == 2 and ".." not in p.parts for p in pages)
