"""Decision: the outcome of the rule that was fixed before the fit, and the wording data of bounded effects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from judgestats.draws.summary import Summary
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Outcome = Literal["beyond", "inside", "undecided", "not resolved", "not estimable"]
BEYOND: Outcome = "beyond"
INSIDE: Outcome = "inside"
UNDECIDED: Outcome = "undecided"
NOT_RESOLVED: Outcome = "not resolved"
NOT_ESTIMABLE: Outcome = "not estimable"

DEFAULT_ROPES: Mapping[str, tuple[float, float]] = {"delta_p": (-0.02, 0.02)}
"""Default region of practical equivalence; estimands that are not named have none."""


def decide(summary: Summary, null: float = 0.0) -> Outcome:
    """Return the outcome of an effect.

    With a ROPE: beyond if the interval lies wholly outside it, inside if wholly within, else undecided. Without one:
    beyond if the interval excludes `null`, else undecided. Not resolved where moving the ends by 2 Monte Carlo errors gives
    another outcome, so that more draws or a finer grid could change it. An end close to an edge that does not decide (the
    lower end at the lower edge, where the upper end is far beyond the ROPE) leaves the outcome as it is. An end whose error
    is not known may lie anywhere.

    Parameters
    ----------
    summary : Summary
        The effect.
    null : float
        Value that means "no effect" where there is no ROPE: 0, or 1 for ratios.
    """
    lowers = _reach(summary.lower, summary.mcse_lower, summary.sd)
    uppers = _reach(summary.upper, summary.mcse_upper, summary.sd)
    # Moving an end outwards never brings back an outcome that it has left, so the extremes of both show every change.
    outcomes = {_outcome(lower, upper, summary.rope, null) for lower in lowers for upper in uppers}
    return outcomes.pop() if len(outcomes) == 1 else NOT_RESOLVED


def _reach(end: float, error: float | None, sd: float) -> tuple[float, float]:
    """Return where an end may lie: within 2 of its errors; anywhere if that is not known, unless the quantity is a constant."""
    if error is None:
        error = 0.0 if sd == 0 else math.inf
    return end - 2.0 * error, end + 2.0 * error


def _outcome(lower: float, upper: float, rope: tuple[float, float] | None, null: float) -> Outcome:
    low, high = rope if rope is not None else (null, null)
    if lower > high or upper < low:
        return BEYOND
    if rope is not None and low < lower and upper < high:
        return INSIDE
    return UNDECIDED


def missing_blocks(counts: StageCounts, index: int) -> tuple[str, ...]:
    """Return the blocks in which the cell at `index` has no trial of the stage."""
    totals = counts.totals()[index]
    return tuple(name for side, name in enumerate(("congruent", "incongruent")) if totals[side, 0] == 0)


def not_estimable_reasons(counts: StageCounts) -> dict[Cell, str]:
    """Return, for every cell that lacks a block, the sentence that says what its numbers are worth.

    Parameters
    ----------
    counts : StageCounts
        Trials of the stage; in the shift stage only valid answers count.
    """
    what = "valid answer" if counts.stage == "shift" else "trial"
    reasons = {}
    for index, cell in enumerate(counts.cells):
        missing = missing_blocks(counts, index)
        if missing:
            where = " and no ".join(f"{what} in the {block} block" for block in missing)
            reasons[cell] = (
                f"{cell} has no {where}: the effect is not estimable, and its numbers are those of the prior "
                f"{'alone' if len(missing) == 2 else 'for that block'}."
            )
    return reasons


@dataclass(frozen=True)
class Bound:
    """Data for the wording "bounded by" of a cell whose answers were all of one kind in both blocks.

    Parameters
    ----------
    kind : {"all consistent", "all inconsistent"}
        What was observed; in the validity stage, all valid or none valid.
    lower, upper : float
        Interval ends of the effect: what bounds it.
    bound : float
        The larger of their absolute values.
    n_congruent, n_incongruent : int
        Trials behind it.
    rule_of_three : float
        3 / n of the smaller block: the classical 95 % upper bound of a probability after n trials without an event.
    """

    kind: Literal["all consistent", "all inconsistent", "all valid", "none valid"]
    lower: float
    upper: float
    bound: float
    n_congruent: int
    n_incongruent: int
    rule_of_three: float


def bounded_by(counts: StageCounts, index: int, lower: float, upper: float) -> Bound | None:
    """Return the wording data of a fully separated cell, None where some answer differed or a block is empty.

    Parameters
    ----------
    counts : StageCounts
        Trials and successes of the stage.
    index : int
        Position of the cell.
    lower, upper : float
        Interval ends of the effect, probability scale.

    References
    ----------
    Hanley and Lippman-Hand 1983, doi 10.1001/jama.1983.03330370053031 (rule of three).
    """
    (n_c, k_c), (n_i, k_i) = (tuple(int(v) for v in side) for side in counts.totals()[index])
    if n_c == 0 or n_i == 0:
        return None
    words: tuple[Literal["all valid", "all consistent"], Literal["none valid", "all inconsistent"]] = (
        ("all valid", "none valid") if counts.stage == "validity" else ("all consistent", "all inconsistent")
    )
    if (k_c, k_i) == (n_c, n_i):
        kind: Literal["all consistent", "all inconsistent", "all valid", "none valid"] = words[0]
    elif (k_c, k_i) == (0, 0):
        kind = words[1]
    else:
        return None
    return Bound(kind, lower, upper, max(abs(lower), abs(upper)), n_c, n_i, 3.0 / min(n_c, n_i))
