"""Conditional effects: random effects drawn from their distribution given the parameters and the answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from judgestats.inference.collapsed import CollapsedRows
from judgestats.inference.families.bernoulli_logit import log_likelihood
from judgestats.inference.quadrature import REACH

Array = NDArray[np.float64]
Index = NDArray[np.int64]

COARSE = 65
FINE = 65
CHUNK = 1_000_000  # density evaluations held at once, which bounds memory
ALIVE = 25.0  # nats below the peak at which a conditional density is taken as zero


def unit_effects(rows: CollapsedRows, fixed: Array, sigma: Array, of_unit: Index, uniforms: Array) -> Array:
    """Return the standard effect of every unit given its answers.

    Parameters
    ----------
    rows : CollapsedRows
        Patterns of answers.
    fixed : ndarray, dims (draw, row)
        Linear predictor of each row of a pattern without the effect, log-odds scale.
    sigma : ndarray, dims (draw, pattern)
        Standard deviation of the effect, log-odds scale.
    of_unit : ndarray, dims (unit,)
        Pattern of each unit; -1 for a unit without a trial, whose effect is drawn from N(0, 1).
    uniforms : ndarray, dims (draw, unit)
        Uniform numbers in (0, 1), one per effect.

    Returns
    -------
    ndarray, dims (draw, unit)
        Effects on the standard normal scale.
    """
    z = np.asarray(ndtri(uniforms))
    seen = np.flatnonzero(of_unit >= 0)
    if not seen.size:
        return z
    starts = np.searchsorted(rows.pattern, np.arange(len(rows.count)))
    width = max(1, CHUNK // (COARSE * max(1, len(rows.pattern))))
    for start in range(0, len(z), width):
        part = slice(start, start + width)

        def likelihood(nodes: Array, part: slice = part) -> Array:
            spread = np.broadcast_to(sigma[part, :, None] * nodes, (*sigma[part].shape, nodes.shape[2]))
            eta = fixed[part, :, None] + spread[:, rows.pattern]
            terms = log_likelihood(rows.successes[:, None], rows.trials[:, None], eta)
            return np.asarray(np.add.reduceat(terms, starts, axis=1))

        z[part, seen] = standard_effects(likelihood, of_unit[seen], uniforms[part][:, seen])
    return z


def standard_effects(
    log_likelihood_at: Callable[[Array], Array], which: Index, uniforms: Array, single_grid: int = 0
) -> Array:
    """Return standard normal effects drawn from their conditional distribution by inversion on a grid.

    The log density of a conditional is its log-likelihood minus z^2 / 2, which is concave: one coarse grid finds
    where it is alive, a second one covers that range. Between nodes the density is linear, and the distribution
    function is inverted exactly.

    Parameters
    ----------
    log_likelihood_at : callable
        Takes effects z, dims (draw, pattern, node) or (1, 1, node), and returns log-likelihoods, dims
        (draw, pattern, node).
    which : ndarray, dims (unit,)
        Pattern of each unit; units of one pattern share their conditional, not their draw.
    uniforms : ndarray, dims (draw, unit)
        Uniform numbers in (0, 1).
    single_grid : int
        When positive, one grid of so many nodes over [-8, 8] instead of two: for likelihoods that are costly to
        evaluate and conditionals that are not narrow.

    Returns
    -------
    ndarray, dims (draw, unit)
        Effects on the standard normal scale.
    """
    nodes = single_grid or COARSE
    coarse = np.linspace(-REACH, REACH, nodes)
    density = log_likelihood_at(coarse[None, None]) - 0.5 * coarse**2
    low, high = np.full(density.shape[:2], -REACH), np.full(density.shape[:2], REACH)
    grid = np.broadcast_to(coarse, density.shape)
    if not single_grid:
        alive = density > density.max(axis=2, keepdims=True) - ALIVE
        low = coarse[np.maximum(alive.argmax(axis=2) - 1, 0)]
        high = coarse[np.minimum(nodes - alive[:, :, ::-1].argmax(axis=2), nodes - 1)]
        nodes = FINE
        grid = low[..., None] + (high - low)[..., None] * np.linspace(0.0, 1.0, nodes)
        density = log_likelihood_at(grid) - 0.5 * grid**2
    density = np.exp(density - density.max(axis=2, keepdims=True))
    cumulative = np.zeros_like(density)
    np.cumsum(density[:, :, 1:] + density[:, :, :-1], axis=2, out=cumulative[:, :, 1:])
    step = (high - low) / (nodes - 1)
    out = np.empty_like(uniforms)
    draws = np.arange(len(uniforms))
    for unit, p in enumerate(which):
        target = uniforms[:, unit] * cumulative[:, p, -1]
        left = np.clip((cumulative[:, p] <= target[:, None]).sum(axis=1) - 1, 0, nodes - 2)
        mass = target - cumulative[draws, p, left]
        share = _invert_linear(density[draws, p, left], density[draws, p, left + 1], mass)
        out[:, unit] = grid[draws, p, left] + share * step[:, p]
    return out


def _invert_linear(left: Array, right: Array, mass: Array) -> Array:
    """Return t in [0, 1] where 2 left t + (right - left) t^2 = mass: the inverse of a linear density's integral."""
    slope = right - left
    root = np.sqrt(np.maximum(left**2 + slope * mass, 0.0))
    # The stable form of the quadratic's root; it holds for slope 0 as well.
    total = left + root
    return np.clip(np.divide(mass, total, out=np.zeros_like(mass), where=total > 0), 0.0, 1.0)
