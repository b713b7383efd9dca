"""Wasserstein-1: how far probability has to travel from the scores of the base to those of the variant."""

from __future__ import annotations

import numpy as np

from judgestats.estimands.scores.posterior_draws import Array
from judgestats.estimands.scores.score_shift import cumulative_gap


def wasserstein1(base: Array, variant: Array, points: Array) -> Array:
    """Return sum over k of |F_base(k) - F_variant(k)| (x_(k+1) - x_k).

    Unit: score points in [0, width of the scale]; at least |score shift|, and equal to it where the cue moves all scores
    one way. It has no sign and is above 0 for any two estimates: the same of a neutral note belongs beside it.

    Parameters
    ----------
    base, variant : ndarray, dims (..., level)
        Level probabilities; they broadcast.
    points : ndarray, dims (level,)
        Scores of the levels, ascending.

    References
    ----------
    Ramdas, Garcia Trillos and Cuturi 2017, doi 10.3390/e19020047.
    """
    return np.asarray(np.sum(np.abs(cumulative_gap(base, variant)) * np.diff(points), axis=-1))
