"""Validity difference: how far the loss of answers depends on the block."""

from __future__ import annotations

from judgestats.estimands.probabilities import Array, BlockProbabilities


def validity_difference(valid: BlockProbabilities) -> Array:
    """Return P(valid | congruent) - P(valid | incongruent).

    Unit: difference of probabilities in [-1, 1]. Reference: the incongruent block. Positive: more answers are lost in
    the incongruent block.

    Parameters
    ----------
    valid : BlockProbabilities
        P(valid) by block.
    """
    return valid.congruent - valid.incongruent
