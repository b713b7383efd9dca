"""Lost trials without a block: counted apart, never part of a statement about the blocks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judgestats.report.findings import Findings, StatusCount
from judgestats.report.gather.loss import loss_facts
from judgestats.report.gather.report import report_facts
from judgestats.report.highlights import loss_highlights


def counts(*rows: tuple[str, str, int]) -> list[StatusCount]:
    return [StatusCount("judge", "domain", block, status, n) for block, status, n in rows]


def test_refusals_without_a_block_are_no_loss_of_the_blocks() -> None:
    """60 trials in blocks, all valid, and 20 refusals without a block: nothing was lost in the blocks."""
    facts = loss_facts(counts(("congruent", "valid", 30), ("incongruent", "valid", 30), ("none", "refusal", 20)), [])
    assert facts.dependence == "none_lost"
    assert (facts.asked, facts.valid, facts.lost) == (60, 60, 0)
    assert facts.loss.value == 0
    apart = facts.block("none")
    assert apart is not None
    assert apart.lost_to == {"refusal": 20}


@pytest.mark.parametrize(
    ("status", "words"), [("refusal", " (20, 20 of them lost)"), ("valid", " (20)")], ids=["refused", "answered"]
)
def test_the_index_says_that_nothing_was_lost_in_a_block_only_and_names_the_others(
    findings: Findings, status: str, words: str
) -> None:
    """Every trial in a block is valid; 20 of the first cell have no block: "every answer of every judge" would be false."""
    cells = list(dict.fromkeys((c.judge, c.domain) for c in findings.counts))
    made = [StatusCount(*cell, block, "valid", 80) for cell in cells for block in ("congruent", "incongruent")]
    said = loss_highlights(report_facts(replace(findings, counts=(*made, StatusCount(*cells[0], "none", status, 20)))))
    assert "Loss: none; every answer in a block of every judge was valid." in said
    judge, domain = cells[0]
    assert f"Trials without a block, which enter neither stage: {judge} in {domain}{words}." in said
    assert loss_highlights(report_facts(replace(findings, counts=tuple(made)))) == (
        "Loss: none; every answer of every judge was valid.",
    )


def test_the_index_says_how_much_a_cell_of_one_block_lost(findings: Findings) -> None:
    first = findings.counts[0]
    cell = (first.judge, first.domain)
    others = tuple(c for c in findings.counts if (c.judge, c.domain) != cell)
    mine = (StatusCount(*cell, "incongruent", "valid", 30), StatusCount(*cell, "incongruent", "refusal", 10))
    said = loss_highlights(report_facts(replace(findings, counts=(*others, *mine))))
    (text,) = [s for s in said if s.startswith("One block only")]
    assert "10 of 40 (25 %) in the incongruent block (10 refused)" in text
