"""Tree: the result of one run as one xarray DataTree."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from judgestats.draws.fit import StageFit

ATTRIBUTE = "judgestats"
STAGE_GROUPS = (
    "posterior",
    "prior",
    "prior_predictive",
    "posterior_predictive",
    "log_likelihood",
    "log_prior",
    "sample_stats",
    "observed_data",
    "constant_data",
)
TABLES = ("estimands", "falsification", "sensitivity")
NOT_APPLICABLE = "not applicable"
_CASTS = {"b": np.dtype(bool), "i": np.dtype(np.int64), "u": np.dtype(np.int64), "f": np.dtype(np.float64)}


def build_tree(
    fits: Mapping[str, StageFit],
    *,
    groups: Mapping[str, Mapping[str, xr.Dataset]] | None = None,
    tables: Mapping[str, Sequence[Any]] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> xr.DataTree:
    """Return the result tree of one run from whatever parts there are.

    Parameters
    ----------
    fits : mapping of str to StageFit
        By stage name; gives ``posterior``, ``sample_stats``, ``observed_data`` and ``constant_data``.
    groups : mapping of str to mapping of str to Dataset, optional
        Further groups by stage: any of ``prior prior_predictive posterior_predictive log_likelihood log_prior``, or one
        that replaces what the fit gives.
    tables : mapping of str to sequence, optional
        ``estimands``, ``falsification`` and ``sensitivity``: frozen dataclasses or mappings, one a row.
    provenance : mapping, optional
        JSON-ready: versions, hashes, seeds, command, engine and why, time.

    Returns
    -------
    xarray.DataTree
        Groups ``/<stage>/<group>`` and ``/<table>``; the only attribute is ``judgestats`` at the root, one JSON string.
        Inputs are copied, never changed.

    Raises
    ------
    ValueError
        If a group or table is unknown or a label is missing.
    """
    found: dict[str, xr.Dataset] = {}
    for stage, fit in fits.items():
        for name, dataset in _fit_groups(fit).items():
            found[f"/{stage}/{name}"] = dataset
    for stage, extra in (groups or {}).items():
        for name, dataset in extra.items():
            if name not in STAGE_GROUPS:
                raise ValueError(f"group {name!r} is unknown; allowed: {', '.join(STAGE_GROUPS)}")
            found[f"/{stage}/{name}"] = dataset
    for name, rows in (tables or {}).items():
        if name not in TABLES:
            raise ValueError(f"table {name!r} is unknown; allowed: {', '.join(TABLES)}")
        if len(rows):
            found[f"/{name}"] = table_dataset(rows)
    tree = xr.DataTree.from_dict({path: _plain(dataset, path) for path, dataset in found.items()})
    tree.attrs[ATTRIBUTE] = json.dumps(dict(provenance or {}), sort_keys=True, ensure_ascii=False)
    return tree


def provenance_of(tree: xr.DataTree) -> dict[str, Any]:
    """Return the provenance of a tree."""
    found: dict[str, Any] = json.loads(tree.attrs[ATTRIBUTE])
    return found


def matched_stage(tree: xr.DataTree, stage: str) -> xr.DataTree:
    """Return a stage whose posterior holds only the draws that its log-likelihood has.

    Log-likelihoods are kept for at most 1,000 draws. ``arviz.loo`` does not mind, but ``arviz.psense_summary`` gives
    NaN and a tick, without an error, when posterior and log-likelihood hold different draws: hand it this stage.

    Parameters
    ----------
    tree : xarray.DataTree
        Result tree.
    stage : str
        ``validity`` or ``shift``.
    """
    groups = {node.name: node.to_dataset(inherit=False) for node in tree[f"/{stage}"].children.values()}
    if "log_likelihood" not in groups:
        raise ValueError(f"the {stage} stage has no log_likelihood group to match draws with")
    kept = groups["log_likelihood"]
    draws = {dim: kept[dim] for dim in ("chain", "draw")}
    for name in ("posterior", "log_prior"):
        if name in groups:
            groups[name] = groups[name].sel(draws)
    return xr.DataTree.from_dict({f"/{name}": dataset for name, dataset in groups.items() if name is not None})


def table_rows(tree: xr.DataTree, table: str) -> list[dict[str, Any]]:
    """Return the rows of ``estimands``, ``falsification`` or ``sensitivity``, lossless, as JSON built-in types."""
    return [json.loads(str(text)) for text in np.asarray(tree[f"/{table}"].to_dataset()["json"]).tolist()]


def table_dataset(rows: Sequence[Any]) -> xr.Dataset:
    """Return rows as a dataset, dims (row,).

    Every row is kept whole as JSON in the variable ``json``. For reading without parsing, text and numbers also stand
    in columns of their own: a missing number is NaN, a missing text says "not applicable".

    Parameters
    ----------
    rows : sequence of frozen dataclass or mapping
        Rows with the same keys.
    """
    tidy = [_tidy(row) for row in rows]
    columns: dict[str, tuple[str, Any]] = {
        "json": ("row", np.array([json.dumps(r, sort_keys=True, ensure_ascii=False) for r in tidy], dtype=str))
    }
    for name in tidy[0]:
        values = [row.get(name) for row in tidy]
        known = [v for v in values if v is not None]
        if known and all(isinstance(v, str) for v in known):
            columns[name] = ("row", np.array([v or NOT_APPLICABLE for v in values], dtype=str))
        elif known and all(isinstance(v, int | float) and not isinstance(v, bool) for v in known):
            columns[name] = ("row", np.array([math.nan if v is None else float(v) for v in values]))
    return xr.Dataset(columns, coords={"row": np.arange(len(tidy))})


def _tidy(row: Any) -> dict[str, Any]:
    """Return one row as JSON built-in types; numbers that are not finite become None."""
    mapping = dataclasses.asdict(row) if dataclasses.is_dataclass(row) and not isinstance(row, type) else dict(row)
    return {str(key): _json_ready(value) for key, value in mapping.items()}


def _json_ready(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_json_ready(v) for v in value.tolist()]
    if isinstance(value, np.generic):
        return _json_ready(value.item())
    if isinstance(value, Mapping):
        return {str(k): _json_ready(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_json_ready(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _fit_groups(fit: StageFit) -> dict[str, xr.Dataset]:
    """Return the groups that a stage fit holds by itself."""
    counts = fit.counts
    rows = {"row": np.arange(counts.cell.size)}
    constant: dict[str, tuple[str, Any]] = {
        "cell_index": ("row", counts.cell),
        "block": ("row", counts.block),
        "trials": ("row", counts.trials),
    }
    if counts.cell.size:
        constant["judge"] = ("row", np.array([counts.cells[c].judge for c in counts.cell], dtype=str))
        constant["domain"] = ("row", np.array([counts.cells[c].domain for c in counts.cell], dtype=str))
        constant["item_name"] = ("row", _names(counts.items, counts.cell, counts.item))
        if counts.cluster is not None and counts.clusters is not None:
            constant["cluster_name"] = ("row", _names(counts.clusters, counts.cell, counts.cluster))
    found = {
        "posterior": fit.posterior,
        "observed_data": xr.Dataset({"successes": ("row", counts.successes)}, coords=rows),
        "constant_data": xr.Dataset(constant, coords=rows),
    }
    if fit.sample_stats is not None:
        found["sample_stats"] = fit.sample_stats
    return found


def _names(levels: tuple[tuple[str, ...], ...], cell: Any, level: Any) -> Any:
    return np.array([levels[c][i] for c, i in zip(cell, level, strict=True)], dtype=str)


def _plain(dataset: xr.Dataset, path: str) -> xr.Dataset:
    """Return a copy with plain dtypes, no attributes, and every label present."""
    variables = {str(n): _plain_variable(v, f"{path}/{n}") for n, v in dataset.data_vars.items()}
    coords = {str(n): _plain_variable(v, f"{path}/{n}") for n, v in dataset.coords.items()}
    return xr.Dataset(variables, coords=coords)


def _plain_variable(array: xr.DataArray, where: str) -> tuple[tuple[Any, ...], Any]:
    if array.ndim == 1 and array.name in array.dims and isinstance(array.to_index(), pd.MultiIndex):
        raise ValueError(f"{where} is a MultiIndex, which cannot be saved; use flat labels with companion coordinates")
    values = array.values
    if values.dtype.kind in "OUT":
        return array.dims, _labels(values, where)
    if values.dtype.kind not in _CASTS:
        raise ValueError(f"{where} has dtype {values.dtype}, which is not stored; allowed: text, bool, integer, float")
    return array.dims, values.astype(_CASTS[values.dtype.kind])


def _labels(values: Any, where: str) -> Any:
    """Return text as fixed-width unicode; a missing or empty one is an error, since files would hold it as ""."""
    flat = values.ravel().tolist()
    for position, text in enumerate(flat):
        if not isinstance(text, str) or text == "":
            raise ValueError(
                f"{where} holds {text!r} at position {position}: a missing label would be saved as an empty string; "
                "name it or leave its row out"
            )
    return np.array(flat, dtype=str).reshape(values.shape)
