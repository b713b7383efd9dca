"""Score shift: how far a cue moves the mean score."""

from __future__ import annotations

import numpy as np

from judgestats.estimands.scores.posterior_draws import Array


def mean_score(levels: Array, points: Array) -> Array:
    """Return the mean of a distribution of scores, sum of p_k x_k, in score points.

    Parameters
    ----------
    levels : ndarray, dims (..., level)
        Level probabilities.
    points : ndarray, dims (level,)
        Scores of the levels.
    """
    return np.asarray(levels @ points)


def score_shift(base: Array, variant: Array, points: Array) -> Array:
    """Return E(score | variant, valid) - E(score | base, valid).

    Unit: score points, within plus or minus the width of the scale. Reference: the base. It is summed by parts,
    sum of (F_base(k) - F_variant(k)) (x_(k+1) - x_k), so that Wasserstein-1 bounds it in floating point too.

    Parameters
    ----------
    base, variant : ndarray, dims (..., level)
        Level probabilities of the base and of the variant; they broadcast.
    points : ndarray, dims (level,)
        Scores of the levels, ascending.
    """
    return np.asarray(np.sum(cumulative_gap(base, variant) * np.diff(points), axis=-1))


def cumulative_gap(base: Array, variant: Array) -> Array:
    """Return F_base - F_variant at every level but the last, where both are 1; dims (..., level - 1)."""
    return np.asarray(np.cumsum(base - variant, axis=-1)[..., :-1])
