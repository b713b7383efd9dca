"""Prior draws: parameters of every cell drawn from the priors of a stage, shaped like a posterior."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.inference.coordinates import cell_coordinates
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell

Array = NDArray[np.float64]
STANDARD_DEVIATIONS = ("sigma_item", "sigma_cluster", "sigma_slope")


def prior_draws(stage: StageSpec, cells: tuple[Cell, ...], draws: int, seed: Seed) -> xr.Dataset:
    """Draw the parameters of every cell from the priors.

    Partially pooled coefficients are the sum of a common mean, whose prior is that of the coefficient, and
    deviations of the judge, the domain and the cell with their own standard deviations.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    cells : tuple of Cell
        The cells.
    draws : int
        Draws.
    seed : Seed
        Root seed; the stream is ``<stage>/prior``.

    Returns
    -------
    xarray.Dataset, dims (chain, draw, cell)
        One chain; ``alpha``, ``beta`` and the active standard deviations, log-odds scale.
    """
    rng = seed.generator(f"{stage.name}/prior")
    values = {name: _coefficient(stage, name, cells, draws, rng) for name in ("alpha", "beta")}
    for name in STANDARD_DEVIATIONS:
        if stage.has(name):
            term = stage.term(name)
            shared = term.factors == ("domain",)
            groups = [cell.domain if shared else str(index) for index, cell in enumerate(cells)]
            values[name] = _spread(term.prior.sample(rng, (draws, len(set(groups)))), groups)
    return xr.Dataset(
        {name: (("chain", "draw", "cell"), value[None]) for name, value in values.items()},
        coords={"chain": [0], "draw": np.arange(draws), **cell_coordinates(cells)},
    )


def _coefficient(stage: StageSpec, name: str, cells: tuple[Cell, ...], draws: int, rng: np.random.Generator) -> Array:
    """Return draws of one coefficient, dims (draw, cell)."""
    prior = stage.term(name).prior
    groupings = {
        "judge": [cell.judge for cell in cells],
        "domain": [cell.domain for cell in cells],
        "cell": [str(index) for index in range(len(cells))],
    }
    active = {level: groups for level, groups in groupings.items() if stage.has(f"tau_{name}_{level}")}
    if not active:
        return prior.sample(rng, (draws, len(cells)))
    total = np.repeat(prior.sample(rng, (draws, 1)), len(cells), axis=1)
    for level, groups in active.items():
        tau = stage.term(f"tau_{name}_{level}").prior.sample(rng, (draws, 1))
        total = total + tau * _spread(rng.standard_normal((draws, len(set(groups)))), groups)
    return total


def _spread(values: Array, groups: list[str]) -> Array:
    """Return the value of each cell's group, dims (draw, cell), from one column per distinct group."""
    order = sorted(set(groups))
    return values[:, [order.index(group) for group in groups]]
