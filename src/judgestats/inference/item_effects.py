"""Item effects: the effect of every item under every draw, sampled by the engine or drawn from its conditional."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from judgestats.draws.fit import StageFit
from judgestats.inference.collapsed import collapse_units
from judgestats.inference.conditional_effects import unit_effects
from judgestats.inference.coordinates import item_coordinates
from judgestats.inference.nested_effects import nested_effects
from judgestats.inference.stage_part import separate_cells
from judgestats.inference.stage_posterior import cluster_coordinates
from judgestats.inference.units import item_units
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]


def item_effects(stage: StageSpec, fit: StageFit, seed: Seed, draws: int | None = None) -> xr.DataArray:
    """Return the effect of every item under every draw.

    Engines that sample the effects hand them over. For those that integrate them out, each effect is drawn from its
    distribution given the parameters of the draw and the item's answers; items with equal answers share that
    distribution, each has its own draw. An item without a trial in the stage has draws from N(0, sigma_item^2).

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    fit : StageFit
        Its fit.
    seed : Seed
        Root seed; the streams are ``<stage>/item_effects/<cell>``.
    draws : int, optional
        At most this many draws over all chains, evenly spaced; all when None.

    Returns
    -------
    xarray.DataArray, dims (chain, draw, item)
        Log-odds scale, with the companions ``item_name``, ``item_judge`` and ``item_domain``; ``draw`` keeps the labels
        of the posterior.

    Raises
    ------
    ValueError
        If the stage has no item intercept, or crossed clusters whose effects the engine has not sampled.
    """
    posterior = thinned(fit.posterior, draws)
    if "item_effect" in posterior:
        return posterior["item_effect"].transpose("chain", "draw", "item")
    values = np.concatenate([part.item for part in _parts(stage, fit.counts, posterior, seed)], axis=2)
    coords = {name: posterior[name].values for name in ("chain", "draw")}
    return xr.DataArray(
        values,
        dims=("chain", "draw", "item"),
        coords={**coords, **item_coordinates(fit.counts.cells, fit.counts.items)},
        name="item_effect",
    )


def cluster_effects(stage: StageSpec, fit: StageFit, seed: Seed, draws: int | None = None) -> xr.DataArray:
    """Return the effect of every cluster under every draw, from the same joint draws as `item_effects`.

    Parameters
    ----------
    stage, fit, seed, draws
        As for `item_effects`.

    Returns
    -------
    xarray.DataArray, dims (chain, draw, cluster)
        Log-odds scale, with the companions ``cluster_name``, ``cluster_judge`` and ``cluster_domain``.

    Raises
    ------
    ValueError
        If the stage has no cluster intercept, or crossed clusters whose effects the engine has not sampled.
    """
    if not stage.has("sigma_cluster"):
        raise ValueError(f"stage {stage.name!r} has no cluster intercept")
    posterior = thinned(fit.posterior, draws)
    if "cluster_effect" in posterior:
        return posterior["cluster_effect"].transpose("chain", "draw", "cluster")
    parts = [part.cluster for part in _parts(stage, fit.counts, posterior, seed)]
    values = np.concatenate([part for part in parts if part is not None], axis=2)
    coords = {name: posterior[name].values for name in ("chain", "draw")}
    return xr.DataArray(
        values,
        dims=("chain", "draw", "cluster"),
        coords={**coords, **cluster_coordinates(fit.counts)},
        name="cluster_effect",
    )


def item_effect_summary(effects: xr.DataArray, ci_prob: float = 0.95) -> pd.DataFrame:
    """Return one row per item with the mean, sd and equal-tailed interval of its effect.

    Parameters
    ----------
    effects : xarray.DataArray, dims (chain, draw, item)
        From `item_effects`, log-odds scale.
    ci_prob : float
        Probability of the interval.

    Returns
    -------
    pandas.DataFrame
        Columns ``judge domain item mean sd lower upper ci_prob``.
    """
    values = effects.transpose("chain", "draw", "item").values
    tails = ((1 - ci_prob) / 2, (1 + ci_prob) / 2)
    lower, upper = np.quantile(values, tails, axis=(0, 1))
    return pd.DataFrame(
        {
            "judge": effects["item_judge"].values,
            "domain": effects["item_domain"].values,
            "item": effects["item_name"].values,
            "mean": values.mean(axis=(0, 1)),
            "sd": values.std(axis=(0, 1), ddof=1),
            "lower": lower,
            "upper": upper,
            "ci_prob": ci_prob,
        }
    )


def thinned(posterior: xr.Dataset, draws: int | None) -> xr.Dataset:
    """Return at most `draws` draws over all chains, evenly spaced within each chain."""
    chains, per_chain = posterior.sizes["chain"], posterior.sizes["draw"]
    if draws is None or draws >= chains * per_chain:
        return posterior
    kept = max(1, draws // chains)
    return posterior.isel(draw=np.linspace(0, per_chain - 1, kept).round().astype(np.int64))


@dataclass(frozen=True)
class _Effects:
    """Effects of the flat levels of some cells, dims (chain, draw, level)."""

    item: Array
    cluster: Array | None


def _parts(stage: StageSpec, counts: StageCounts, posterior: xr.Dataset, seed: Seed) -> list[_Effects]:
    if not stage.has("sigma_item"):
        raise ValueError(f"stage {stage.name!r} has no item intercept")
    if stage.has("sigma_slope"):
        raise ValueError("item effects beside block slopes are sampled by the engine; this fit holds none")
    shape = (posterior.sizes["chain"], posterior.sizes["draw"])
    names = ("alpha", "beta", "sigma_item", *(("sigma_cluster",) if stage.has("sigma_cluster") else ()))
    flat = {n: posterior[n].transpose("chain", "draw", "cell").values.reshape(shape[0] * shape[1], -1) for n in names}
    # Cells that share items are drawn together; the others apart, each from its own stream.
    together = not separate_cells(stage) and stage.term("sigma_item").factors == ("domain",)
    groups = [np.arange(len(counts.cells))] if together else [np.array([i]) for i in range(len(counts.cells))]
    out = []
    for group in groups:
        part = counts if together else counts.select(int(group[0]))
        rng = seed.generator(f"{stage.name}/item_effects/{'all' if together else part.cells[0]}")
        parameters = {name: values[:, group] for name, values in flat.items()}
        if stage.has("sigma_cluster"):
            item, cluster = nested_effects(part, stage.term("sigma_item"), parameters, rng)
            out.append(_Effects(item.reshape(*shape, -1), cluster.reshape(*shape, -1)))
        else:
            out.append(_Effects(_independent(part, stage, parameters, rng).reshape(*shape, -1), None))
    return out


def _independent(
    counts: StageCounts, stage: StageSpec, parameters: dict[str, Array], rng: np.random.Generator
) -> Array:
    """Return item effects of cells without cluster effects, dims (draw, level)."""
    units = item_units(stage.term("sigma_item"), counts)
    rows = collapse_units(counts, units)
    # Every cell that takes the same standard deviation holds the same draws of it.
    first_cell = np.array([int(np.argmax(units.scale_of_cell == s)) for s in range(units.scales)], dtype=np.int64)
    sigma = parameters["sigma_item"][:, first_cell]
    uniforms = rng.random((len(sigma), units.size))
    fixed = parameters["alpha"][:, rows.cell] + parameters["beta"][:, rows.cell] * rows.block
    z = unit_effects(rows, fixed, sigma[:, rows.scale], rows.of_unit, uniforms)
    return (sigma[:, units.scale] * z)[:, units.of_level]
