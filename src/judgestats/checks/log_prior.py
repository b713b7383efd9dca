"""Log prior: density of the top-level parameters at every draw, by parameter."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.spec.model import StageSpec

Array = NDArray[np.float64]


def log_prior(stage: StageSpec, posterior: xr.Dataset) -> xr.Dataset:
    """Return the log prior density of every top-level parameter.

    Only parameters whose prior is stated count: coefficients of cells apart, common means and the standard
    deviations. The distribution of item and cluster effects given their sd, and of pooled cells given their mean,
    belongs to the model: scaling it would say how much the hierarchy matters, not the prior.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    posterior : xarray.Dataset, dims (chain, draw, ...)
        Draws, link scale.

    Returns
    -------
    xarray.Dataset, dims (chain, draw, ...)
        One variable per parameter, named like it; natural logs. Pooled coefficients appear as ``mu_alpha`` and
        ``mu_beta``.

    Raises
    ------
    KeyError
        If the posterior lacks a parameter of the stage.
    """
    found: dict[str, xr.DataArray] = {}
    for term in stage.terms:
        pooled = {"alpha": stage.pooled("intercept"), "beta": stage.pooled("block")}.get(term.name, ())
        name = f"mu_{term.name}" if pooled else term.name
        values = posterior[name]
        found[name] = xr.DataArray(
            np.asarray(term.prior.log_density(values.values)), dims=values.dims, coords=values.coords
        )
    return xr.Dataset(found)


def cell_log_prior(densities: xr.Dataset, index: int, domain: str) -> Array:
    """Return the log prior of what bears on one cell, dims (chain, draw): its own parameters and those of all cells."""
    parts: list[Array] = []
    for values in densities.data_vars.values():
        part = values.isel(cell=index) if "cell" in values.dims else values
        for dim in [d for d in part.dims if d not in ("chain", "draw")]:
            labels = [str(label) for label in part[dim].values]
            part = part.isel({dim: labels.index(domain)})
        parts.append(np.asarray(part.transpose("chain", "draw").values, dtype=np.float64))
    if not parts:
        raise ValueError("a stage needs at least one parameter with a prior")
    return np.asarray(sum(parts[1:], parts[0]))
