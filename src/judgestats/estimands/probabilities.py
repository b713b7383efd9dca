"""Block probabilities: from parameters on the log-odds scale to the probability of success in each block, by version.

Everything here takes and returns arrays of any common shape, so draws and posterior lines go through the same code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from judgestats.inference.quadrature import logistic_normal_mean
from judgestats.trials.counts import CONGRUENT, INCONGRUENT

Array = NDArray[np.float64]
Version = Literal["marginal", "in_sample", "typical_item"]
VERSIONS: tuple[Version, ...] = ("marginal", "in_sample", "typical_item")

INTERCEPT_SDS = ("sigma_item", "sigma_cluster")
SLOPE_SD = "sigma_slope"


@dataclass(frozen=True)
class BlockProbabilities:
    """Probability of success in each block.

    Parameters
    ----------
    congruent, incongruent : ndarray, dims (node,) or (chain, draw)
        Probabilities in [0, 1].
    """

    congruent: Array
    incongruent: Array

    def block(self, name: str) -> Array:
        """Return the probabilities of the block called ``congruent`` or ``incongruent``."""
        if name == "congruent":
            return self.congruent
        if name == "incongruent":
            return self.incongruent
        raise ValueError(f"block must be 'congruent' or 'incongruent', got {name!r}")

    def swapped(self) -> BlockProbabilities:
        """Return the same probabilities with the two blocks exchanged."""
        return BlockProbabilities(self.incongruent, self.congruent)


def linear_predictors(alpha: ArrayLike, beta: ArrayLike) -> tuple[Array, Array]:
    """Return the congruent and the incongruent linear predictor, log-odds scale, block coded +1/2 and -1/2."""
    a, b = np.asarray(alpha, dtype=np.float64), np.asarray(beta, dtype=np.float64)
    return a + CONGRUENT * b, a + INCONGRUENT * b


def total_sd(parameters: Mapping[str, ArrayLike]) -> Array:
    """Return the sd over new items and clusters of the linear predictor within one block, log-odds scale.

    Item and cluster intercepts are independent, so their variances add. A block effect that varies by item with sd
    tau, independently of the intercept, adds +-tau/2 times a standard normal in the two blocks: its variance there is
    tau^2 / 4 in both, so one standard deviation serves both blocks:

        sd = sqrt(sigma_item^2 + sigma_cluster^2 + sigma_slope^2 / 4).

    Parameters
    ----------
    parameters : mapping
        Any of ``sigma_item``, ``sigma_cluster``, ``sigma_slope``; absent ones count 0.
    """
    variance: Array = np.zeros(())
    for name in INTERCEPT_SDS:
        if name in parameters:
            variance = variance + np.asarray(parameters[name], dtype=np.float64) ** 2
    if SLOPE_SD in parameters:
        variance = variance + (CONGRUENT * np.asarray(parameters[SLOPE_SD], dtype=np.float64)) ** 2
    return np.sqrt(variance)


def marginal(parameters: Mapping[str, ArrayLike], nodes: int = 61) -> BlockProbabilities:
    """Return the block probabilities of a new item (and cluster), their effects integrated out.

    Parameters
    ----------
    parameters : mapping
        ``alpha``, ``beta`` and any of ``sigma_item``, ``sigma_cluster``, ``sigma_slope``; arrays of one shape.
    nodes : int
        Quadrature nodes.

    References
    ----------
    Same estimand as ``integrateoutRE`` of the R package brmsmargins.
    """
    congruent, incongruent = linear_predictors(parameters["alpha"], parameters["beta"])
    sd = total_sd(parameters)
    return BlockProbabilities(logistic_normal_mean(congruent, sd, nodes), logistic_normal_mean(incongruent, sd, nodes))


def typical_item(parameters: Mapping[str, ArrayLike]) -> BlockProbabilities:
    """Return the block probabilities of an item (and cluster) whose effects are 0."""
    congruent, incongruent = linear_predictors(parameters["alpha"], parameters["beta"])
    return BlockProbabilities(expit(congruent), expit(incongruent))


def in_sample(
    alpha: ArrayLike, beta: ArrayLike, effects: ArrayLike, slopes: ArrayLike | None = None
) -> BlockProbabilities:
    """Return the block probabilities averaged over the observed units with their own effects.

    Both blocks average over the same units, each with equal weight, so the delta of averages equals the average of
    deltas.

    Parameters
    ----------
    alpha, beta : array_like, dims (chain, draw)
        Intercept and block effect.
    effects : array_like, dims (chain, draw, unit)
        Sum of item and cluster effects of each observed unit (item, or item x cluster), log-odds scale.
    slopes : array_like, dims (chain, draw, unit), optional
        Deviation of the unit's block effect.
    """
    units = unit_probabilities(alpha, beta, effects, slopes)
    return BlockProbabilities(units.congruent.mean(axis=-1), units.incongruent.mean(axis=-1))


def unit_probabilities(
    alpha: ArrayLike, beta: ArrayLike, effects: ArrayLike, slopes: ArrayLike | None = None
) -> BlockProbabilities:
    """Return the block probabilities of every observed unit, dims (chain, draw, unit); see `in_sample`."""
    u = np.asarray(effects, dtype=np.float64)
    s = np.zeros(()) if slopes is None else np.asarray(slopes, dtype=np.float64)
    congruent, incongruent = linear_predictors(alpha, beta)
    return BlockProbabilities(
        expit(congruent[..., None] + u + CONGRUENT * s), expit(incongruent[..., None] + u + INCONGRUENT * s)
    )
