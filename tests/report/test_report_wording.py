"""Words that a reader took for more than they are: naive effects, errors, priors, permutations, free assignment."""

from __future__ import annotations

from dataclasses import replace

import pytest
from example_findings import HOSTILE_JUDGE
from page_reader import read_page, read_table

from judgestats.checks.finding import PriorRow, SensitivityRow
from judgestats.checks.loss_rules import INCONSISTENT, LEFT_OUT, MODELLED
from judgestats.checks.power_scaling import SETTINGS, THRESHOLD
from judgestats.report.figures import model_graph, sensitivity_forest
from judgestats.report.gather.report import report_facts
from judgestats.report.labels import LOST_AS_FAILURES, LOST_MODELLED
from judgestats.report.methods import methods_text
from judgestats.report.sections import sensitivity
from judgestats.report.sections.columns import error_note, estimate_table
from judgestats.report.sections.estimates import without_repeats
from judgestats.report.write import write_report


def sensitivity_row(**more):
    base = SensitivityRow(
        "planted-A", "gender-career", "loss_rule", LEFT_OUT, "delta_p", "marginal", 0.08, 0.02, 0.16, 0.99
    )
    return replace(base, **more)


def test_settings_are_those_of_the_checks():
    assert (LOST_AS_FAILURES, LOST_MODELLED) == (INCONSISTENT, MODELLED)
    assert LEFT_OUT.startswith(sensitivity_forest.LEFT_OUT)
    assert sensitivity.POWER_LIMIT == THRESHOLD


def test_the_two_naive_effects_have_names_of_their_own(findings):
    rows = (
        sensitivity_row(setting=INCONSISTENT, estimand="delta_p_naive"),
        sensitivity_row(setting=MODELLED, estimand="valid_and_consistent"),
    )
    facts = report_facts(replace(findings, sensitivity=rows))
    cell = facts.cell("planted-A", "gender-career")
    assert cell.sensitivity[0].setting == "refit with lost trials as inconsistent"
    (table,) = [
        b.table
        for b in sensitivity.section(cell, facts).blocks
        if getattr(b, "table", None) and "loss_rule" in b.table.key
    ]
    assert [str(row.cells[1]) for row in table.rows] == [
        "Naive Delta P, refit, marginal",
        "Naive Delta P, from both stages, marginal",
    ]


def test_a_number_stands_once_in_the_estimates(facts):
    cell = facts.cell("planted-B", "gender-career")
    naive = next(e for e in cell.estimates if e.estimand == "delta_p_naive")
    again = replace(naive, estimand="valid_and_consistent")
    block = replace(naive, estimand="valid_and_consistent", scale="probability", block="congruent")
    other = replace(again, version="typical_item")
    assert without_repeats((naive, again, block, other)) == (naive, block, other)


def test_grid_errors_and_monte_carlo_errors_are_told_apart(facts):
    cell = facts.cell("planted-B", "gender-career")
    rows = [e for e in cell.estimates if e.scale == "probability_difference"]
    note = error_note(rows)
    assert "Monte Carlo standard error of draws for Naive Delta P, from both stages" in note
    assert "that of the exact engine's grid for the other rows" in note
    heads = [c.head for c in estimate_table("k", "c", rows, "eti", 0.95).columns]
    assert "numerical error" in heads
    assert "MCSE" not in heads
    chains = [replace(e, engine="pymc") for e in rows]
    assert error_note(chains) == ""
    assert "MCSE" in [c.head for c in estimate_table("k", "c", chains, "eti", 0.95).columns]


def test_power_scaling_is_one_row_a_pair(findings):
    rows = tuple(
        sensitivity_row(
            kind="power_scaling", setting=s, value=v, note="the prior dominates", mean=None, lower=None, upper=None
        )
        for s, v in zip(SETTINGS, (0.09, 0.01), strict=True)
    )
    facts = report_facts(replace(findings, sensitivity=rows))
    section = sensitivity.section(facts.cell("planted-A", "gender-career"), facts)
    (table,) = [b.table for b in section.blocks if getattr(b, "table", None) is not None]
    (row,) = table.rows
    assert [str(c) for c in row.cells] == ["Delta P, marginal", "0.090", "0.010", "0.05", "the prior dominates"]


def test_the_main_analysis_is_no_alternative_to_itself(findings):
    rows = (
        sensitivity_row(kind="prior", setting="as fitted: intercept N(0, 1.5)", outcome="beyond"),
        sensitivity_row(kind="prior", setting="block effect N(0, 1)", outcome="undecided"),
        sensitivity_row(outcome="beyond"),
    )
    facts = report_facts(replace(findings, sensitivity=rows))
    cell = facts.cell("planted-A", "gender-career")
    assert "under 1 alternatives" in sensitivity_forest.panel(cell, facts).title
    assert "changes under 1 of 1 alternatives" in sensitivity.section(cell, facts).blocks[0].text


def test_what_priors_imply_is_no_prior(findings, tmp_path):
    implied = PriorRow(
        "shift", "P(congruent)", "probability of a consistent answer", "implied", "0.1 / 0.5 / 0.9", "follows"
    )
    facts = report_facts(replace(findings, priors=(*findings.priors, implied)))
    assert "implied" not in methods_text(facts, "txt")
    assert "P(congruent)" not in model_graph.panel(facts).alt
    write_report(replace(findings, priors=(*findings.priors, implied)), tmp_path)
    page = read_page((tmp_path / "planted-A" / "gender-career.html").read_text(encoding="utf-8"))
    assert "P(congruent)" not in [row[1] for row in read_table(page, "priors")[1]]
    assert [row[1] for row in read_table(page, "implied")[1]] == ["P(congruent)"]


def test_boxes_of_the_model_graph_do_not_overlap(findings):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from judgestats.report.figures.canvas import drawing

    assert 44 / model_graph.MOST_IN_A_ROW >= model_graph.BOX_WIDTH
    many = tuple(
        replace(findings.priors[0], parameter=f"sigma_cluster_{i}", prior="half-normal(0.5)") for i in range(5)
    )
    assert "sigma_cluster_4" in model_graph.panel(report_facts(replace(findings, priors=many))).draw()
    with drawing(2.2) as canvas:
        axes = canvas.axes(0.05, 0.05, 0.05, 0.05)
        axes.set_xlim(0, 100)
        text = axes.text(50, 0.5, "sigma_cluster_4\nhalf-normal(0.5)", fontsize=8)
        renderer = FigureCanvasAgg(canvas.figure).get_renderer()
        box = text.get_window_extent(renderer).transformed(axes.transData.inverted())
        assert box.width < model_graph.BOX_WIDTH


def test_an_enumerated_test_has_no_monte_carlo_interval(findings, tmp_path):
    rows = tuple(replace(r, enumerated=True, permutations=0) for r in findings.falsification)
    write_report(replace(findings, falsification=rows), tmp_path)
    page = read_page((tmp_path / "planted-A" / "gender-career.html").read_text(encoding="utf-8"))
    heads, shown = read_table(page, "permutation")
    for row in shown:
        by_head = dict(zip(heads, row, strict=True))
        assert by_head["permutations"] == "enumerated"
        assert by_head.get("95 % Monte Carlo interval of p", "–") == "–"
        assert by_head["statistic"] == "posterior mean Delta P"
    assert "need not be centred on 0" in page.one("section", id="falsification").text()


@pytest.mark.parametrize("plain", [True, False])
def test_free_assignment_names_its_success(findings, plain, tmp_path):
    card = replace(findings.analysis, success_word="consistent" if plain else "default-label")
    write_report(replace(findings, analysis=card), tmp_path)
    page = read_page((tmp_path / "planted-A" / "gender-career.html").read_text(encoding="utf-8"))
    text = page.text()
    assert ("P(consistent | valid), congruent" in text) == plain
    assert ("P(default-label | valid), congruent" in text) != plain
    assert ("task-consistent" in text) == plain
    assert ("a success of stage B is a default-label answer" in page.one("section", id="answer").text()) != plain
    assert ("gave default-label answers more often in the congruent block" in text) != plain


def test_nothing_can_be_ranked_is_said(pages, findings, tmp_path):
    flat = tuple(replace(r, lower=1.0, upper=3.0) if r.estimand == "rank" else r for r in findings.records)
    write_report(replace(findings, records=flat), tmp_path)
    page = read_page((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert "Nothing can be ranked: every interval spans all ranks." in page.one("section", id="between").text()
    clear = tuple(replace(r, lower=1.0, upper=2.0) if r.estimand == "rank" else r for r in findings.records)
    write_report(replace(findings, records=clear), tmp_path)
    assert "Nothing can be ranked" not in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert HOSTILE_JUDGE in pages["index.html"].text()
