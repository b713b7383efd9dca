"""Score posterior: draws of the blocks of a score stage as the dataset of a score fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.errors import SamplingError
from judgestats.inference.coordinates import cell_coordinates
from judgestats.inference.score_block import ScoreBlock
from judgestats.inference.stage_posterior import SAMPLE_STATS
from judgestats.spec.model import StageSpec
from judgestats.trials.score_rows import ScoreRows

OF_CELL = {
    "bernoulli_logit": ("alpha", "effect"),
    "cumulative_logit": ("threshold", "effect"),
    "rounded_t": ("effect", "scale", "nu"),
}
LAST_DIM = {"effect": "variant", "scale": "variant", "threshold": "threshold", "alpha": None, "nu": None}


@dataclass(frozen=True)
class ScoreDraws:
    """Draws of one block.

    Parameters
    ----------
    block : ScoreBlock
        The cells.
    values : mapping of str to ndarray, dims (chain, draw, cell, ...)
        Parameters; hyperparameters without cells.
    stats : mapping of str to ndarray, dims (chain, draw)
        Statistics of the sampler.
    """

    block: ScoreBlock
    values: Mapping[str, NDArray[np.float64]]
    stats: Mapping[str, NDArray[Any]]


def present_variants(rows: ScoreRows) -> NDArray[np.bool_]:
    """Return which variants a cell has rows of, dims (cell, variant); the base of a pair is always there."""
    present = np.zeros((len(rows.cells), len(rows.variants)), dtype=bool)
    present[rows.cell, rows.variant] = True
    if rows.base is not None:
        present[:, 0] = present.any(axis=1)
    return present


def score_posterior(
    stage: StageSpec, rows: ScoreRows, draws: Sequence[ScoreDraws], size: tuple[int, int]
) -> xr.Dataset:
    """Return the draws of all cells with the dims and coordinates of a score fit.

    Parameters
    ----------
    stage : StageSpec
        Says which parameters there are.
    rows : ScoreRows
        Gives cells and variants.
    draws : sequence of ScoreDraws
        One entry a block.
    size : tuple of int
        Chains and draws.

    Returns
    -------
    xarray.Dataset, dims (chain, draw, cell, ...)
        NaN for a cell without rows and for the effect (and scale) of a variant that a cell has no row of; for all
        effects of a cell without the base.

    Raises
    ------
    SamplingError
        If a draw is not finite.
    """
    names = (*OF_CELL[stage.family], "sigma_item")
    extent = {"variant": len(rows.variants), "threshold": rows.outcomes - 1, None: 0}
    variables: dict[str, Any] = {}
    for name in names:
        last = LAST_DIM.get(name)
        tail = (extent[last],) if last else ()
        full = np.full((*size, len(rows.cells), *tail), np.nan)
        for part in draws:
            full[:, :, list(part.block.index)] = _finite(stage.name, name, part.values[name])
        variables[name] = (("chain", "draw", "cell", *((last,) if last else ())), full)
    absent = ~present_variants(rows)
    # Without the base no variant has a reference.
    absent |= absent[:, :1]
    variables["effect"][1][:, :, absent] = np.nan
    if "scale" in variables:
        variables["scale"][1][:, :, absent] = np.nan
        variables["scale"][1][..., 0] = np.nan
    for part in draws:
        for name in sorted(set(part.values) - set(LAST_DIM) - {"sigma_item"}):
            values = _finite(stage.name, name, part.values[name])
            # Coefficients of a contrast: one fewer than variants.
            variables[name] = (("chain", "draw", "coefficient")[: values.ndim], values)
    return xr.Dataset(variables, coords=_coordinates(rows, size))


def score_stats(rows: ScoreRows, draws: Sequence[ScoreDraws], size: tuple[int, int]) -> xr.Dataset | None:
    """Return the statistics of the sampler, dims (chain, draw, cell) where cells are apart, (chain, draw) otherwise."""
    if not draws:
        return None
    coords: dict[str, Any] = {"chain": np.arange(size[0]), "draw": np.arange(size[1])}
    if len(draws) == 1 and draws[0].block.stream == "all":
        return xr.Dataset({n: (("chain", "draw"), draws[0].stats[n]) for n in SAMPLE_STATS}, coords=coords)
    blank = {"diverging": False, "energy": np.nan, "tree_depth": 0, "acceptance_rate": np.nan}
    made: dict[str, Any] = {}
    for name in SAMPLE_STATS:
        full = np.full((*size, len(rows.cells)), blank[name], dtype=draws[0].stats[name].dtype)
        for part in draws:
            full[:, :, part.block.index[0]] = part.stats[name]
        made[name] = (("chain", "draw", "cell"), full)
    return xr.Dataset(made, coords=coords | cell_coordinates(rows.cells))


def _finite(stage: str, name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    if not np.all(np.isfinite(values)):
        raise SamplingError(
            f"stage {stage!r}: {int((~np.isfinite(values)).sum())} draws of {name!r} are not finite",
            remedy="check the priors of the model",
        )
    return np.asarray(values, dtype=np.float64)


def _coordinates(rows: ScoreRows, size: tuple[int, int]) -> dict[str, Any]:
    variants = rows.variants
    return {
        "chain": np.arange(size[0]),
        "draw": np.arange(size[1]),
        **cell_coordinates(rows.cells),
        "variant": np.array([str(v) for v in variants], dtype=str),
        "cue": ("variant", np.array([v.cue for v in variants], dtype=str)),
        "polarity": ("variant", np.array([v.polarity for v in variants], dtype=str)),
    }
