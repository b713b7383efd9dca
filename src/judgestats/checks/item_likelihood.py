"""Item likelihood: the log-likelihood of each item with its own effect integrated out, per draw.

The unit of cross-validation is the item, so the question answered is "how well is a new item predicted", not "how
well is a new trial of an item that was already seen". One or two trials an item make the conditional version useless
anyway: its Pareto k is bad almost everywhere (Merkle, Furr & Rabe-Hesketh 2019, doi:10.1007/s11336-019-09679-0).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.checks.cell_draws import MAX_DRAWS, cell_draws, flat_parameter, thinned
from judgestats.checks.likelihood_units import (
    cluster_patterns,
    grouped_rows,
    item_patterns,
    unit_kind,
)
from judgestats.checks.unit_integral import cluster_log_likelihood, unit_log_likelihood
from judgestats.draws.fit import StageFit
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]

CROSSED_DRAWS = 400


def shared_items(stage: StageSpec) -> bool:
    """Return whether the judges of a domain share their item effects."""
    return stage.has("sigma_item") and stage.term("sigma_item").factors == ("domain",)


def item_log_likelihood(stage: StageSpec, fit: StageFit, *, max_draws: int = MAX_DRAWS) -> xr.DataArray:
    """Return the log-likelihood by unit of every cell.

    Natural logs on the link scale (log-sum-exp), **without the binomial constant**: single trials and aggregated
    counts give the same values, which are therefore not comparable with elpd from programs that add it.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage that was fitted.
    fit : StageFit
        Its posterior.
    max_draws : int
        Draws kept over all chains, at most 1,000; 400 where clusters cross items or hold them.

    Returns
    -------
    xarray.DataArray, dims (chain, draw, item)
        ``item`` labels the unit; companions ``item_name``, ``item_judge``, ``item_domain`` and ``unit``, which says
        what the unit is: ``item``, ``cluster``, or ``item given the sampled cluster effects``. Units without a trial
        are absent. The ``draw`` keeps each draw's position in the fit, so that the matching draws of the posterior
        can be selected.
    """
    counts = fit.counts
    kinds = [unit_kind(stage, counts.select(i)) for i in range(len(counts.cells))]
    limit = min(max_draws, MAX_DRAWS if all(k == "item" for k in kinds) else CROSSED_DRAWS)
    posterior = thinned(fit.posterior, limit)
    parts: list[Array] = []
    labels: list[tuple[str, str, str, str]] = []
    groups = _shared(posterior, counts) if shared_items(stage) else _separate(stage, posterior, counts)
    for names, judge, domain, unit, values in groups:
        parts.append(values)
        labels += [(name, judge, domain, unit) for name in names]
    shape = (posterior.sizes["chain"], posterior.sizes["draw"])
    values = np.concatenate(parts, axis=1) if parts else np.zeros((shape[0] * shape[1], 0))
    coordinates = {
        "chain": posterior["chain"].values,
        "draw": posterior["draw"].values,
        "item": np.array([f"{judge} x {domain} | {name}" for name, judge, domain, _ in labels], dtype=str),
        "item_name": ("item", np.array([row[0] for row in labels], dtype=str)),
        "item_judge": ("item", np.array([row[1] for row in labels], dtype=str)),
        "item_domain": ("item", np.array([row[2] for row in labels], dtype=str)),
        "unit": ("item", np.array([row[3] for row in labels], dtype=str)),
    }
    return xr.DataArray(
        values.reshape(*shape, len(labels)), dims=("chain", "draw", "item"), coords=coordinates, name="log_likelihood"
    )


Group = tuple[tuple[str, ...], str, str, str, Array]


def _separate(stage: StageSpec, posterior: xr.Dataset, counts: StageCounts) -> Iterator[Group]:
    for index, cell in enumerate(counts.cells):
        one = counts.select(index)
        kind = unit_kind(stage, one)
        if kind == "item":
            names, values = _by_item(posterior, cell, index, one)
        elif kind == "cluster":
            names, values = _by_cluster(posterior, cell, index, one)
        else:
            names, values = _given_clusters(posterior, cell, index, one)
        yield names, cell.judge, cell.domain, kind, values


def _by_item(posterior: xr.Dataset, cell: Cell, index: int, counts: StageCounts) -> tuple[tuple[str, ...], Array]:
    draws = cell_draws(posterior, cell, index)
    found = item_patterns(counts)
    values = unit_log_likelihood(draws.eta(found.rows.block), found.rows, draws.sigma_item, draws.sigma_slope)
    return found.names, values[:, found.of_name]


def _by_cluster(posterior: xr.Dataset, cell: Cell, index: int, counts: StageCounts) -> tuple[tuple[str, ...], Array]:
    draws = cell_draws(posterior, cell, index)
    if draws.sigma_cluster is None:
        raise KeyError("a stage with clusters must hold `sigma_cluster`")
    rows, names, holds = cluster_patterns(counts)
    if not names:
        return (), np.zeros((draws.alpha.size, 0))
    values = cluster_log_likelihood(
        draws.eta(rows.block), rows, draws.sigma_item, holds, draws.sigma_cluster, draws.sigma_slope
    )
    return names, values


def _given_clusters(
    posterior: xr.Dataset, cell: Cell, index: int, counts: StageCounts
) -> tuple[tuple[str, ...], Array]:
    draws = cell_draws(posterior, cell, index)
    rows, order, groups = grouped_rows(counts.block, counts.trials, counts.successes, counts.item)
    eta = draws.eta(rows.block) + cluster_effect_of_rows(posterior, cell, counts)[:, order]
    values = unit_log_likelihood(eta, rows, draws.sigma_item, draws.sigma_slope)
    return tuple(counts.items[0][g] for g in groups), values


def cluster_effect_of_rows(posterior: xr.Dataset, cell: Cell, counts: StageCounts) -> Array:
    """Return the sampled cluster effect of each row of a one-cell table, dims (draw, row), log-odds scale.

    Raises
    ------
    KeyError
        If the engine did not sample cluster effects.
    """
    if counts.cluster is None or counts.clusters is None:
        raise ValueError("these counts have no cluster")
    effect = posterior["cluster_effect"]
    mine = (posterior["cluster_judge"].values == cell.judge) & (posterior["cluster_domain"].values == cell.domain)
    where = {str(name): i for i, name in zip(np.flatnonzero(mine), posterior["cluster_name"].values[mine], strict=True)}
    of_row = np.array([where[counts.clusters[0][c]] for c in counts.cluster], dtype=np.int64)
    values = effect.transpose("chain", "draw", ...).values
    return np.asarray(values.reshape(-1, values.shape[-1])[:, of_row], dtype=np.float64)


def _shared(posterior: xr.Dataset, counts: StageCounts) -> Iterator[Group]:
    """Yield the items of each domain over all its judges: an item effect that judges share is one unit."""
    for domain in sorted({cell.domain for cell in counts.cells}):
        inside = [i for i, cell in enumerate(counts.cells) if cell.domain == domain]
        tables = [counts.select(i) for i in inside]
        names = sorted({name for t in tables for name in t.items[0]})
        position = {name: i for i, name in enumerate(names)}
        item = np.concatenate([[position[t.items[0][i]] for i in t.item] for t in tables]).astype(np.int64)
        if item.size == 0:
            continue
        block, trials, successes = (
            np.concatenate([getattr(t, field) for t in tables]) for field in ("block", "trials", "successes")
        )
        eta = np.concatenate(
            [_row_predictor(posterior, counts.cells[i], i, t) for i, t in zip(inside, tables, strict=True)], axis=1
        )
        rows, order, groups = grouped_rows(block, trials, successes, item)
        first = counts.cells[inside[0]]
        sigma = flat_parameter(posterior, "sigma_item", first, inside[0])
        slope = flat_parameter(posterior, "sigma_slope", first, inside[0]) if "sigma_slope" in posterior else None
        crossed = counts.cluster is not None and "cluster_effect" in posterior
        unit = "item given the sampled cluster effects" if crossed else "item"
        values = unit_log_likelihood(eta[:, order], rows, sigma, slope)
        yield tuple(names[g] for g in groups), "(all judges)", domain, unit, values


def _row_predictor(posterior: xr.Dataset, cell: Cell, index: int, counts: StageCounts) -> Array:
    eta = cell_draws(posterior, cell, index).eta(counts.block)
    if counts.cluster is not None and "cluster_effect" in posterior:
        eta = eta + cluster_effect_of_rows(posterior, cell, counts)
    return eta
