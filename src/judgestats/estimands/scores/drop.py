"""Drop: how often a cue costs an answer at least one or two score points."""

from __future__ import annotations

import numpy as np

from judgestats.estimands.scores.posterior_draws import Array

_ROUNDING = 1e-9


def drop(differences: Array, points: Array, by: float) -> Array:
    """Return P(difference <= -`by`): drop_1 with `by` = 1, drop_2 with `by` = 2.

    Unit: probability in [0, 1]. Reference: the base of the same item.

    Parameters
    ----------
    differences : ndarray, dims (..., difference)
        Distribution of the paired difference, variant minus base, base scores as observed.
    points : ndarray, dims (difference,)
        The differences in score points.
    by : float
        Score points, positive.
    """
    return np.asarray(differences[..., points <= -by + _ROUNDING].sum(axis=-1))
