"""Cue multiplicity: how sure one can be of the signs of several shifts at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgestats.checks.shift_rows import Place, ShiftDraws

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CueSigns:
    """Probability that every claimed sign is right.

    Parameters
    ----------
    places : tuple of Place
        The claimed shifts (judge, domain, cue, polarity, estimand).
    signs : tuple of int
        The sign claimed for each, +1 or -1: that of the posterior median.
    each : tuple of float
        Probability of each claim by itself.
    all_right : float
        Probability that all of them hold together.
    expected_wrong : float
        How many of them are wrong on average, the sum of 1 - `each`.
    """

    places: tuple[Place, ...]
    signs: tuple[int, ...]
    each: tuple[float, ...]
    all_right: float
    expected_wrong: float

    def sentence(self) -> str:
        """Return the probability in words."""
        if not self.places:
            return "No shift is claimed, so there is no joint claim to weigh."
        return (
            f"The signs of all {len(self.places)} claimed shifts are right with probability {self.all_right:.3f}; "
            f"{self.expected_wrong:.2f} of them are wrong on average."
        )


def cue_signs(draws: ShiftDraws, claimed: Sequence[Place], *, shared: bool) -> CueSigns:
    """Return the probability that every claimed shift has the sign that is claimed.

    The variants of a cell share their base, so their signs are taken from joint draws. Cells that were fitted apart are
    independent given the data, and their probabilities multiply; cells that share parameters are taken jointly too.

    Parameters
    ----------
    draws : ShiftDraws
        Posterior shift; asymmetries may be claimed as well.
    claimed : sequence of Place
        Shifts about which something is claimed, e.g. those whose outcome is beyond the ROPE.
    shared : bool
        Whether cells share parameters (partial pooling).

    Raises
    ------
    ValueError
        If a claimed shift has no draws.
    """
    known = dict(draws.effects(asymmetry=True))
    bad = [" ".join(p) for p in claimed if p not in known or not np.isfinite(known[p]).all()]
    if bad:
        raise ValueError(f"claimed shifts have no draws: {', '.join(bad)}")
    signs = tuple(1 if np.median(known[p]) >= 0 else -1 for p in claimed)
    right = [_right(known[p], sign) for p, sign in zip(claimed, signs, strict=True)]
    groups: dict[tuple[str, ...], list[Array]] = defaultdict(list)
    for place, values in zip(claimed, right, strict=True):
        groups[() if shared else place[:2]].append(values)
    together = float(np.prod([np.prod(values, axis=0).mean() for values in groups.values()])) if right else 1.0
    each = tuple(float(values.mean()) for values in right)
    return CueSigns(tuple(claimed), signs, each, together, float(sum(1.0 - p for p in each)))


def _right(values: Array, sign: int) -> Array:
    """Return 1 where a draw has the sign, 1/2 where it is exactly 0, dims (chain, draw)."""
    return np.asarray((sign * values > 0) + 0.5 * (values == 0), dtype=np.float64)
