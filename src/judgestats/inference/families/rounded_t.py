"""Rounded-t family: a paired difference in steps of the scale, student-t rounded to a step, truncated, 0 left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.score_patterns import ScorePatterns

Array = NDArray[np.float64]

POINTS = 8
"""Gauss-Legendre points of one step: errors of a log-probability below 1e-4 for scales from 0.25 and nu from 2 on."""


def allowed_differences(outcomes: int) -> NDArray[np.bool_]:
    """Return which differences a base score allows, dims (base, difference from -(outcomes - 1) on); never 0."""
    difference = np.arange(-(outcomes - 1), outcomes)
    base = np.arange(outcomes)[:, None]
    return np.asarray((difference >= -base) & (difference <= outcomes - 1 - base) & (difference != 0))


def difference_log_probability(location: Any, scale: Any, nu: Any, outcomes: int, xp: Any = np) -> tuple[Any, Any]:
    """Return the log mass of every rounded difference and what each base score allows of it.

    The mass of a step is the integral of the density over it, not a difference of two distribution functions, so it keeps
    its digits in the tails. log P(d | base) = mass(d) - total(base).

    Parameters
    ----------
    location, scale : array_like, dims (...)
        Of the difference before rounding, steps of the scale.
    nu : array_like, dims ()
        Degrees of freedom.
    outcomes : int
        Levels of the scale.
    xp : module
        NumPy or jax.numpy.

    Returns
    -------
    mass : array, dims (..., difference)
        Nats, without the constant of the density; differences from -(outcomes - 1) on, 0 included.
    total : array, dims (..., base)
        Log of the mass that each base score allows.
    """
    points, weights = np.polynomial.legendre.leggauss(POINTS)
    at = np.arange(-(outcomes - 1), outcomes)[:, None] + points / 2
    x = (at - xp.asarray(location)[..., None, None]) / xp.asarray(scale)[..., None, None]
    density = xp.exp(-0.5 * (nu + 1.0) * xp.log1p(x * x / nu))
    # A difference far from every location has no mass left in float64; it must not become a NaN gradient.
    mass = xp.maximum(density @ (weights / 2), 1e-300)
    return xp.log(mass), xp.log(mass @ allowed_differences(outcomes).T.astype(np.float64))


WIDTH = 16
"""Columns of counts are filled up to a multiple of this, so that cells of near size share a compiled program."""


def difference_counts(patterns: Sequence[ScorePatterns], outcomes: int, padded: int) -> list[dict[str, Array]]:
    """Return the counts that the likelihood of each cell needs.

    Parameters
    ----------
    patterns : sequence of ScorePatterns
        Collapsed items of each cell.
    outcomes : int
        Levels of the scale.
    padded : int
        Patterns to pad to; a padding pattern counts no item.

    Returns
    -------
    list of dict of str to ndarray
        ``move_at`` (move,) and ``moves`` (pattern, move): variant x difference combinations that occur, as flat
        positions, and the trials of one item; ``start_at`` and ``starts``, the same for variant x base; ``items``
        (pattern,): how many items; ``levels`` (level,): zeros, for the number of levels.
    """
    differences = 2 * outcomes - 1
    made = []
    for one in patterns:
        move = one.variant * differences + one.outcome + outcomes - 1
        start = one.variant * outcomes + one.base
        made.append((one, *np.unique(move, return_inverse=True), *np.unique(start, return_inverse=True)))
    moves = WIDTH * -(-max(len(m[1]) for m in made) // WIDTH)
    starts = WIDTH * -(-max(len(m[3]) for m in made) // WIDTH)
    out = []
    for one, move_at, move, start_at, start in made:
        data: dict[str, Array] = {
            "move_at": np.pad(move_at, (0, moves - len(move_at))),
            "moves": np.zeros((padded, moves)),
            "start_at": np.pad(start_at, (0, starts - len(start_at))),
            "starts": np.zeros((padded, starts)),
            "items": np.pad(one.count.astype(np.float64), (0, padded - one.size)),
            "levels": np.zeros(outcomes),
        }
        np.add.at(data["moves"], (one.pattern, move.ravel()), one.trials)
        np.add.at(data["starts"], (one.pattern, start.ravel()), one.trials)
        out.append(data)
    return out


def node_terms(values: Mapping[str, Any], data: Mapping[str, Any], z: Array, xp: Any = np) -> tuple[Any, Any]:
    """Return the log-likelihood of one cell, apart from the integral over item effects.

    Parameters
    ----------
    values : mapping
        ``effect`` (variant,), ``scale`` (variant,) and ``sigma_item`` (), steps of the scale; ``nu`` ().
    data : mapping
        From `difference_counts`.
    z : ndarray, dims (node,)
        Item effects in standard deviations.
    xp : module
        NumPy or jax.numpy.

    Returns
    -------
    constant : float
        0: every part depends on the item effect.
    terms : array, dims (pattern, node)
        Log-likelihood of one item of each pattern at each item effect.
    """
    location = values["effect"][:, None] + values["sigma_item"] * z
    scale = xp.broadcast_to(values["scale"][:, None], location.shape)
    mass, total = difference_log_probability(location, scale, values["nu"], data["levels"].shape[0], xp)
    # Dims (variant, node, ...) become (variant x ..., node).
    of_move = xp.moveaxis(mass, 1, 2).reshape(-1, z.size)[data["move_at"]]
    of_start = xp.moveaxis(total, 1, 2).reshape(-1, z.size)[data["start_at"]]
    return 0.0, data["moves"] @ of_move - data["starts"] @ of_start
