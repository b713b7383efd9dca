"""Averages over domains: one judge's effect over the observed domains, or in a new domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from judgestats.estimands.probabilities import Array


def average_observed(effects: Sequence[Array]) -> Array:
    """Return the mean of an effect over the observed domains, each with equal weight whatever its number of trials.

    Unit and range: those of the effect. It speaks about these domains only.

    Parameters
    ----------
    effects : sequence of ndarray, dims (chain, draw)
        Draws of the effect in each domain, paired by index.
    """
    if not effects:
        raise ValueError("an average over domains needs at least one domain")
    return np.mean(np.stack(effects), axis=0)


def new_domain_coefficient(mean: Array, judge: Array, scales: Mapping[str, Array], rng: np.random.Generator) -> Array:
    """Return a coefficient (alpha or beta) of one judge in a domain that was not observed.

    coefficient = mean + judge's deviation + N(0, tau_domain) + N(0, tau_cell), with one independent draw of the new
    domain's deviations per posterior draw. Exists only where cells were partially pooled: unpooled cells say nothing
    about a new one.

    Parameters
    ----------
    mean : ndarray, dims (chain, draw)
        Overall mean of the coefficient, log-odds scale.
    judge : ndarray, dims (chain, draw)
        The judge's deviation from it.
    scales : mapping of str to ndarray, dims (chain, draw)
        Standard deviations that a new domain brings: over domains and over judge x domain cells.
    rng : numpy.random.Generator
        Source of the new deviations.
    """
    total = mean + judge
    for name in sorted(scales):
        total = total + scales[name] * rng.standard_normal(total.shape)
    return total
