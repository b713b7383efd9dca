"""Replicates: counts that the model would have produced in the same design."""

from __future__ import annotations

from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import expit

from judgestats.checks.cell_draws import CellDraws, cell_draws
from judgestats.inference.coordinates import cell_coordinates
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]
Replicates = Literal["new items", "same items"]


def replicate_cell(
    draws: CellDraws,
    counts: StageCounts,
    rng: np.random.Generator,
    *,
    item_effects: Array | None = None,
    cluster_effects: Array | None = None,
) -> Array:
    """Return replicated successes of every row of one cell.

    Parameters
    ----------
    draws : CellDraws
        Parameters, one replicate per draw.
    counts : StageCounts
        Counts of one cell; only the design (rows and trials) is used.
    rng : numpy.random.Generator
        Source of randomness.
    item_effects : ndarray, dims (draw, row), optional
        Effect of each row's item, log-odds scale, for replicates of the same items. Without it every replicate draws
        new items, one independent effect per item and draw, from N(0, sigma_item).
    cluster_effects : ndarray, dims (draw, row), optional
        The same for clusters.

    Returns
    -------
    ndarray, dims (draw, row)
    """
    eta = draws.eta(counts.block)
    size = draws.alpha.size
    items = len(counts.items[0])
    if item_effects is None:
        eta = eta + (draws.sigma_item[:, None] * rng.standard_normal((size, items)))[:, counts.item]
    else:
        eta = eta + item_effects
    if draws.sigma_slope is not None:
        slopes = draws.sigma_slope[:, None] * rng.standard_normal((size, items))
        eta = eta + counts.block * slopes[:, counts.item]
    if cluster_effects is not None:
        eta = eta + cluster_effects
    elif draws.sigma_cluster is not None and counts.cluster is not None and counts.clusters is not None:
        shocks = rng.standard_normal((size, len(counts.clusters[0])))
        eta = eta + (draws.sigma_cluster[:, None] * shocks)[:, counts.cluster]
    return np.asarray(rng.binomial(counts.trials, expit(eta)), dtype=np.float64)


def replicated_totals(posterior: xr.Dataset, counts: StageCounts, rng: np.random.Generator) -> xr.DataArray:
    """Return replicated successes by cell and block, new items and clusters in every replicate.

    Parameters
    ----------
    posterior : xarray.Dataset, dims (chain, draw, cell)
        Parameters from the prior or from the posterior.
    counts : StageCounts
        The design.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    xarray.DataArray, dims (chain, draw, cell, block)
        Counts; a cell and block without trials holds 0 of 0.
    """
    shape = (posterior.sizes["chain"], posterior.sizes["draw"])
    out = np.zeros((*shape, len(counts.cells), 2), dtype=np.int64)
    for index, cell in enumerate(counts.cells):
        one = counts.select(index)
        made = replicate_cell(cell_draws(posterior, cell, index), one, rng)
        for position, side in enumerate((one.block > 0, one.block < 0)):
            out[:, :, index, position] = made[:, side].sum(axis=1).reshape(shape)
    coordinates = {
        "chain": posterior["chain"].values,
        "draw": posterior["draw"].values,
        **cell_coordinates(counts.cells),
        "block": np.array(["congruent", "incongruent"]),
    }
    return xr.DataArray(out, dims=("chain", "draw", "cell", "block"), coords=coordinates, name="successes")


def design_cells(counts: StageCounts) -> tuple[tuple[int, Cell, StageCounts], ...]:
    """Return position, name and counts of every cell."""
    return tuple((i, cell, counts.select(i)) for i, cell in enumerate(counts.cells))
