"""Score levels: probabilities of the levels of a scale under a latent score, and of whole steps away from a level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from judgestats.trials.table import Score

Floats = NDArray[np.float64]

MAX_STEEPNESS = 50.0
"""Largest ratio of item sd to noise that the nodes below resolve.

A logistic curve of steepness r in z is analytic within pi / r of the real line, so a trapezium rule of spacing h errs by
about exp(-2 pi^2 / (r h)): h = .009 and r = 50 give 1e-19. What is cut off beyond 9 standard deviations weighs 2e-19.
"""
_NODES = 2001
_REACH = 9.0


def cutpoints(scale: Score) -> Floats:
    """Return the boundaries between neighbouring levels, midway between them, score points, dims (level - 1,)."""
    levels = np.array(scale.levels)
    return np.asarray((levels[1:] + levels[:-1]) / 2)


def standard_nodes(sd: float) -> tuple[Floats, Floats]:
    """Return nodes and weights of a standard normal, dims (node,); one node where the effect has no spread."""
    if sd == 0:
        return np.zeros(1), np.ones(1)
    z = np.linspace(-_REACH, _REACH, _NODES)
    weight = np.exp(-(z**2) / 2)
    return z, weight / weight.sum()


def ordinal_levels(latent: Floats, noise: float, scale: Score) -> Floats:
    """Return P(level | latent score), dims (latent, level): logistic noise, rounded to the nearest level of the scale.

    Parameters
    ----------
    latent : ndarray, dims (latent,)
        Latent score, score points; may lie outside the scale.
    noise : float
        Scale of the logistic noise, score points.
    scale : Score
        The scale.
    """
    below = expit((cutpoints(scale)[None, :] - latent[:, None]) / noise)
    edges = np.concatenate([np.zeros((len(latent), 1)), below, np.ones((len(latent), 1))], axis=1)
    return np.asarray(np.diff(edges, axis=1))


def base_levels(level: float, item_sd: float, scale: Score) -> Floats:
    """Return P(level) of a normal latent score without noise, rounded to the nearest level, dims (level,)."""
    cuts = cutpoints(scale)
    if item_sd == 0:
        return np.asarray(np.eye(len(cuts) + 1)[latent_level(np.array([level]), scale)[0]])
    return np.asarray(np.diff(np.concatenate([[0.0], ndtr((cuts - level) / item_sd), [1.0]])))


def latent_level(latent: Floats, scale: Score) -> NDArray[np.int64]:
    """Return the index of the level nearest to each latent score, dims as given; beyond an end it is that end."""
    return np.searchsorted(cutpoints(scale), latent, side="left").astype(np.int64)


def greedy_steps(steps: Sequence[int], shares: Sequence[float], moved: float, levels: int) -> Floats:
    """Return P(level of the variant | level of the base) of a greedy judge, dims (base level, variant level).

    A share `moved` of the items of any level moves, by one of `steps` that stays on the scale; the shares of those are
    scaled to 1. From a level that allows none of them nothing moves.
    """
    out = np.zeros((levels, levels))
    for base in range(levels):
        inside = [(base + step, share) for step, share in zip(steps, shares, strict=True) if 0 <= base + step < levels]
        total = sum(share for _, share in inside)
        out[base, base] = 1.0 - moved if inside else 1.0
        for level, share in inside:
            out[base, level] += moved * share / total
    return out
