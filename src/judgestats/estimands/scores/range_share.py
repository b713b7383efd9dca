"""Range share: the score shift as a share of the scale, the index on which biases of any scale compare."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from judgestats.estimands.scores.posterior_draws import Array


def range_share(shift: Array, width: float) -> Array:
    """Return score shift / (highest - lowest score).

    Unit: share of the range in [-1, 1]. Reference: the base.

    Parameters
    ----------
    shift : ndarray
        Score shift, score points.
    width : float
        Width of the scale, score points.
    """
    return shift / width


def cue_rank(shifts: Array) -> Array:
    """Return the rank of every variant of a judge by the size of its shift; rank 1 moves the score most, either way.

    Unit: rank in [1, variants]; ties share their mean rank.

    Parameters
    ----------
    shifts : ndarray, dims (variant, chain, draw)
        Score shifts, or shares of the range, of the variants of one judge, paired by index.
    """
    return np.asarray(rankdata(-np.abs(shifts), method="average", axis=0), dtype=np.float64)
