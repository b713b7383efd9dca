"""Falsification result: where the observed effect sits among refits under permuted labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Falsification:
    """Permutation falsification of one cell under one scheme.

    Parameters
    ----------
    judge, domain : str
        The cell.
    scheme : {"within_item", "between_items", "between_clusters", "within_judge"}
        How labels were permuted.
    statistic : str
        ``posterior_mean_delta_p`` or ``raw_difference`` (where one refit takes over 0.1 s).
    observed, raw_observed : float
        Statistic of the observed data and the raw conditional difference, probability scale.
    null : ndarray, dims (permutation,)
        Statistic of every permuted refit, the whole distribution; for an enumeration, one value per distinct outcome.
    null_weights : ndarray, dims (permutation,)
        1/m for Monte Carlo, exact probabilities for an enumeration.
    permutations : int
        m, refits asked for (0 when enumerated).
    distinct : int
        How many of them were distinct data sets.
    failed : int
        Refits that failed; counted, never dropped (p is then an upper bound).
    p_value, p_lower, p_upper : float
        Two-sided p, twice the smaller one-sided (b + 1)/(m + 1), with its 95 % Monte Carlo interval; exact when enumerated.
    smallest_p : float
        The smallest p the design can reach.
    p_max : float or None
        p of the smallest p over cells (the maximum statistic on the scale of p).
    enumerated : bool
        Whether all distinct outcomes were enumerated.
    notes : tuple of str
        Sentences for the page, e.g. why interval and p disagree.
    """

    judge: str
    domain: str
    scheme: str
    statistic: str
    observed: float
    raw_observed: float
    null: NDArray[np.float64]
    null_weights: NDArray[np.float64]
    permutations: int
    distinct: int
    failed: int
    p_value: float
    p_lower: float
    p_upper: float
    smallest_p: float
    p_max: float | None
    enumerated: bool
    notes: tuple[str, ...] = ()
