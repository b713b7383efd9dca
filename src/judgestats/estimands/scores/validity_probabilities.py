"""Validity probabilities: P(1) of a Bernoulli stage of a score model for a new item, by variant."""

from __future__ import annotations

import numpy as np
import xarray as xr

from judgestats.draws.score_fit import ScoreFit
from judgestats.estimands.scores.posterior_draws import MOST_DRAWS, Array, coordinates, parameters
from judgestats.inference.quadrature import logistic_normal_mean


def bernoulli_probabilities(fit: ScoreFit, *, version: str = "marginal", most: int = MOST_DRAWS) -> xr.DataArray:
    """Return P(valid | variant), or P(moved | variant) of the paired model, of a new item.

    P = E_u[expit(alpha + beta_v + u)], u ~ N(0, sigma_item^2). Unit: probability in [0, 1].

    Parameters
    ----------
    fit : ScoreFit
        Stage of family ``bernoulli_logit``.
    version : {"marginal", "typical_item"}
        Item effect integrated out, or 0.
    most : int
        Most draws.

    Returns
    -------
    xarray.DataArray, dims (chain, draw, cell, variant)
        NaN where a cell has no trial of a variant.
    """
    theta = parameters(fit, most)
    eta = theta["alpha"][..., None] + theta["effect"]
    sigma = np.broadcast_to(theta["sigma_item"][..., None], eta.shape)
    values: Array = np.full(eta.shape, np.nan)
    known = np.isfinite(eta) & np.isfinite(sigma)
    scale = sigma[known] if version == "marginal" else np.zeros(int(known.sum()))
    values[known] = logistic_normal_mean(eta[known], scale)
    return xr.DataArray(values, dims=("chain", "draw", "cell", "variant"), coords=coordinates(fit))
