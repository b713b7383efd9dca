"""Asymmetry: what is left when the two polarities of a cue are added."""

from __future__ import annotations

from judgestats.estimands.scores.posterior_draws import Array


def asymmetry(positive: Array, negative: Array) -> Array:
    """Return score shift of the positive polarity + score shift of the negative one.

    Unit: score points, within plus or minus twice the width of the scale. 0 where both polarities move the score equally
    far in opposite directions; negative where the harm outweighs the gain. An end of the scale makes asymmetry too: it
    belongs beside the same on items with room both ways.

    Parameters
    ----------
    positive, negative : ndarray, dims (chain, draw)
        Score shifts of the two polarities, paired by index.
    """
    return positive + negative
