"""One rule only: what a page calls a null, an effect or undecided follows the interval against the ROPE."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judgestats.report import highlights, outcome, sentences
from judgestats.report.findings import StatusCount
from judgestats.report.gather.report import report_facts
from judgestats.report.labels import outcome_label
from judgestats.report.numbers import interval_end

NAME = ("planted-A", "gender-career")


def given(findings, result, lower, upper, *, lost=0, **more):
    """Return cell and facts with planted-A in gender-career at this outcome, `lost` of 80 incongruent trials refused."""
    records = tuple(
        replace(r, outcome=result, lower=lower, upper=upper, mean=(lower + upper) / 2, **more)
        if (r.judge, r.domain, r.estimand, r.version) == (*NAME, "delta_p", "marginal")
        else r
        for r in findings.records
    )
    counts = tuple(c for c in findings.counts if (c.judge, c.domain) != NAME)
    counts += (StatusCount(*NAME, "congruent", "valid", 80), StatusCount(*NAME, "incongruent", "valid", 80 - lost))
    if lost:
        counts += (StatusCount(*NAME, "incongruent", "refusal", lost),)
    facts = report_facts(replace(findings, records=records, counts=counts))
    return facts.cell(*NAME), facts


def everything(cell, facts):
    return " ".join(
        (sentences.answer_in_words(cell, facts), outcome.decision(cell, facts), *highlights.effect_highlights(facts))
    )


def test_an_interval_that_touches_0_and_leaves_the_rope_is_no_null(findings):
    cell, facts = given(findings, "undecided", -0.0002, 0.132)
    assert outcome.standing(cell) == "undecided"
    words = sentences.answer_in_words(cell, facts)
    assert (
        "Undecided: the data are compatible with no effect and with effects up to 0.132 (the interval's end)." in words
    )
    assert "No effect" not in everything(cell, facts)
    assert "no effect beyond" not in everything(cell, facts)


def test_both_ends_outside_the_rope_are_named_the_larger_first(findings):
    cell, facts = given(findings, "undecided", -0.090, 0.063)
    assert outcome.reaches(cell.headline, facts) == "down to -0.090 and up to 0.063 (the interval's ends)"


def test_undecided_with_a_clear_sign_says_so(findings):
    cell, facts = given(findings, "undecided", 0.004, 0.110)
    words = sentences.answer_in_words(cell, facts)
    assert "the sign is clear and the size is not" in words
    assert "compatible with no effect and" not in words
    assert "excludes 0)" in " ".join(highlights.effect_highlights(facts))


@pytest.mark.parametrize(("lost", "named"), [(0, False), (12, True)])
def test_a_null_names_refusals_only_where_trials_were_lost(findings, lost, named):
    cell, facts = given(findings, "inside", -0.012, 0.015, lost=lost)
    words = sentences.answer_in_words(cell, facts)
    assert "No effect beyond the ROPE detected in this design" in words
    assert ("refusals" in words.lower()) == named
    assert ("12 of 80 (15 %) in the incongruent block (12 refused)" in words) == named
    assert "ceiling can hide" in words
    assert "neutral" not in words


def test_without_a_rope_the_interval_is_read_against_0(findings):
    cell, facts = given(findings, "undecided", -0.01, 0.05, rope=None)
    assert outcome.standing(cell) == "includes"
    assert "The interval includes 0" in sentences.answer_in_words(cell, facts)
    cell, facts = given(findings, "beyond", 0.01, 0.05, rope=None)
    assert outcome.standing(cell) == "excludes"


def test_each_outcome_has_a_bullet_of_its_own(findings):
    _, facts = given(findings, "inside", -0.012, 0.015)
    bullets = highlights.effect_highlights(facts)
    assert next(b for b in bullets if b.startswith("Inside the ROPE")).count("planted-A in gender-career") == 1
    assert not [b for b in bullets if b.startswith("Undecided") and "planted-A in gender-career" in b]


def test_outcome_words_are_one_set():
    assert [
        outcome_label(k, has_rope=True) for k in ("beyond", "inside", "undecided", "not_resolved", "not_estimable")
    ] == [
        "beyond the ROPE",
        "inside the ROPE",
        "undecided",
        "not resolved",
        "not estimable",
    ]
    assert outcome_label("beyond", has_rope=False) == "interval excludes 0"
    assert outcome_label("undecided", has_rope=False, null="1") == "interval includes 1"


def test_the_rule_does_not_say_twice_when_it_was_fixed(findings):
    card = replace(findings.analysis, decision_rule="Fixed beforehand: a judge is called biased when so and so.")
    assert outcome.rule(report_facts(replace(findings, analysis=card))) == "A judge is called biased when so and so."


def test_an_end_beside_0_keeps_its_sign():
    assert interval_end(-0.0002, 3).text == "-0.0002"
    assert interval_end(-0.00002, 3).text == "0.0000"
    assert interval_end(-0.0002, 3, mcse=0.0005).text == "0.000"
