"""Store: the result tree on disk, as netCDF through h5netcdf."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from judgestats.draws.tree import ATTRIBUTE
from judgestats.errors import TrialDataError

_COMPRESS_FROM = 1 << 20  # bytes


def save_tree(tree: xr.DataTree, path: Path) -> Path:
    """Write a tree to `path`, under a temporary name that is renamed when all is on disk.

    The same tree gives the same bytes. A file that exists is replaced only by a whole one.

    Parameters
    ----------
    tree : xarray.DataTree
        From `judgestats.draws.tree.build_tree`.
    path : Path
        Target, usually ``draws.nc``.

    Returns
    -------
    Path
        `path`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        tree.to_netcdf(partial, engine="h5netcdf", encoding=_encoding(tree), write_inherited_coords=False)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    return path


def load_tree(path: Path) -> xr.DataTree:
    """Read a tree into memory and close its file.

    Raises
    ------
    TrialDataError
        If the file is not a result tree.
    """
    try:
        with xr.open_datatree(path, engine="h5netcdf") as opened:
            loaded = opened.load()
    except (OSError, ValueError) as error:
        raise TrialDataError(
            f"{path} cannot be read as a result tree: {error}",
            allowed="a netCDF file that judgestats wrote, e.g. draws.nc",
            remedy="Run the analysis again, or point to its draws.nc.",
        ) from error
    if ATTRIBUTE not in loaded.attrs:
        raise TrialDataError(
            f"{path} has no attribute {ATTRIBUTE!r}, so it is not a result tree",
            allowed="a netCDF file that judgestats wrote, e.g. draws.nc",
            remedy="Point to the draws.nc of an analysis.",
        )
    found = {node.path: _restored(node.to_dataset(inherit=False)) for node in loaded.subtree if node.path != "/"}
    tree = xr.DataTree.from_dict(found)
    tree.attrs[ATTRIBUTE] = str(loaded.attrs[ATTRIBUTE])
    return tree


def _restored(dataset: xr.Dataset) -> xr.Dataset:
    """Return text as fixed-width unicode, as it was before it was written, and no encodings or attributes of the file."""
    variables: dict[Any, Any] = {name: (v.dims, _text(v.values)) for name, v in dataset.data_vars.items()}
    coords: dict[Any, Any] = {name: (v.dims, _text(v.values)) for name, v in dataset.coords.items()}
    return xr.Dataset(variables, coords=coords)


def _text(values: Any) -> Any:
    return np.array(values.tolist(), dtype=str).reshape(values.shape) if values.dtype.kind in "OT" else values


def _encoding(tree: xr.DataTree) -> dict[str, dict[str, dict[str, Any]]]:
    """Return encodings: compression for large arrays only, none of the fill values that netCDF adds to floats."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for node in tree.subtree:
        one: dict[str, dict[str, Any]] = {}
        for name, variable in node.to_dataset(inherit=False).variables.items():
            if variable.dtype.kind in "fib":
                one[str(name)] = {"_FillValue": None} if variable.dtype.kind == "f" else {}
                if variable.nbytes >= _COMPRESS_FROM:
                    one[str(name)] |= {"zlib": True, "complevel": 1, "shuffle": True}
        if one:
            found[node.path] = one
    return found
