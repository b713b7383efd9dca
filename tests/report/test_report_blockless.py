"""Lost trials without a block: counted apart, never part of a statement about the blocks."""

from __future__ import annotations

from judgestats.report.findings import StatusCount
from judgestats.report.gather.loss import loss_facts


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
