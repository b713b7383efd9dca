from __future__ import annotations

from dataclasses import replace

import pytest
from example_findings import HOSTILE_JUDGE, ITEMS, TRUTHS

from judgestats.draws.gate import GateRow
from judgestats.report.document import Paragraph
from judgestats.report.gather.report import report_facts
from judgestats.report.sections import estimates
from judgestats.report.sentences import separation
from judgestats.trials.cell import Cell


def test_every_cell_once_in_declared_order(facts, findings):
    assert [c.cell for c in facts.cells] == [Cell(t.judge, t.domain) for t in TRUTHS]
    shuffled = replace(findings, cells=tuple(reversed(findings.cells)))
    assert [c.cell for c in report_facts(shuffled).cells] == [c.cell for c in facts.cells]


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda t: f"{t.judge[:9]}-{t.domain}")
def test_numbers_are_the_records(facts, findings, truth):
    cell = facts.cell(truth.judge, truth.domain)
    record = next(
        r
        for r in findings.records
        if (r.judge, r.domain, r.estimand, r.version) == (truth.judge, truth.domain, "delta_p", "marginal")
    )
    head = cell.headline
    for name in ("mean", "median", "sd", "lower", "upper"):
        number, value = getattr(head, name), getattr(record, name)
        assert number.value == value
        # sd of every invented effect lies between 0.01 and 0.1 and its MCSE is tiny: three decimals
        assert number.text == f"{value:.3f}".replace("-0.000", "0.000")
        assert name not in ("lower", "upper") or float(number.text) != 0, "an end that is not 0 does not print as 0"
    assert head.planted.value == truth.planted
    assert cell.loss.asked == 2 * ITEMS
    assert [b.lost for b in cell.loss.blocks] == list(truth.lost)


def test_loss_dependence(facts):
    found = {(c.cell.judge, c.cell.domain): c.loss.dependence for c in facts.cells}
    assert found["planted-B", "gender-career"] == "depends"  # 0 against 24 of 80
    assert found["planted-B", "gender-science"] == "no_sign"  # 1 against 3 of 80
    assert found["planted-A", "gender-career"] == "none_lost"


def test_separation_is_read_from_the_counts(facts):
    complete = facts.cell(HOSTILE_JUDGE, "gender-career").separation
    assert complete is not None
    assert complete.complete
    assert (complete.congruent_k, complete.incongruent_k) == (80, 80)
    assert complete.rule_of_three[0].value == pytest.approx(3 / 80)
    assert facts.cell("planted-A", "gender-career").separation is None


@pytest.mark.parametrize(
    ("n", "bound"), [(1, 0.95), (2, 1 - 0.05**0.5), (29, 1 - 0.05 ** (1 / 29)), (30, 0.1), (3000, 0.001)]
)
def test_the_bound_after_no_event_is_a_probability(findings, n, bound):
    """No event in n trials: (1 - p)^n = .05 gives p = 1 - .05^(1/n), at most .95; 3/n would be 3 for one trial."""
    first = next(r for r in findings.items if (r.judge, r.domain, r.stage) == (HOSTILE_JUDGE, "gender-career", "shift"))
    single = replace(first, congruent_n=n, congruent_k=n, incongruent_n=n, incongruent_k=n)
    others = tuple(
        r for r in findings.items if (r.judge, r.domain, r.stage) != (HOSTILE_JUDGE, "gender-career", "shift")
    )
    cell = report_facts(replace(findings, items=(*others, single))).cell(HOSTILE_JUDGE, "gender-career")
    assert [b.value for b in cell.separation.rule_of_three] == pytest.approx([bound, bound])
    assert "which takes every trial as independent of the others" in separation(cell)


def test_red_gate_is_not_quotable(facts):
    red = facts.cell(HOSTILE_JUDGE, "gender-science")
    assert red.gate.status == "fail"
    assert not red.quotable
    assert [row.criterion for row in red.gate.failing] == ["edge_mass"]
    assert all(c.quotable for c in facts.cells if c is not red)


def test_undefined_criteria_neither_pass_nor_fail(findings):
    undefined = GateRow("shift", "planted-A", "gender-career", "sigma", "rhat", None, 1.01, "undefined")
    facts = report_facts(replace(findings, gates=(*findings.gates, undefined)))
    assert facts.cell("planted-A", "gender-career").gate.status == "pass"
    alone = report_facts(replace(findings, gates=(undefined,)))
    assert alone.cell("planted-A", "gender-career").gate.status == "undefined"


def test_a_failure_of_the_whole_fit_reaches_every_cell(findings):
    whole = GateRow("shift", None, None, "all", "divergences", 12.0, 0.0, "fail", "Raise target_accept.")
    facts = report_facts(replace(findings, gates=(*findings.gates, whole)))
    assert {c.gate.status for c in facts.cells} == {"fail"}


def test_notes_go_to_their_cell(facts):
    assert facts.cell("planted-A", "gender-career").notes == ("An invented note on this cell.",)
    assert facts.cell("planted-A", "gender-science").notes == ()
    assert facts.notes == ("960 rows read.",)


def test_a_cell_without_records_has_facts(findings):
    more = replace(findings, cells=(*findings.cells, Cell("silent", "gender-career")))
    cell = report_facts(more).cell("silent", "gender-career")
    assert cell.headline is None
    assert not cell.quotable
    assert cell.loss.asked == 0


def test_a_contrast_stands_on_both_pages(facts):
    both = [c for c in facts.cells if any(e.factor == "judge" and e.reference == "planted-B" for e in c.contrasts)]
    names = {(c.judge, c.domain) for c in both}
    assert names == {(j, d) for j in ("planted-A", "planted-B") for d in ("gender-career", "gender-science")}
    for cell in facts.cells:
        # two other judges in the domain, one other domain of the judge
        assert [e.factor for e in cell.contrasts] == ["judge", "judge", "domain"]
        assert all(" minus " in e.label for e in cell.contrasts)


def test_averages_belong_to_no_page(facts):
    assert [e.judge for e in facts.averages] == ["planted-A", "planted-B", HOSTILE_JUDGE]
    assert all(e.domain for c in facts.cells for e in c.estimates)


def test_joint_claims_are_no_general_note(facts):
    assert facts.joint_claims == ("An invented joint claim.",)


@pytest.mark.parametrize(("kind", "said"), [("eti", False), ("hdi", True)])
def test_a_highest_density_interval_of_a_ratio_says_that_it_does_not_invert(facts, kind, said):
    report = replace(facts, analysis=replace(facts.analysis, ci_kind=kind))
    cell = facts.cell("planted-A", "gender-career")
    assert any(e.scale == "ratio" for e in cell.estimates)
    texts = [block.text for block in estimates.section(cell, report).blocks if isinstance(block, Paragraph)]
    assert any(text.startswith("A highest-density interval depends on the scale") for text in texts) is said
