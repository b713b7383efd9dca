"""Consistency: the probability that a valid answer of one block is task-consistent."""

from __future__ import annotations

from judgestats.estimands.probabilities import Array, BlockProbabilities


def consistency(consistent: BlockProbabilities, block: str) -> Array:
    """Return P(consistent | valid, block).

    Unit: probability in [0, 1]. Reference: none, a level.

    Parameters
    ----------
    consistent : BlockProbabilities
        P(consistent | valid) by block.
    block : {"congruent", "incongruent"}
        The block.
    """
    return consistent.block(block)
