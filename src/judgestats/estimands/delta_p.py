"""Delta P: how far the block moves the judge, given a valid answer."""

from __future__ import annotations

from judgestats.estimands.probabilities import Array, BlockProbabilities


def delta_p(consistent: BlockProbabilities) -> Array:
    """Return P(consistent | congruent, valid) - P(consistent | incongruent, valid).

    Unit: difference of probabilities in [-1, 1]. Reference: the incongruent block. Positive: the judge follows the
    association.

    Parameters
    ----------
    consistent : BlockProbabilities
        P(consistent | valid) by block.

    References
    ----------
    arXiv:2606.14117.
    """
    return consistent.congruent - consistent.incongruent
