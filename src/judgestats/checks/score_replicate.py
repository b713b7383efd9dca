"""Score replicates: scores, and paired differences, that a fitted model would have produced in the same design."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, stdtr, stdtrit

from judgestats.checks.replicate import Replicates
from judgestats.checks.score_item_effects import item_effect_draws
from judgestats.draws.score_fit import ScoreFit
from judgestats.trials.score_rows import ScoreRows

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Design:
    """The trials, or pairs, of one cell written out one by one, dims (trial,).

    Parameters
    ----------
    items, variants : int
        How many there are.
    item, variant, outcome : ndarray
        Codes of each trial and what was observed.
    base : ndarray or None
        Level of the base of each pair.
    """

    items: int
    variants: int
    item: Index
    variant: Index
    outcome: Index
    base: Index | None

    @classmethod
    def of(cls, rows: ScoreRows) -> Design:
        """Return the design of rows of one cell."""
        spread = [
            None if c is None else np.repeat(c, rows.count) for c in (rows.item, rows.variant, rows.outcome, rows.base)
        ]
        item, variant, outcome, base = spread
        assert item is not None
        assert variant is not None
        assert outcome is not None
        return cls(len(rows.items[0]), len(rows.variants), item, variant, outcome, base)


def replicated_levels(
    fit: ScoreFit, index: int, draws: int, rng: np.random.Generator, *, replicates: Replicates = "new items"
) -> Iterator[Index]:
    """Yield a level for every valid trial of a cell, one replicate a draw, dims (trial,).

    A level is the number of thresholds below effect + u + a standard logistic number, u ~ N(0, sigma_item) one per item.

    Parameters
    ----------
    fit : ScoreFit
        Stage ``shift`` of family ``cumulative_logit``.
    index : int
        Position of the cell.
    draws : int
        Replicates, from evenly spaced draws.
    rng : numpy.random.Generator
        Source of randomness.
    replicates : {"new items", "same items"}
        Whether u is drawn afresh in each replicate, or is that of the observed items, given their scores.
    """
    rows = fit.rows.select(index)
    design = Design.of(rows)
    theta = _of_cell(fit, index, draws)
    if replicates == "same items":
        effects = item_effect_draws(rows, theta, rng)
    else:
        effects = (rng.normal(0.0, sigma, design.items) for sigma in theta["sigma_item"])
    for threshold, effect, u in zip(theta["threshold"], theta["effect"], effects, strict=True):
        latent = effect[design.variant] + u[design.item]
        yield np.searchsorted(threshold, latent + rng.logistic(size=latent.size), side="left").astype(np.int64)


def replicated_differences(
    moved: ScoreFit, shift: ScoreFit, index: int, draws: int, rng: np.random.Generator
) -> Iterator[Index]:
    """Yield a difference in steps for every pair of a cell, one replicate a draw, dims (pair,); items are new in each.

    Parameters
    ----------
    moved, shift : ScoreFit
        Stages of the paired model; stage ``moved`` holds every pair with the level of its base. A variant none of whose pairs
        moved has no location; its replicates that move get that of the other variants' mean.
    index, draws, rng : int, int, numpy.random.Generator
        As in `replicated_levels`.
    """
    design, levels = Design.of(moved.rows.select(index)), shift.rows.outcomes
    assert design.base is not None
    first, second = _of_cell(moved, index, draws), _of_cell(shift, index, draws)
    known = np.isfinite(second["effect"][0])
    for d in range(len(first["alpha"])):
        u = rng.normal(0.0, first["sigma_item"][d], design.items)[design.item]
        at = np.flatnonzero(rng.random(u.size) < expit(first["alpha"][d] + first["effect"][d][design.variant] + u))
        out = np.zeros(u.size, dtype=np.int64)
        if at.size and known[1:].any():
            effect, scale = (_filled(second[name][d], known) for name in ("effect", "scale"))
            w = rng.normal(0.0, second["sigma_item"][d], design.items)[design.item[at]]
            variant = design.variant[at]
            location = effect[variant] + w
            out[at] = rounded_t(location, scale[variant], float(second["nu"][d]), design.base[at], levels, rng)
        yield out


def rounded_t(location: Array, scale: Array, nu: float, base: Index, levels: int, rng: np.random.Generator) -> Index:
    """Return nonzero differences: a Student t rounded to whole steps, given that it is not 0 and that the base allows it.

    Drawn by inversion on the two allowed stretches, below -1/2 and above +1/2.

    Parameters
    ----------
    location, scale : ndarray, dims (pair,)
        In steps.
    nu : float
        Degrees of freedom.
    base : ndarray, dims (pair,)
        Level of the base, 0 .. levels - 1.
    levels : int
        Levels of the scale.
    rng : numpy.random.Generator
        Source of randomness.
    """
    # Mirrored so that the location is not positive: the nearer stretch is then the lower tail, where T keeps its digits.
    mirror = location > 0
    centre = np.where(mirror, -location, location)
    lowest = np.where(mirror, base - (levels - 1), -base)
    highest = lowest + levels - 1
    edges = [stdtr(nu, (e - centre) / scale) for e in (lowest - 0.5, -0.5)]
    upper = [stdtr(nu, (centre - e) / scale) for e in (0.5, highest + 0.5)]
    below = np.where(lowest < 0, edges[1] - edges[0], 0.0)
    above = np.where(highest > 0, upper[0] - upper[1], 0.0)
    u = rng.random(location.size) * (below + above)
    down = (u < below) | (above <= 0)
    x_down = centre + scale * stdtrit(nu, np.clip(edges[0] + u, 1e-300, 1 - 1e-16))
    x_up = centre - scale * stdtrit(nu, np.clip(upper[0] - (u - below), 1e-300, 1 - 1e-16))
    step = np.where(down, np.clip(np.rint(x_down), lowest, -1), np.clip(np.rint(x_up), 1, highest))
    return np.asarray(np.where(mirror, -step, step), dtype=np.int64)


def _of_cell(fit: ScoreFit, index: int, draws: int) -> dict[str, Array]:
    """Return parameters of one cell at evenly spaced draws, dims (draw, ...)."""
    size = fit.posterior.sizes["chain"] * fit.posterior.sizes["draw"]
    kept = np.unique(np.linspace(0, size - 1, min(draws, size)).round().astype(np.int64))
    found = {}
    for name in ("alpha", "effect", "sigma_item", "threshold", "scale", "nu"):
        if name in fit.posterior:
            values = np.asarray(fit.posterior[name].transpose("chain", "draw", "cell", ...).values, dtype=np.float64)
            found[name] = values[:, :, index].reshape(size, *values.shape[3:])[kept]
    return found


def _filled(values: Array, known: NDArray[np.bool_]) -> Array:
    """Return values by variant with those of variants that never moved replaced by the mean of the others."""
    usable = known.copy()
    usable[0] = False
    return np.where(usable, values, values[usable].mean())
