"""Log-odds effect: the block effect on the log-odds scale, which the ceiling does not compress."""

from __future__ import annotations

from scipy.special import logit

from judgestats.estimands.probabilities import Array, BlockProbabilities


def log_odds(consistent: BlockProbabilities) -> Array:
    """Return logit P(consistent | congruent, valid) - logit P(consistent | incongruent, valid).

    Unit: log-odds, unbounded. Reference: the incongruent block. For the typical item it equals the parameter beta;
    the marginal version, from probabilities with the item effects integrated out, is smaller.

    Parameters
    ----------
    consistent : BlockProbabilities
        P(consistent | valid) by block, inside (0, 1).
    """
    difference: Array = logit(consistent.congruent) - logit(consistent.incongruent)
    return difference
