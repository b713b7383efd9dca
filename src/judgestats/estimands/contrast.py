"""Contrast: the difference of one effect between two judges in a domain, or between two domains of a judge."""

from __future__ import annotations

from numpy.typing import NDArray

from judgestats.estimands.probabilities import Array


def contrast(effect: NDArray, reference: NDArray) -> Array:  # type: ignore[type-arg]
    """Return the difference of an effect between two cells, draw by draw.

    Unit: that of the effect; for differences of probabilities in [-2, 2]. Reference: the second cell.

    Parameters
    ----------
    effect, reference : ndarray, dims (chain, draw)
        Draws of the effect in the two cells, paired by index. Cells that were fitted jointly keep their correlation
        so.
    """
    difference: Array = effect - reference
    return difference
