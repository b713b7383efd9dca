"""Stage A of one cell: counts by block and status, validity, and what the lost trials could hide."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.report.facts import BlockLoss, Estimate, LossFacts
from judgestats.report.findings import StatusCount
from judgestats.report.labels import BLOCKS
from judgestats.report.numbers import percent
from judgestats.trials.status import LOST, Status


def loss_facts(counts: Sequence[StatusCount], estimates: Sequence[Estimate]) -> LossFacts:
    """Return the stage A facts of one cell.

    Parameters
    ----------
    counts : sequence of StatusCount
        Counts of this cell only.
    estimates : sequence of Estimate
        Estimates of this cell only.
    """
    present = {row.block for row in counts}
    order = [b for b in BLOCKS if b in present] + sorted(present - set(BLOCKS))
    blocks = tuple(_block(name, [row for row in counts if row.block == name]) for name in order)
    # Trials without a block enter neither stage: they are counted apart and say nothing about a loss that depends on the block.
    entered = [b for b in blocks if b.block in BLOCKS[:2]]
    asked = sum(b.asked for b in entered)
    lost = sum(b.lost for b in entered)
    difference = _first(estimates, "validity_difference")
    one_block = any(not any(b.block == name and b.asked for b in blocks) for name in BLOCKS[:2])
    return LossFacts(
        blocks=blocks,
        loss=percent(lost, asked),
        validity=_all(estimates, "validity"),
        difference=difference,
        # Bounds of trials that were never asked would be the prior's.
        bounds=() if one_block else _all(estimates, "worst_case_low") + _all(estimates, "worst_case_high"),
        naive=_first(estimates, "delta_p_naive"),
        jointly=_all(estimates, "valid_and_consistent"),
        dependence="one_block" if one_block else _dependence(lost, difference),
    )


def _block(name: str, rows: Sequence[StatusCount]) -> BlockLoss:
    asked = sum(row.n for row in rows)
    valid = sum(row.n for row in rows if row.status == Status.VALID)
    known = {s.value: sum(row.n for row in rows if row.status == s.value) for s in LOST}
    other = {row.status: row.n for row in rows if row.status not in (*known, Status.VALID.value)}
    lost_to = {status: n for status, n in (known | other).items() if n}
    return BlockLoss(name, asked, valid, lost_to, percent(asked - valid, asked))


def _dependence(lost: int, difference: Estimate | None) -> str:
    if lost == 0:
        return "none_lost"
    if difference is None or difference.excludes_zero is None:
        return "unknown"
    return "depends" if difference.excludes_zero else "no_sign"


def _all(estimates: Sequence[Estimate], name: str) -> tuple[Estimate, ...]:
    """Return the marginal version where there is one, else every version."""
    found = [e for e in estimates if e.estimand == name]
    marginal = [e for e in found if e.version in (None, "marginal")]
    return tuple(marginal or found)


def _first(estimates: Sequence[Estimate], name: str) -> Estimate | None:
    found = _all(estimates, name)
    return found[0] if found else None
