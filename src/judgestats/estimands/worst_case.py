"""Worst-case bounds: how far Delta P could go if the lost answers were all of the one or of the other kind."""

from __future__ import annotations

from judgestats.estimands.probabilities import Array, BlockProbabilities


def worst_case_high(valid: BlockProbabilities, both: BlockProbabilities) -> Array:
    """Return Delta P with lost congruent answers counted consistent and lost incongruent answers inconsistent.

    Unit: difference of probabilities in [-1, 1]. Reference: the incongruent block. With P(consistent | valid) of .97
    and .93 and 30 % lost in both blocks: .7 x .97 + .3 - .7 x .93 = .328.

    Parameters
    ----------
    valid : BlockProbabilities
        P(valid) by block.
    both : BlockProbabilities
        P(valid and consistent) by block.

    References
    ----------
    Manski 1990, "Nonparametric bounds on treatment effects", American Economic Review 80(2).
    """
    return both.congruent + (1.0 - valid.congruent) - both.incongruent


def worst_case_low(valid: BlockProbabilities, both: BlockProbabilities) -> Array:
    """Return Delta P with lost congruent answers counted inconsistent and lost incongruent answers consistent.

    The mirror image of `worst_case_high`; same unit and reference. With P(consistent | valid) of .97 and .93 and 30 %
    lost in both blocks: .7 x .97 - (.7 x .93 + .3) = -.272.

    Parameters
    ----------
    valid : BlockProbabilities
        P(valid) by block.
    both : BlockProbabilities
        P(valid and consistent) by block.
    """
    return both.congruent - (both.incongruent + (1.0 - valid.incongruent))
