"""Judges that were asked in one block only, or lost every trial of one: nothing of the prior poses as a finding."""

from __future__ import annotations

from dataclasses import replace

import pytest
from page_reader import read_page, read_table

from judgestats.report import loss, sentences
from judgestats.report.findings import StatusCount
from judgestats.report.gather.report import report_facts
from judgestats.report.write import write_report

NAME = ("planted-B", "gender-science")
EFFECTS = (
    "delta_p",
    "log_odds",
    "error_ratio",
    "delta_p_naive",
    "worst_case_low",
    "worst_case_high",
    "validity_difference",
)


def one_sided(findings, *, asked):
    """Return findings in which planted-B in gender-science has no valid incongruent answer, of `asked` trials asked."""

    def touched(r):
        mine = (r.judge, r.domain) == NAME and (r.estimand in EFFECTS or r.block == "incongruent")
        compared = r.estimand == "contrast" and NAME[0] in (r.judge, r.reference) and NAME[1] in (r.domain, r.reference)
        average = r.judge == NAME[0] and r.domain is None
        return replace(r, outcome="not estimable") if mine or compared or average else r

    counts = tuple(c for c in findings.counts if (c.judge, c.domain, c.block) != (*NAME, "incongruent"))
    if asked:
        counts += (StatusCount(*NAME, "incongruent", "refusal", asked),)
    return replace(findings, records=tuple(touched(r) for r in findings.records), counts=counts)


def test_never_asked_and_all_lost_are_two_things(findings):
    never = report_facts(one_sided(findings, asked=0)).cell(*NAME)
    lost = report_facts(one_sided(findings, asked=80)).cell(*NAME)
    assert "no incongruent trials were asked" in sentences.no_answer(never)
    assert (
        "no valid answer in the incongruent block (all 80 trials asked were lost (80 refused))"
        in sentences.no_answer(lost)
    )
    assert loss.dependence(never) == (
        "Only the congruent block was asked, so dependence of the loss on the block cannot be judged."
    )
    assert never.loss.bounds == ()
    assert loss.bounds(never) == ""
    assert len(lost.loss.bounds) == 2


@pytest.mark.parametrize("asked", [0, 80])
def test_a_page_without_an_effect_quotes_none(findings, asked, tmp_path):
    write_report(one_sided(findings, asked=asked), tmp_path)
    page = read_page((tmp_path / "planted-B" / "gender-science.html").read_text(encoding="utf-8"))
    validity = page.one("section", id="validity").text()
    assert ("cannot be judged" in validity) == (asked == 0)
    assert ("answered in the worst way" in validity) == (asked > 0)
    table = page.one("table", id="t-estimates-probability_difference")
    assert not table.one("tbody").all("tr", class_="main")
    heads, rows = read_table(page, "estimates-probability_difference")
    assert all("(prior only)" in row[0] for row in rows if row[0].startswith("Delta P"))
    heads, rows = read_table(page, "contrasts")
    assert {row[heads.index("mean")] for row in rows} == {"–"}
    assert {row[heads.index("outcome")] for row in rows} == {"not estimable"}
    index = read_page((tmp_path / "index.html").read_text(encoding="utf-8"))
    heads, rows = read_table(index, "cells")
    row = dict(zip(heads, next(r for r in rows if tuple(r[:2]) == NAME), strict=True))
    assert row["Delta P, mean"] == row["P(>0)"] == "–"
    assert row["outcome"] == "not estimable"
    heads, rows = read_table(index, "averages")
    assert next(r for r in rows if r[0] == "planted-B")[heads.index("mean")] == "–"
