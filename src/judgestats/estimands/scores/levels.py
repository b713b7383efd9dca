"""Levels: the distribution of the score of a new item under an ordinal model, by variant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xarray as xr

from judgestats.draws.score_fit import ScoreFit
from judgestats.estimands.scores.posterior_draws import MOST_DRAWS, Array, labelled, parameters
from judgestats.inference.quadrature import node_count, standard_normal_nodes

_BLOCK = 120_000  # numbers of one block of draws x nodes x levels, so that it stays in a processor's cache
_FARTHEST = 340.0  # two factors of this exponent multiply to a finite number
_TYPICAL = (np.zeros(1), np.ones(1))


@dataclass(frozen=True, eq=False)
class ItemLevels:
    """Level probabilities of one cell given the item effect, on quadrature nodes, for a block of draws.

    Parameters
    ----------
    draws : slice
        Which draws, of all chains in a row.
    variant : int
        Position of the variant.
    probability : ndarray, dims (draw, node, level)
        P(level | item effect).
    weight : ndarray, dims (node,)
        Quadrature weights; they add to 1.
    """

    draws: slice
    variant: int
    probability: Array
    weight: Array


def level_probabilities(fit: ScoreFit, *, version: str = "marginal", most: int = MOST_DRAWS) -> xr.DataArray:
    """Return P(level | variant, valid) of a new item, per draw.

    P(level k) = E_u[expit(theta_k - beta_v - u) - expit(theta_(k-1) - beta_v - u)], u ~ N(0, sigma_item^2), each difference
    in the form of a product, so that no level far in a tail loses its digits. Unit: probability; the levels add to 1.

    Parameters
    ----------
    fit : ScoreFit
        Stage ``shift`` of family ``cumulative_logit``.
    version : {"marginal", "typical_item"}
        Item effect integrated out by quadrature, or 0.
    most : int
        Most draws.

    Returns
    -------
    xarray.DataArray, dims (chain, draw, cell, variant, level)
        NaN where a cell has no valid trial of a variant.
    """
    theta = parameters(fit, most)
    chains, draws, cells, variants = theta["effect"].shape
    levels = theta["threshold"].shape[-1] + 1
    out = np.full((cells, variants, chains * draws, levels), np.nan)
    for cell in range(cells):
        for block in item_levels(theta, cell, version):
            out[cell, block.variant, block.draws] = np.einsum("q,dql->dl", block.weight, block.probability)
    shaped = out.reshape(cells, variants, chains, draws, levels)
    return labelled(np.moveaxis(shaped, (0, 1), (2, 3)), fit, "level")


def item_levels(theta: dict[str, Array], cell: int, version: str) -> Iterator[ItemLevels]:
    """Yield the level probabilities of one cell on quadrature nodes, variant by variant within blocks of draws.

    Parameters
    ----------
    theta : dict of str to ndarray
        Parameters of a ``cumulative_logit`` fit, from `parameters`.
    cell : int
        Position of the cell.
    version : {"marginal", "typical_item"}
        Which item effects.
    """
    threshold = theta["threshold"][:, :, cell].reshape(-1, theta["threshold"].shape[-1])
    effect = theta["effect"][:, :, cell].reshape(threshold.shape[0], -1)
    sigma = theta["sigma_item"][:, :, cell].reshape(-1)
    if not np.isfinite(threshold).all():
        return
    z, weight = item_nodes(sigma, version)
    gap = -np.expm1(-np.diff(threshold, axis=1))  # 1 - exp(theta_(k-1) - theta_k), dims (draw, inner level)
    size = max(1, _BLOCK // (z.size * threshold.shape[1]))
    for start in range(0, threshold.shape[0], size):
        part = slice(start, start + size)
        exponent = threshold[part, None, :] - (sigma[part, None] * z)[:, :, None]
        away = np.exp(-np.clip(exponent, -_FARTHEST, _FARTHEST))
        for variant in range(effect.shape[1]):
            if np.isfinite(effect[part, variant]).all():
                shift = np.exp(np.clip(effect[part, variant], -_FARTHEST, _FARTHEST))
                yield ItemLevels(part, variant, _probabilities(away * shift[:, None, None], gap[part]), weight)


def item_nodes(sigma: Array, version: str) -> tuple[Array, Array]:
    """Return quadrature nodes on the standard normal scale and their weights; one node at 0 for the typical item."""
    if version == "typical_item":
        return _TYPICAL
    if version != "marginal":
        raise ValueError(f"version must be marginal or typical_item, got {version!r}")
    return standard_normal_nodes(min(node_count(float(sigma.max(initial=0.0)), 0.0), 201))


def _probabilities(odds: Array, gap: Array) -> Array:
    """Return P(level), dims (draw, node, level), from the odds of lying above each threshold.

    expit(b) - expit(a) = expit(b) (1 - expit(a)) (1 - exp(a - b)): three positive factors.
    """
    below = 1.0 / (1.0 + odds)
    above = odds * below
    out = np.empty((*odds.shape[:2], odds.shape[2] + 1))
    out[..., 0] = below[..., 0]
    out[..., -1] = above[..., -1]
    np.multiply(below[..., 1:], above[..., :-1], out=out[..., 1:-1])
    out[..., 1:-1] *= gap[:, None, :]
    return out
