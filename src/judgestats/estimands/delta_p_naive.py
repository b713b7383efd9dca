"""Naive Delta P: what an analysis finds that counts invalid answers as inconsistent."""

from __future__ import annotations

from judgestats.estimands.probabilities import Array, BlockProbabilities


def delta_p_naive(both: BlockProbabilities) -> Array:
    """Return Delta P with every invalid answer counted inconsistent.

    An invalid answer then never counts as consistent, so P(consistent) becomes P(valid) P(consistent | valid) in each
    block: the same number as the difference of P(valid and consistent), under the name that says what the rule does.
    A judge that refuses in one block only gets a large naive Delta P without any bias in its valid answers.

    Unit: difference of probabilities in [-1, 1]. Reference: the incongruent block.

    Parameters
    ----------
    both : BlockProbabilities
        P(valid and consistent) by block.
    """
    return both.congruent - both.incongruent
