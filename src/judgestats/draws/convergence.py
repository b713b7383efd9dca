"""Convergence: R-hat, bulk and tail effective draws of many quantities in one pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from judgestats.draws import arviz

Array = NDArray[np.float64]
BLOCK = 512
"""Quantities at once, which bounds the memory."""
SHORT = 4
"""ArviZ refuses shorter chains."""
TAILS = (0.05, 0.95)


class Convergence(NamedTuple):
    """Diagnostics of chains, each of the dims of the draws after (chain, draw)."""

    rhat: Array
    ess_bulk: Array
    ess_tail: Array


def convergence(values: ArrayLike) -> Convergence:
    """Return what `arviz.rhat`, `arviz.ess_bulk` and `arviz.ess_tail` return, in about half the time.

    R-hat and the bulk effective draws use the same normal scores of the ranks; here they are computed once, for many
    quantities together.

    Parameters
    ----------
    values : array_like, dims (chain, draw, ...)
        Draws.

    Returns
    -------
    Convergence
        R-hat is NaN for a single chain and for a constant.

    References
    ----------
    Vehtari et al. 2021, doi 10.1214/20-BA1221.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim < 2:
        raise ValueError(f"diagnostics need dims (chain, draw, ...), got an array with {array.ndim} dims")
    flat = array.reshape(*array.shape[:2], -1)
    blocks = [_of_block(flat[..., i : i + BLOCK]) for i in range(0, flat.shape[2], BLOCK)]
    parts = zip(*(blocks or [Convergence(*np.zeros((3, 0)))]), strict=True)
    return Convergence(*(np.concatenate(part).reshape(array.shape[2:]) for part in parts))


def _of_block(flat: Array) -> Convergence:
    chains, draws = flat.shape[:2]
    if chains < 2 or draws < 2 * SHORT:
        return Convergence(arviz.rhat(flat), arviz.ess_bulk(flat), arviz.ess_tail(flat))
    # Quantities first, so that the draws of one lie side by side in memory.
    rows = np.ascontiguousarray(np.moveaxis(flat, 2, 0))
    half = draws // 2
    split = np.concatenate([rows[..., :half], rows[..., -half:]], axis=1)
    bulk = _normal_scores(split)
    folded = _normal_scores(np.abs(split - np.median(split, axis=(1, 2), keepdims=True)))
    tails = [split <= q[:, None, None] for q in np.quantile(rows, TAILS, axis=(1, 2))]
    return Convergence(
        rhat=np.maximum(*(arviz.rhat_of_chains(np.moveaxis(part, 0, 2)) for part in (bulk, folded))),
        ess_bulk=arviz.ess_of_chains(np.moveaxis(bulk, 0, 2)),
        ess_tail=np.minimum(*(arviz.ess_of_chains(np.moveaxis(part, 0, 2)) for part in tails)),
    )


def _normal_scores(split: Array) -> Array:
    """Return the normal scores of the ranks of each quantity over all its chains, ties averaged; same dims."""
    rows = split.reshape(len(split), -1)
    size = rows.shape[1]
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    # A chain that stays where it is repeats a value; equal values share the mean of the first and the last of their ranks.
    place = np.arange(size, dtype=np.int32)
    rises = np.diff(ordered, axis=1) > 0
    first, last = np.zeros(rows.shape, dtype=np.int32), np.full(rows.shape, size - 1, dtype=np.int32)
    first[:, 1:] = np.maximum.accumulate(np.where(rises, place[1:], 0), axis=1)
    last[:, :-1] = np.minimum.accumulate(np.where(rises, place[:-1], size - 1)[:, ::-1], axis=1)[:, ::-1]
    # Blom's offset of 3/8, as in ArviZ; ranks from 1 in steps of a half.
    scores = ndtri((1 + np.arange(2 * size - 1) / 2 - 0.375) / (size + 0.25))
    out = np.empty_like(rows)
    np.put_along_axis(out, order, scores[first + last], axis=1)
    return out.reshape(split.shape)
