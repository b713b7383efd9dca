"""Cumulative-logit family: levels of a declared scale as neighbouring pairs of logistic terms; two levels are Bernoulli."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgestats.inference.score_patterns import ScorePatterns

Array = NDArray[np.float64]


def softplus(x: Any, xp: Any = np) -> Any:
    """Return log(1 + exp(x)) without overflow, of the array library `xp`."""
    return xp.maximum(x, 0.0) + xp.log1p(xp.exp(-xp.abs(x)))


def level_log_probability(threshold: ArrayLike, eta: ArrayLike) -> Array:
    """Return log P(level | eta) of every level.

    log[F(a) - F(b)] = log F(a) + log F(-b) + log(1 - exp(-(a - b))) with a, b the thresholds above and below minus eta: it
    never passes through a probability, so it is right at thresholds of 40 and beyond.

    Parameters
    ----------
    threshold : array_like, dims (threshold,)
        Increasing thresholds, P(level <= k) = expit(threshold_k - eta), logits.
    eta : array_like, dims (...)
        Latent score, logits.

    Returns
    -------
    ndarray, dims (..., level)
        Log-probabilities, nats.
    """
    cuts = np.asarray(threshold, dtype=np.float64)
    distance = cuts - np.asarray(eta, dtype=np.float64)[..., None]
    out = np.zeros((*distance.shape[:-1], cuts.size + 1))
    out[..., :-1] -= softplus(-distance)
    out[..., 1:] -= softplus(distance)
    out[..., 1:-1] += log_gap(cuts)
    return out


def log_gap(threshold: Any, xp: Any = np) -> Any:
    """Return log(1 - exp(-(threshold_k - threshold_(k-1)))) of every inner level, dims (..., level - 2)."""
    # Where thresholds coincide the level has no probability; a distance of 1e-300 keeps gradients finite there.
    distance = xp.maximum(threshold[..., 1:] - threshold[..., :-1], 1e-300)
    return xp.log(-xp.expm1(-distance))


def logit_counts(patterns: ScorePatterns, variants: int, outcomes: int, padded: int) -> dict[str, Array]:
    """Return the counts that the likelihood of one cell needs.

    A trial at level k gives one term at the threshold above (it lies below) and one at the threshold below (it lies
    above), so a level is counted at each threshold that borders on it, as two Bernoulli trials.

    Parameters
    ----------
    patterns : ScorePatterns
        Collapsed items.
    variants, outcomes : int
        Number of variants and of levels.
    padded : int
        Patterns to pad to; a padding pattern counts no item.

    Returns
    -------
    dict of str to ndarray
        ``both`` (pattern, column): trials of one item that border on a column, variant x threshold; ``rank`` (pattern,):
        terms below; ``below`` (column,) and ``inner`` (level - 2,): totals over items; ``items`` (pattern,): how many
       .
    """
    table = np.zeros((padded, variants, outcomes))
    np.add.at(table, (patterns.pattern, patterns.variant, patterns.outcome), patterns.trials)
    items = np.pad(patterns.count.astype(np.float64), (0, padded - patterns.size))
    total = np.tensordot(items, table, axes=1)
    return {
        "both": (table[..., :-1] + table[..., 1:]).reshape(padded, -1),
        "rank": table[..., :-1].sum(axis=(1, 2)),
        "below": total[:, :-1].reshape(-1),
        "inner": total[:, 1:-1].sum(axis=0),
        "items": items,
    }


def node_terms(values: Mapping[str, Any], data: Mapping[str, Any], z: Array, xp: Any = np) -> tuple[Any, Any]:
    """Return the log-likelihood of one cell, apart from the integral over item effects.

    Parameters
    ----------
    values : mapping
        ``threshold`` (threshold,), ``effect`` (variant,) and ``sigma_item`` (), logits.
    data : mapping
        From `logit_counts`.
    z : ndarray, dims (node,)
        Item effects in standard deviations.
    xp : module
        NumPy or jax.numpy.

    Returns
    -------
    constant : array, dims ()
        What no item effect enters, nats.
    terms : array, dims (pattern, node)
        Log-likelihood of one item of each pattern at each item effect, without its part in `constant`.
    """
    column = (values["threshold"][None, :] - values["effect"][:, None]).reshape(-1)
    u = values["sigma_item"] * z
    constant = xp.sum(data["below"] * column) + xp.sum(data["inner"] * log_gap(values["threshold"], xp))
    terms = -data["rank"][:, None] * u - data["both"] @ softplus(column[:, None] - u, xp)
    return constant, terms
