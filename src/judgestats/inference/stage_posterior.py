"""Stage posterior: draws of an engine as the dataset that every engine returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from judgestats.errors import SamplingError
from judgestats.inference.coordinates import cell_coordinates, item_coordinates
from judgestats.inference.terms.product import LEVEL_DIM, group_levels
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import StageCounts

SAMPLE_STATS = ("diverging", "energy", "tree_depth", "acceptance_rate")


def stage_posterior(stage: StageSpec, counts: StageCounts, values: Mapping[str, ArrayLike]) -> xr.Dataset:
    """Return the draws of a stage with the dims and coordinates of the result tree.

    Parameters
    ----------
    stage : StageSpec
        Says which hyperparameters there are.
    counts : StageCounts
        Gives cells, items and clusters.
    values : mapping of str to array, dims (chain, draw, ...)
        ``alpha``, ``beta``, standard deviations and other one-per-cell parameters (cell); hyperparameters without
        further dims; ``alpha_judge`` and the like over their levels; ``item_effect``, ``item_slope`` and
        ``cluster_effect`` over the flat levels of all cells.

    Returns
    -------
    xarray.Dataset, dims (chain, draw, cell, ...)
        Log-odds scale, float64.

    Raises
    ------
    SamplingError
        If a draw is not finite.
    """
    variables = {}
    for name, array in values.items():
        data = np.asarray(array, dtype=np.float64)
        if not np.all(np.isfinite(data)):
            raise SamplingError(
                f"stage {stage.name!r}: {int((~np.isfinite(data)).sum())} draws of {name!r} are not finite",
                remedy="check the priors of the model; another engine may serve the stage",
            )
        variables[name] = (("chain", "draw", *_dims(name, data.ndim - 2)), data)
    dims = {dim for names, _ in variables.values() for dim in names}
    chains, draws = next(iter(variables.values()))[1].shape[:2]
    coords: dict[str, object] = {"chain": np.arange(chains), "draw": np.arange(draws), **cell_coordinates(counts.cells)}
    if "item" in dims:
        coords |= item_coordinates(counts.cells, counts.items)
    if "cluster" in dims and counts.clusters is not None:
        coords |= cluster_coordinates(counts)
    levels = group_levels(counts.cells)
    for group in ("judge", "domain"):
        if LEVEL_DIM[group] in dims:
            coords[LEVEL_DIM[group]] = np.array(levels[group], dtype=str)
    return xr.Dataset(variables, coords=coords)


def sample_stats(values: Mapping[str, ArrayLike]) -> xr.Dataset:
    """Return the statistics of a sampler that are kept, dims (chain, draw).

    Samplers add text columns and internals that cannot be saved or mean something else elsewhere; only the four of
    `SAMPLE_STATS` pass.
    """
    # Samplers differ in the integer type of the depth; one type reads back the same everywhere.
    types: dict[str, Any] = {"diverging": np.bool_, "tree_depth": np.int64}
    kept: dict[str, Any] = {
        name: (("chain", "draw"), np.asarray(values[name]).astype(types.get(name, np.float64)))
        for name in SAMPLE_STATS
        if name in values
    }
    chains, draws = next(iter(kept.values()))[1].shape
    return xr.Dataset(kept, coords={"chain": np.arange(chains), "draw": np.arange(draws)})


def join_draws(parts: Sequence[Mapping[str, NDArray[np.float64]]]) -> dict[str, NDArray[np.float64]]:
    """Return the draws of parts that were sampled apart, side by side along their cells, items and clusters."""
    if len(parts) == 1:
        return dict(parts[0])
    return {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}


def join_stats(parts: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Return the statistics of a stage whose independent parts were sampled apart.

    The energy of independent parts is their sum; a draw diverges where one of its parts does; the depth is the
    deepest and the acceptance rate the lowest of the parts.
    """
    joined = {name: np.stack([part[name] for part in parts]) for name in parts[0]}
    return {
        "diverging": joined["diverging"].any(axis=0),
        "energy": joined["energy"].sum(axis=0),
        "tree_depth": joined["tree_depth"].max(axis=0),
        "acceptance_rate": joined["acceptance_rate"].min(axis=0),
    }


def cluster_coordinates(counts: StageCounts) -> dict[str, object]:
    """Return the coordinates of the flat dim ``cluster`` over all cells, with names, judges and domains as companions.

    Raises
    ------
    ValueError
        If the counts hold no clusters.
    """
    if counts.clusters is None:
        raise ValueError(f"the counts of stage {counts.stage!r} hold no clusters")
    flat = item_coordinates(counts.cells, counts.clusters)
    out: dict[str, object] = {"cluster": flat["item"]}
    for part in ("name", "judge", "domain"):
        out[f"cluster_{part}"] = ("cluster", flat[f"item_{part}"][1])
    return out


def tree_depth(steps: ArrayLike) -> NDArray[np.int64]:
    """Return the depth of a NUTS tree from its number of leapfrog steps: 2**depth - 1 when it is complete."""
    return np.ceil(np.log2(np.asarray(steps, dtype=np.float64) + 1)).astype(np.int64)


def _dims(name: str, extra: int) -> tuple[str, ...]:
    if extra == 0:
        return ()
    if name in ("item_effect", "item_slope"):
        return ("item",)
    if name == "cluster_effect":
        return ("cluster",)
    group = name.rpartition("_")[2]
    return (LEVEL_DIM[group],) if name.startswith(("alpha_", "beta_")) and group in LEVEL_DIM else ("cell",)
