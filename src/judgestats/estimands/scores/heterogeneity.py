"""Heterogeneity: how far judges differ in what one cue does to them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judgestats.estimands.scores.posterior_draws import Array


def heterogeneity(shifts: Sequence[Array]) -> Array:
    """Return the sd over judges of a cue's score shift, per draw: sqrt(sum of (shift_j - mean)^2 / (J - 1)).

    Unit: score points, not negative. It is the sd of these judges' shifts, not of a population of judges, and the
    uncertainty of each shift widens it: judges that are equal show more than 0.

    Parameters
    ----------
    shifts : sequence of ndarray, dims (chain, draw)
        Score shifts of at least two judges, paired by index.
    """
    if len(shifts) < 2:
        raise ValueError(f"heterogeneity needs at least two judges, got {len(shifts)}")
    return np.std(np.stack(shifts), axis=0, ddof=1)
