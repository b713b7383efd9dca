"""Cohen's d: the score shift in units of the pooled sd of base and variant."""

from __future__ import annotations

import numpy as np

from judgestats.estimands.scores.posterior_draws import Array
from judgestats.estimands.scores.score_shift import score_shift
from judgestats.estimands.scores.spread_shift import score_sd


def cohens_d(base: Array, variant: Array, points: Array) -> Array:
    """Return score shift / sqrt((sd_base^2 + sd_variant^2) / 2).

    Unit: standard deviations of scores. Reference: the base. NaN where neither distribution has any spread.

    Parameters
    ----------
    base, variant : ndarray, dims (..., level)
        Level probabilities.
    points : ndarray, dims (level,)
        Scores of the levels.

    References
    ----------
    Cohen 1988, "Statistical Power Analysis for the Behavioral Sciences", 2nd ed., section 2.2.
    """
    pooled = np.sqrt((score_sd(base, points) ** 2 + score_sd(variant, points) ** 2) / 2.0)
    shift = score_shift(base, variant, points)
    return np.asarray(np.divide(shift, pooled, out=np.full(np.shape(shift), np.nan), where=pooled > 0))
