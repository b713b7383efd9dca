"""Error ratio: how many times more often a valid answer errs in the incongruent block."""

from __future__ import annotations

from judgestats.estimands.probabilities import Array, BlockProbabilities


def error_ratio(consistent: BlockProbabilities) -> Array:
    """Return P(inconsistent | incongruent, valid) / P(inconsistent | congruent, valid).

    Unit: ratio in (0, inf). Reference: the congruent block; 1 is no effect, above 1 more errors in the incongruent
    block, the direction in which Delta P is positive. Exchanging the blocks inverts it. Its posterior has a long
    right tail, so read the median and the interval before the mean.

    Parameters
    ----------
    consistent : BlockProbabilities
        P(consistent | valid) by block, below 1.
    """
    return (1.0 - consistent.incongruent) / (1.0 - consistent.congruent)
