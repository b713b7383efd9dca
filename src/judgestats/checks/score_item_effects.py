"""Score item effects: effects of the observed items of an ordinal stage, drawn given its parameters and their scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import log_expit

from judgestats.trials.score_rows import ScoreRows

Array = NDArray[np.float64]
REACH, NODES = 6.0, 121


def item_effect_draws(rows: ScoreRows, parameters: dict[str, Array], rng: np.random.Generator) -> Iterator[Array]:
    """Yield the effects of the items of one cell, one set a draw, dims (item,).

    The density of u given the scores, N(u; 0, sigma^2) prod_trials P(level | u), is tabulated on 121 nodes over 6 standard
    deviations either way and inverted, linear between nodes.

    Parameters
    ----------
    rows : ScoreRows
        Rows of one cell of stage ``shift`` of the ordinal model.
    parameters : dict of str to ndarray, dims (draw, ...)
        ``threshold``, ``effect`` and ``sigma_item`` of the cell.
    rng : numpy.random.Generator
        Source of randomness.
    """
    items, levels = len(rows.items[0]), rows.outcomes
    answers = csr_array(
        (rows.count.astype(np.float64), (rows.item, rows.variant * levels + rows.outcome)),
        shape=(items, len(rows.variants) * levels),
    )
    z = np.linspace(-REACH, REACH, NODES)
    each = zip(parameters["threshold"], parameters["effect"], parameters["sigma_item"], strict=True)
    for threshold, effect, sigma in each:
        known = np.nan_to_num(effect)  # a variant without a trial has no answer to weigh
        table = level_log_probabilities(threshold, known[:, None] + sigma * z).reshape(-1, NODES)
        log_density = answers @ table - 0.5 * z * z
        density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
        below = np.cumsum((density[:, 1:] + density[:, :-1]) / 2, axis=1)
        below = np.concatenate([np.zeros((items, 1)), below], axis=1)
        target = rng.random((items, 1)) * below[:, -1:]
        right = np.clip((below <= target).sum(axis=1), 1, NODES - 1)
        left, at = right - 1, np.arange(items)
        width = np.maximum(below[at, right] - below[at, left], 1e-300)
        yield np.asarray(sigma * (z[left] + (target[:, 0] - below[at, left]) / width * (z[1] - z[0])))


def level_log_probabilities(threshold: Array, location: Array) -> Array:
    """Return log P(level) of an ordinal model, dims (variant, level, node), from locations, dims (variant, node)."""
    x = threshold[None, :, None] - location[:, None, :]
    below, above = log_expit(x), log_expit(-x)
    gap = np.log(-np.expm1(-np.diff(threshold)))[None, :, None]
    return np.concatenate([below[:, :1], below[:, 1:] + above[:, :-1] + gap, above[:, -1:]], axis=1)
