"""Rank: the place of every judge in the order of one effect within a domain."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from judgestats.estimands.probabilities import Array


def rank(effects: Array) -> Array:
    """Return the rank of every judge in every draw; rank 1 is the largest effect.

    Unit: rank in [1, judges]; ties share their mean rank, so the ranks of a draw always add to n (n + 1) / 2.
    Reference: all judges of the domain. The order is that of the signed effect: rank 1 follows the association most.

    Parameters
    ----------
    effects : ndarray, dims (judge, chain, draw)
        Draws of the effect of every judge in one domain, paired by index.

    Returns
    -------
    ndarray, dims (judge, chain, draw)
        Ranks.
    """
    return np.asarray(rankdata(-effects, method="average", axis=0), dtype=np.float64)


def rank_probabilities(ranks: Array) -> Array:
    """Return P(judge has rank r), dims (judge, rank); a rank shared by ties is split evenly over the places it covers.

    Parameters
    ----------
    ranks : ndarray, dims (judge, chain, draw)
        Ranks from `rank`.
    """
    judges = ranks.shape[0]
    flat = ranks.reshape(judges, -1)
    places = np.arange(1, judges + 1)
    # Draws with ties are rare; a mean rank of t tied judges covers the t places around it.
    shares = np.zeros((judges, judges))
    for place in places:
        tied = np.stack([(flat == flat[j]).sum(axis=0) for j in range(judges)])
        covered = np.abs(flat - place) <= (tied - 1) / 2
        shares[:, place - 1] = (covered / tied).mean(axis=1)
    return shares
