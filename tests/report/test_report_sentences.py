from __future__ import annotations

from dataclasses import replace

import pytest
from example_findings import HOSTILE_JUDGE

from judgestats.report import highlights, loss, outcome, sentences
from judgestats.report.document import Listing, TableBlock
from judgestats.report.gather.report import report_facts
from judgestats.report.numbers import fixed, p_value
from judgestats.report.sections import falsification
from judgestats.report.sections.falsification import disagreement


def _with_outcome(findings, outcome, **numbers):
    """Return facts in which the headline of planted-A in gender-career has this outcome."""
    records = tuple(
        replace(r, outcome=outcome, **numbers)
        if (r.judge, r.domain, r.estimand, r.version) == ("planted-A", "gender-career", "delta_p", "marginal")
        else r
        for r in findings.records
    )
    facts = report_facts(replace(findings, records=records))
    return facts.cell("planted-A", "gender-career"), facts


def test_answer_of_a_detected_effect(facts):
    cell = facts.cell("planted-A", "gender-career")
    head = cell.headline
    assert (
        sentences.answer(cell, facts)
        == f"Delta P = {head.mean.text}, 95 % CrI [{head.lower.text}, {head.upper.text}] (equal-tailed)"
    )
    assert "more often task-consistent in the congruent block" in sentences.answer_in_words(cell, facts)
    assert "The whole interval lies above the ROPE [-0.02, 0.02]." in sentences.answer_in_words(cell, facts)
    assert "planted 0.086, which lies inside" in sentences.planted(cell)


def test_direction_turns_with_the_sign(findings):
    cell, facts = _with_outcome(findings, "beyond", mean=-0.09, median=-0.09, lower=-0.16, upper=-0.03)
    words = sentences.answer_in_words(cell, facts)
    assert "more often task-consistent in the incongruent block" in words
    assert "below [-0.02, 0.02]" in outcome.decision(cell, facts)


def test_unequal_loss_is_said_beside_the_answer(facts):
    assert "no finding of fairness" in loss.unequal_loss(facts.cell("planted-B", "gender-career"))
    assert loss.unequal_loss(facts.cell("planted-B", "gender-science")) == ""
    assert "fewer valid answers in the incongruent block" in loss.dependence(facts.cell("planted-B", "gender-career"))
    assert "do not show that the loss depends" in loss.dependence(facts.cell("planted-B", "gender-science"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("beyond", "Beyond the ROPE"),
        ("inside", "Inside the ROPE"),
        ("undecided", "Undecided"),
        ("not resolved", "more draws"),
        ("not_resolved", "more draws"),
        ("not estimable", "Not estimable"),
        (None, "No outcome"),
    ],
)
def test_every_outcome_has_words(findings, given, words):
    cell, facts = _with_outcome(findings, given)
    assert words in outcome.decision(cell, facts)


def test_not_estimable_quotes_no_number(findings):
    cell, facts = _with_outcome(findings, "not estimable")
    assert not cell.quotable
    assert "Not estimable" in sentences.answer(cell, facts)
    assert not any(ch.isdigit() for ch in sentences.answer(cell, facts))


def test_red_gate_says_why_not(facts):
    cell = facts.cell(HOSTILE_JUDGE, "gender-science")
    assert "failed its gate" in sentences.answer(cell, facts)
    assert sentences.answer_in_words(cell, facts) == ""
    (why,) = sentences.red_gate(cell)
    assert "edge_mass of delta_p[marginal] is 0.00031 (limit 1e-06)" in why
    assert "Widen the grid" in why
    assert "No outcome is declared" in outcome.decision(cell, facts)


def test_a_separated_cell_is_bounded(facts):
    cell = facts.cell(HOSTILE_JUDGE, "gender-career")
    head = cell.headline
    assert sentences.answer(cell, facts) == f"Delta P is bounded by {head.interval}"
    words = sentences.separation(cell)
    assert "80 of 80 congruent and 80 of 80" in words
    assert "below 0.037 in the congruent and 0.037 in the incongruent" in words  # 3 / 80 = 0.0375, two digits


def test_few_items_and_single_trials_are_said(facts):
    cell = facts.cell("planted-A", "gender-career")
    assert any("Only 80 items" in text for text in sentences.cautions(cell))
    assert not any("One trial per item" in text for text in sentences.cautions(cell))
    single = replace(cell, trials_per_item=1, n_items=240)
    assert any("item standard deviation is its prior" in text for text in sentences.cautions(single))
    assert not any("fewer than" in text for text in sentences.cautions(single))


def test_disagreement_of_interval_and_permutation(facts):
    cell = facts.cell("planted-A", "gender-career")
    row = replace(cell.falsification[0], p_value=0.07, smallest_p=0.008)
    assert "the interval excludes 0, p is 0.070" in disagreement(cell, row, facts)
    assert disagreement(cell, replace(row, p_value=0.002), facts) == ""
    null = facts.cell("planted-A", "gender-science")
    assert "includes 0" in disagreement(null, replace(row, p_value=0.03), facts)
    reach = disagreement(cell, replace(row, smallest_p=0.25, p_value=0.25), facts)
    assert "can reach lies below 0.250" in reach
    # 300 drawn permutations reach 2/301 whatever the design could reach.
    for enumerated, limit in ((True, "this design"), (False, "these 300 permutations")):
        drawn = replace(row, p_value=0.25, smallest_p=0.25, enumerated=enumerated, permutations=300)
        assert f"no p that {limit} can reach" in disagreement(cell, drawn, facts)
    # 7 against 1 discordant items make 9 data sets; 1,000 data sets make no steps that matter at .05.
    assert "9 distinct data sets only" in disagreement(cell, replace(row, distinct=9), facts)
    assert "distinct" not in disagreement(cell, replace(row, distinct=1000), facts)
    assert disagreement(cell, replace(row, p_value=1.0, smallest_p=1.0, distinct=1), facts) == ""
    assert "as unrelated" in disagreement(null, replace(row, p_value=0.03, scheme="within_judge"), facts)
    assert "as unrelated" not in disagreement(null, replace(row, p_value=0.03, scheme="within_item"), facts)


def test_what_stands_out_names_each_cell_once(facts):
    said = " ".join(highlights.stands_out(facts))
    assert "Loss depends on the block: planted-B, gender-career" in said
    assert (
        "Beyond the ROPE (the whole interval of Delta P lies outside [-0.02, 0.02]). planted-A in gender-career" in said
    )
    assert "Not quoted: acme/judge" in said
    effects = " ".join(highlights.effect_highlights(facts))
    for c in facts.cells:
        ways = (f"{c.judge} in {c.domain} (", f"Not quoted: {c.judge}, {c.domain}.")
        assert sum(effects.count(text) for text in ways) == 1


def test_bounds_stand_beside_a_loss_that_depends_on_the_block(facts):
    cell = facts.cell("planted-B", "gender-career")
    line = next(text for text in highlights.loss_highlights(facts) if "planted-B, gender-career" in text)
    low, high = cell.loss.bounds
    assert f"Worst-case bounds of the effect: {low.mean} to {high.mean}" in line
    assert f"P(valid), congruent minus incongruent: {cell.loss.difference.mean}, 95 % CrI" in line


def test_equals_keeps_the_sign_of_the_text():
    assert outcome.equals(fixed(0.95, 2)) == "= 0.95"
    assert outcome.equals(p_value(0.5)) == "= 0.500"


def test_labels_that_cannot_be_permuted_give_no_p(facts):
    """A stored p of 1 stands for "no p": printed, it would read as agreement with no effect."""
    cell = facts.cell("planted-A", "gender-career")
    none = replace(
        cell.falsification[0], statistic="none", p_value=1.0, smallest_p=1.0, p_max=None, permutations=0, distinct=0
    )
    blocks = falsification.section(replace(cell, falsification=(none,)), facts).blocks
    (said,) = next(block.items for block in blocks if isinstance(block, Listing))
    assert said.endswith("not possible in this cell, so there is no p.")
    (row,) = next(
        block.table.rows for block in blocks if isinstance(block, TableBlock) and block.table.key == "permutation"
    )
    assert not any("1.000" in str(entry) for entry in row.cells)
