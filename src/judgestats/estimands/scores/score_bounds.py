"""Score bounds: how far the score shift could go if every lost answer had scored at an end of the scale."""

from __future__ import annotations

from judgestats.estimands.scores.posterior_draws import Array


def score_worst_case_low(valid: tuple[Array, Array], mean: tuple[Array, Array], ends: tuple[float, float]) -> Array:
    """Return the score shift with lost answers of the variant at the lowest and those of the base at the highest score.

    [V_v m_v + (1 - V_v) lowest] - [V_b m_b + (1 - V_b) highest] with V = P(valid) and m = E(score | valid). Unit: score
    points, within plus or minus the width of the scale. With V_b = .9, V_v = .8, m_b = 6, m_v = 5 on 1 to 10:
    (.8 x 5 + .2 x 1) - (.9 x 6 + .1 x 10) = -2.2.

    Parameters
    ----------
    valid : tuple of ndarray
        P(valid) of the base and of the variant.
    mean : tuple of ndarray
        Mean valid score of the base and of the variant, score points.
    ends : tuple of float
        Lowest and highest score.

    References
    ----------
    Manski 1990, "Nonparametric bounds on treatment effects", American Economic Review 80(2).
    """
    lowest, highest = ends
    return filled(valid[1], mean[1], lowest) - filled(valid[0], mean[0], highest)


def score_worst_case_high(valid: tuple[Array, Array], mean: tuple[Array, Array], ends: tuple[float, float]) -> Array:
    """Return the score shift with lost answers of the variant at the highest and those of the base at the lowest score.

    The mirror image of `score_worst_case_low`. With V_b = .9, V_v = .8, m_b = 6, m_v = 5 on 1 to 10:
    (.8 x 5 + .2 x 10) - (.9 x 6 + .1 x 1) = .5.
    """
    lowest, highest = ends
    return filled(valid[1], mean[1], highest) - filled(valid[0], mean[0], lowest)


def filled(valid: Array, mean: Array, lost: float) -> Array:
    """Return the mean score of all trials when lost answers score `lost`: V m + (1 - V) lost, score points."""
    return valid * mean + (1.0 - valid) * lost
