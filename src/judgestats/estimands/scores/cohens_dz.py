"""Cohen's dz: the mean paired difference in units of its own sd."""

from __future__ import annotations

import numpy as np

from judgestats.estimands.scores.posterior_draws import Array
from judgestats.estimands.scores.score_shift import mean_score
from judgestats.estimands.scores.spread_shift import score_sd


def cohens_dz(differences: Array, points: Array) -> Array:
    """Return E(difference) / sd(difference).

    Unit: standard deviations of differences. Reference: the base of the same item. NaN where every difference is the same.

    Parameters
    ----------
    differences : ndarray, dims (..., difference)
        Distribution of the paired difference, variant minus base.
    points : ndarray, dims (difference,)
        The differences in score points.

    References
    ----------
    Cohen 1988, "Statistical Power Analysis for the Behavioral Sciences", 2nd ed., section 2.3.5.
    """
    mean, sd = mean_score(differences, points), score_sd(differences, points)
    return np.asarray(np.divide(mean, sd, out=np.full(np.shape(mean), np.nan), where=sd > 0))
