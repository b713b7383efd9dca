"""Spread shift: how far a cue widens or narrows the distribution of scores."""

from __future__ import annotations

import numpy as np

from judgestats.estimands.scores.posterior_draws import Array
from judgestats.estimands.scores.score_shift import mean_score


def score_sd(levels: Array, points: Array) -> Array:
    """Return the sd of a distribution, sqrt(sum of p_k (x_k - mean)^2), in score points.

    Parameters
    ----------
    levels : ndarray, dims (..., level)
        Level probabilities.
    points : ndarray, dims (level,)
        Scores of the levels.
    """
    mean = mean_score(levels, points)
    return np.asarray(np.sqrt(np.sum(levels * (points - mean[..., None]) ** 2, axis=-1)))


def spread_shift(base: Array, variant: Array, points: Array) -> Array:
    """Return sd(score | variant, valid) - sd(score | base, valid).

    Unit: score points, within plus or minus half the width of the scale. Reference: the base. Near an end of the scale a
    shift narrows the spread by itself.

    Parameters
    ----------
    base, variant : ndarray, dims (..., level)
        Level probabilities.
    points : ndarray, dims (level,)
        Scores of the levels.
    """
    return score_sd(variant, points) - score_sd(base, points)
