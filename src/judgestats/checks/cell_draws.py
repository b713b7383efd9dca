"""Cell draws: the parameters of one cell out of a stage fit, thinned to what a check keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.trials.cell import Cell

MAX_DRAWS = 1000

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CellDraws:
    """Posterior draws of the parameters of one cell, chains laid end to end.

    Parameters
    ----------
    alpha, beta : ndarray, dims (draw,)
        Intercept and block effect, log-odds scale.
    sigma_item : ndarray, dims (draw,)
        Standard deviation of item effects; zeros where the stage has none.
    sigma_cluster, sigma_slope : ndarray, dims (draw,), optional
        Standard deviations of cluster effects and of block slopes over items; None where not active.
    """

    alpha: Array
    beta: Array
    sigma_item: Array
    sigma_cluster: Array | None = None
    sigma_slope: Array | None = None

    def eta(self, block: Array) -> Array:
        """Return the linear predictor without item or cluster effects, dims (draw, row), for block codes (row,)."""
        return self.alpha[:, None] + np.outer(self.beta, block)

    def parameters(self) -> dict[str, Array]:
        """Return the active parameters by name, as estimands take them."""
        active = {"alpha": self.alpha, "beta": self.beta, "sigma_item": self.sigma_item}
        optional = {"sigma_cluster": self.sigma_cluster, "sigma_slope": self.sigma_slope}
        return active | {name: values for name, values in optional.items() if values is not None}


def thinned(posterior: xr.Dataset, limit: int = MAX_DRAWS) -> xr.Dataset:
    """Return the posterior with at most `limit` draws over all chains, evenly spaced within each chain."""
    chains, draws = posterior.sizes["chain"], posterior.sizes["draw"]
    keep = max(1, min(draws, limit // chains))
    # Midpoints of equal stretches: stratified draws that are stored in order stay representative.
    index = np.floor((np.arange(keep) + 0.5) * draws / keep).astype(int)
    return posterior.isel(draw=index)


def cell_draws(posterior: xr.Dataset, cell: Cell, index: int) -> CellDraws:
    """Return the parameters of the cell at position `index`.

    Parameters
    ----------
    posterior : xarray.Dataset, dims (chain, draw, cell, ...)
        Posterior of a stage fit, thinned or not. Standard deviations shared by the judges of a domain are found by the
        domain.
    cell : Cell
        The cell.
    index : int
        Its position along the dim ``cell``.
    """
    size = posterior.sizes["chain"] * posterior.sizes["draw"]

    def flat(name: str) -> Array | None:
        return flat_parameter(posterior, name, cell, index) if name in posterior else None

    alpha, beta, sigma = flat("alpha"), flat("beta"), flat("sigma_item")
    if alpha is None or beta is None:
        raise KeyError("a stage fit must hold `alpha` and `beta`")
    return CellDraws(
        alpha, beta, np.zeros(size) if sigma is None else sigma, flat("sigma_cluster"), flat("sigma_slope")
    )


def flat_parameter(posterior: xr.Dataset, name: str, cell: Cell, index: int) -> Array:
    """Return the draws of one parameter for one cell, dims (draw,), chains laid end to end."""
    values = posterior[name]
    if "cell" in values.dims:
        values = values.isel(cell=index)
    extra = [dim for dim in values.dims if dim not in ("chain", "draw")]
    for dim in extra:
        labels = [str(v) for v in posterior[dim].values]
        values = values.isel({dim: labels.index(cell.domain)})
    return np.asarray(values.transpose("chain", "draw").values, dtype=np.float64).reshape(-1)
