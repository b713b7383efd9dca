"""Validity: the probability that a trial of one block is answered validly."""

from __future__ import annotations

from judgestats.estimands.probabilities import Array, BlockProbabilities


def validity(valid: BlockProbabilities, block: str) -> Array:
    """Return P(valid | block).

    Unit: probability in [0, 1]. Reference: none, a level.

    Parameters
    ----------
    valid : BlockProbabilities
        P(valid) by block.
    block : {"congruent", "incongruent"}
        The block.
    """
    return valid.block(block)
