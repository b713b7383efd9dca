"""Valid and consistent: both stages together, the share of all trials that were answered validly and consistently."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from judgestats.estimands.probabilities import Array, BlockProbabilities, linear_predictors, total_sd
from judgestats.inference.quadrature import logistic_normal_mean, standard_normal_nodes


def valid_and_consistent(valid: BlockProbabilities, consistent: BlockProbabilities) -> BlockProbabilities:
    """Return P(valid and consistent | block) where item effects are independent across the stages.

    Unit: probability in [0, 1], by block. Reference: none; its difference over blocks has the incongruent block as
    reference.

    Parameters
    ----------
    valid, consistent : BlockProbabilities
        P(valid) and P(consistent | valid) by block, draw i of one belonging to draw i of the other.
    """
    return BlockProbabilities(valid.congruent * consistent.congruent, valid.incongruent * consistent.incongruent)


def valid_and_consistent_correlated(
    valid: Mapping[str, ArrayLike], consistent: Mapping[str, ArrayLike], rho: ArrayLike, nodes: int = 41
) -> BlockProbabilities:
    """Return P(valid and consistent | block) of a new item whose effects correlate across the stages.

    With (U, V) bivariate normal, E[expit(a + U) expit(b + V)] is integrated over U, and V given U is normal with mean
    rho s_V / s_U U. Cluster effects and block slopes stay independent across the stages, so the correlation of the
    whole deviations is rho sigma_U sigma_V / (s_U s_V), s being the total sd.

    Parameters
    ----------
    valid, consistent : mapping
        Parameters of the two stages as in `judgestats.estimands.probabilities.marginal`.
    rho : array_like
        Correlation of an item's effects, in [-1, 1].
    nodes : int
        Quadrature nodes of the outer integral.
    """
    sd_valid, sd_consistent = total_sd(valid), total_sd(consistent)
    shared = np.asarray(rho) * np.asarray(valid["sigma_item"]) * np.asarray(consistent["sigma_item"])
    scale = sd_valid * sd_consistent
    whole = np.divide(shared, scale, out=np.zeros(np.shape(shared)), where=scale > 0)
    rest = sd_consistent * np.sqrt(np.clip(1.0 - whole**2, 0.0, 1.0))
    pairs = zip(_predictors(valid), _predictors(consistent), strict=True)
    congruent, incongruent = (_integrate(a, b, sd_valid, whole * sd_consistent, rest, nodes) for a, b in pairs)
    return BlockProbabilities(congruent, incongruent)


def _predictors(parameters: Mapping[str, ArrayLike]) -> tuple[Array, Array]:
    return linear_predictors(parameters["alpha"], parameters["beta"])


def _integrate(first: Array, second: Array, sd_first: Array, slope: Array, rest: Array, nodes: int) -> Array:
    total = np.zeros(np.broadcast_shapes(first.shape, second.shape))
    for z, weight in zip(*standard_normal_nodes(nodes), strict=True):
        total += weight * expit(first + sd_first * z) * logistic_normal_mean(second + slope * z, rest, nodes)
    return total


def valid_and_consistent_difference(both: BlockProbabilities) -> Array:
    """Return P(valid and consistent | congruent) - P(valid and consistent | incongruent), in [-1, 1]."""
    return both.congruent - both.incongruent
