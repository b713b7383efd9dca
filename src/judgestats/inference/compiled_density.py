"""Compiled density: a PyMC model as machine code that nutpie samples, with the data as an argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Shape = tuple[int, ...]


@dataclass(frozen=True)
class CompiledDensity:
    """Log density, gradient and parameters of one model structure.

    `nutpie.compile_pymc_model` reads every data variable through code that no cache keeps: 7 seconds in every process.
    Here the data are one vector, an input of the graph as the parameters are, and two short functions hand both over, in
    1 second once PyTensor has what PyMC made of the model on disk.

    Parameters
    ----------
    sampled : nutpie.compile_pymc.CompiledPyMCModel
        What `nutpie.sample` takes; of its data only the layout is meant.
    names : tuple of str
        Data variables in the order of the vector.
    """

    sampled: Any
    names: tuple[str, ...]

    def with_data(self, data: Mapping[str, NDArray[Any]]) -> Any:
        """Return the model for `nutpie.sample` with these data: numbers and vectors by the names the model gives them."""
        return replace(self.sampled, user_data=_packed([data[name] for name in self.names]))


def compile_density(model: Any) -> CompiledDensity:
    """Compile a PyMC model.

    Parameters
    ----------
    model : pymc.Model
        Free variables of constant shapes; every `pm.Data` is a number or a vector and may change its length.

    Returns
    -------
    CompiledDensity
        Its draws hold the free variables and the deterministics, all on their own scales.

    Raises
    ------
    ValueError
        If a shape depends on the data.

    Notes
    -----
    Fast maths is off: with it code from disk rounded otherwise than code just compiled, so a seed gave other draws in the
    second process than in the first. It was not faster.
    """
    from nutpie.compile_pymc import CompiledPyMCModel
    from pytensor.configdefaults import config

    data = sorted(model.data_vars, key=lambda variable: variable.ndim)
    values, outputs = model.value_vars, _parameters(model)
    shapes = [_shape(variable) for variable in outputs]
    size, expanded = sum(prod(_shape(value)) for value in values), sum(map(prod, shapes))
    with config.change_flags(numba__fastmath=False):
        density, parameters = _functions(model, values, outputs, data)
        log_density, expand = _callbacks(density, parameters, size, expanded)
    names = [v.name for v in outputs]
    stops = np.cumsum([0, *map(prod, shapes)]).tolist()
    sampled = CompiledPyMCModel(
        compiled_logp_func=log_density,
        compiled_expand_func=expand,
        initial_point_func=lambda seed: np.random.default_rng(seed).uniform(-1.0, 1.0, size),
        user_data=_packed([variable.get_value() for variable in data]),
        n_expanded=expanded,
        shape_info=(names, [slice(*pair) for pair in pairwise(stops)], shapes),
        dims={},
        shared_data={},
        shared_var_keys={},
        logp_func=density,
        expand_func=parameters,
        _n_dim=size,
        _shapes=dict(zip(names, shapes, strict=True)),
        _coords={},
    )
    return CompiledDensity(sampled, tuple(v.name for v in data))


def _packed(arrays: list[NDArray[Any]]) -> NDArray[np.float64]:
    """Return numbers, then where each vector stops, then the vectors; float64 holds indices exactly."""
    scalars = [float(a) for a in arrays if np.ndim(a) == 0]
    vectors = [np.asarray(a, dtype=np.float64) for a in arrays if np.ndim(a)]
    first = 1 + len(scalars) + len(vectors)
    stops = first + np.cumsum([len(v) for v in vectors], dtype=np.int64)
    size = float(stops[-1]) if vectors else float(first)
    return np.concatenate([[size], scalars, stops, *vectors])


def _unpacked(packed: Any, data: list[Any]) -> dict[Any, Any]:
    """Return each data variable and its part of the vector made by `_packed`."""
    numbers = sum(variable.ndim == 0 for variable in data)
    found: dict[Any, Any] = {v: packed[1 + i] for i, v in enumerate(data[:numbers])}
    start: Any = 1 + len(data)
    for i, variable in enumerate(data[numbers:], start=1 + numbers):
        stop = packed[i].astype("int64")
        found[variable] = packed[start:stop].astype(variable.dtype)
        start = stop
    return found


def _shape(variable: Any) -> Shape:
    shape = tuple(variable.type.shape)
    if None in shape:
        raise ValueError(f"{variable.name!r} has the shape {shape}; every shape must be known before any data are")
    return shape


def _parameters(model: Any) -> list[Any]:
    """Return free variables and deterministics as functions of the value variables."""
    parameters = [*model.free_RVs, *model.deterministics]
    outputs = model.replace_rvs_by_values(parameters)
    for parameter, output in zip(parameters, outputs, strict=True):
        output.name = parameter.name
    return list(outputs)


def _functions(model: Any, values: list[Any], outputs: list[Any], data: list[Any]) -> tuple[Any, Any]:
    """Return (log density, gradient) and the parameters as compiled functions of the point and the packed data."""
    import pymc as pm

    pt: Any = import_module("pytensor.tensor")
    point = pt.vector("point", shape=(sum(prod(_shape(value)) for value in values),))
    packed = pt.vector("packed")
    given: dict[Any, Any] = _unpacked(packed, data)
    start = 0
    for value in values:
        stop = start + prod(_shape(value))
        given[value] = point[start:stop].reshape(_shape(value))
        start = stop
    log_density = model.logp()
    flat = [part.ravel() for part in pt.grad(log_density, values)]
    expanded = pt.concatenate([output.ravel() for output in outputs])
    with model:
        return tuple(
            pm.compile([point, packed], results, givens=given, mode="NUMBA", on_unused_input="ignore")
            for results in ([log_density, pt.concatenate(flat)], [expanded])
        )


def _callbacks(density: Any, parameters: Any, size: int, expanded: int) -> tuple[Any, Any]:
    """Return the two C functions that nutpie calls; they answer 0, a code for a value that is not finite, or -1."""
    numba: Any = import_module("numba")
    types, carray = numba.types, numba.carray
    real = types.CPointer(types.float64)
    compute, spread = density.vm.jit_fn, parameters.vm.jit_fn

    # Compiled code can catch `Exception` and nothing narrower; nutpie turns -1 into an error of its own, so nothing is hidden.
    # nutpie passes the data as an untyped pointer; its first number is the length of the vector.
    @numba.cfunc(types.int64(types.uint64, real, real, real, real))
    def log_density(dim, point, gradient, value, data):  # type: ignore[no-untyped-def]
        try:
            total, slope = compute(carray(point, (size,)), carray(data, (int(data[0]),)))
        except Exception:
            return -1
        value[0] = total.item()
        if not np.isfinite(value[0]):
            return 4
        for i in range(size):
            if not np.isfinite(slope[i]):
                return 3
            gradient[i] = slope[i]
        return 0

    @numba.cfunc(types.int64(types.uint64, types.uint64, real, real, real))
    def expand(dim, length, point, out, data):  # type: ignore[no-untyped-def]
        try:
            (values,) = spread(carray(point, (size,)), carray(data, (int(data[0]),)))
        except Exception:
            return -1
        for i in range(expanded):
            out[i] = values[i]
        return 0

    return log_density, expand
