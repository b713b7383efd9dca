"""Multiplicity: how sure one can be of several claims at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgestats.checks.effect_summary import delta_draws, fit_summary
from judgestats.draws.fit import StageFit
from judgestats.trials.cell import Cell

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointSigns:
    """Probability that every claimed sign is right.

    Parameters
    ----------
    cells : tuple of Cell
        The claimed cells.
    signs : tuple of int
        The sign claimed for each, +1 or -1.
    each : tuple of float
        Probability of each claim by itself.
    all_right : float
        Probability that all of them hold together.
    joint : bool
        Whether it came from joint draws (cells that share parameters) or, the cells being fitted apart and hence
        independent given the data, from the product of the single probabilities.
    """

    cells: tuple[Cell, ...]
    signs: tuple[int, ...]
    each: tuple[float, ...]
    all_right: float
    joint: bool

    def sentence(self) -> str:
        """Return the probability in words."""
        if not self.cells:
            return "No cell is claimed, so there is no joint claim to weigh."
        how = "joint draws" if self.joint else "cells fitted apart, so a product"
        names = "; ".join(f"{c} {'above' if s > 0 else 'below'} 0" for c, s in zip(self.cells, self.signs, strict=True))
        claims = f"The signs of all {len(self.cells)} claims ({names})"
        return f"{claims} are right with probability {self.all_right:.3f} ({how})."


def joint_signs(fit: StageFit, claimed: Sequence[Cell], *, shared: bool) -> JointSigns:
    """Return the probability that the marginal difference of every claimed cell has the sign that is claimed.

    The claimed sign is that of the posterior median. Single probabilities of many cells do not add up to one claim:
    with ten cells at .97 each, all ten signs are right with probability .74 at best.

    Parameters
    ----------
    fit : StageFit
        Posterior of the shift stage (or of the validity stage, for claims about validity).
    claimed : sequence of Cell
        Cells about which something is claimed, e.g. those whose outcome is beyond the ROPE.
    shared : bool
        Whether the cells share parameters: pooled cells, or judges with shared items.

    Raises
    ------
    ValueError
        If a claimed cell was not fitted.
    """
    cells = tuple(claimed)
    missing = [str(cell) for cell in cells if cell not in fit.counts.cells]
    if missing:
        raise ValueError(f"claimed cells were not fitted: {', '.join(missing)}")
    indices = [fit.counts.cells.index(cell) for cell in cells]
    if shared:
        draws = [delta_draws(fit, index) for index in indices]
        signs = tuple(1 if np.median(values) >= 0 else -1 for values in draws)
        right = [_right(values, sign) for values, sign in zip(draws, signs, strict=True)]
        together = float(np.prod(right, axis=0).mean()) if right else 1.0
        return JointSigns(cells, signs, tuple(float(r.mean()) for r in right), together, True)
    above = [fit_summary(fit, index, ci_prob=0.95, ci_kind="eti", rope=None).p_gt_0 for index in indices]
    probabilities = [0.5 if p is None else p for p in above]
    signs = tuple(1 if p >= 0.5 else -1 for p in probabilities)
    each = tuple(p if sign > 0 else 1.0 - p for p, sign in zip(probabilities, signs, strict=True))
    return JointSigns(cells, signs, each, float(np.prod(each)), False)


def _right(values: Array, sign: int) -> Array:
    """Return 1 where a draw has the sign, 1/2 where it is exactly 0, dims (chain, draw)."""
    return np.asarray((sign * values > 0) + 0.5 * (values == 0), dtype=np.float64)
