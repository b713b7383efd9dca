"""Product term: one coefficient per cell, independent or drawn around a mean that judges, domains and cells share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.standard_coordinates import Coordinates
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell

OF = {"alpha": "intercept", "beta": "block"}
LEVEL_DIM = {"judge": "judge_level", "domain": "domain_level", "cell": "cell"}


def group_levels(cells: tuple[Cell, ...]) -> dict[str, tuple[str, ...]]:
    """Return the sorted levels of each pooling group: judges, domains and cells."""
    return {
        "judge": tuple(sorted({c.judge for c in cells})),
        "domain": tuple(sorted({c.domain for c in cells})),
        "cell": tuple(str(c) for c in cells),
    }


def group_index(cells: tuple[Cell, ...]) -> dict[str, NDArray[np.int64]]:
    """Return, for each pooling group, which level every cell belongs to, dims (cell,)."""
    levels = group_levels(cells)
    return {
        "judge": np.array([levels["judge"].index(c.judge) for c in cells], dtype=np.int64),
        "domain": np.array([levels["domain"].index(c.domain) for c in cells], dtype=np.int64),
        "cell": np.arange(len(cells), dtype=np.int64),
    }


def pymc_coefficient(
    name: str, stage: StageSpec, cells: tuple[Cell, ...], data: Mapping[str, Any], prefix: str = ""
) -> Any:
    """Add one coefficient per cell to the PyMC model in context.

    Parameters
    ----------
    name : {"alpha", "beta"}
        The product term.
    stage : StageSpec
        Says whether cells are pooled, and over which groups.
    cells : tuple of Cell
        Cells in order.
    data : mapping
        ``<name>_mean``, ``<name>_sd`` and, under partial pooling, ``<tau>_sd``: the priors.
    prefix : str
        Put before every variable name, for models of two stages.

    Returns
    -------
    pytensor variable, dims (cell,)
        The coefficient, log-odds scale.
    """
    import pymc as pm

    mean, sd = data[f"{name}_mean"], data[f"{name}_sd"]
    pooled, levels, index = stage.pooled(OF[name]), group_levels(cells), group_index(cells)
    if not pooled:
        return pm.Normal(prefix + name, mean, sd, shape=len(cells))
    total = pm.Normal(f"{prefix}mu_{name}", mean, sd)
    for term in pooled:
        group = str(term.group)
        tau = pm.HalfNormal(prefix + term.name, data[f"{term.name}_sd"])
        raw = pm.Normal(f"{prefix}{name}_{group}_raw", 0.0, 1.0, shape=len(levels[group]))
        effect = pm.Deterministic(f"{prefix}{name}_{group}", tau * raw)
        total = total + effect[index[group]]
    return pm.Deterministic(prefix + name, total)


def vector_coefficient(
    name: str, groups: tuple[tuple[str, str], ...], data: Mapping[str, Any], cells: int, point: Coordinates
) -> dict[str, Any]:
    """Return one coefficient per cell, and what it is made of, from coordinates of a sampler.

    Parameters
    ----------
    name : {"alpha", "beta"}
        The product term.
    groups : tuple of (str, str)
        Pooling groups and the names of their standard deviations; empty for cells apart.
    data : mapping
        ``<name>_mean``, ``<name>_sd``, ``<tau>_sd``, ``<group>_index`` (cell) and ``<group>_levels``, an array with one
        element per level.
    cells : int
        Number of cells.
    point : Coordinates
        Standard coordinates, used in order.

    Returns
    -------
    dict of str to jax.Array
        The coefficient (cell) and, under partial pooling, ``mu_<name>``, standard deviations and ``<name>_<group>``
        deviations; log-odds scale.
    """
    mean, sd = data[f"{name}_mean"], data[f"{name}_sd"]
    if not groups:
        return {name: mean + sd * point.normal(cells)}
    values = {f"mu_{name}": mean + sd * point.normal(1)[0]}
    total = values[f"mu_{name}"]
    for group, tau_name in groups:
        tau = data[f"{tau_name}_sd"] * point.positive(1)[0]
        effect = tau * point.normal(data[f"{group}_levels"].shape[0])
        total = total + effect[data[f"{group}_index"]]
        values |= {tau_name: tau, f"{name}_{group}": effect}
    return {name: total, **values}
