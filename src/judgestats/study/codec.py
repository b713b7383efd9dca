"""Codec: frozen dataclasses to plain JSON values and back, exactly."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, TypeAliasType, Union, get_args, get_origin, get_type_hints

import numpy as np


def encode(value: Any) -> Any:
    """Return `value` as built-in JSON types; floats keep all their digits, arrays become lists.

    Raises
    ------
    TypeError
        For a type that has no plain form; nothing is stored by its text alone.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored as JSON")


def decode(kind: Any, value: Any) -> Any:
    """Rebuild a value of type `kind` from what `encode` made of it.

    Parameters
    ----------
    kind : type or generic alias
        A dataclass, ``tuple[X, ...]``, ``tuple[X, Y]``, ``dict[str, X]``, an optional of these, ``ndarray`` of floats
        or a plain type.
    value : Any
        Plain JSON values.
    """
    origin = get_origin(kind)
    if isinstance(origin, TypeAliasType):  # NDArray is an alias from NumPy 2.5 on
        origin = get_origin(origin.__value__)
    if kind is Any or value is None:
        return value
    if origin in (Union, types.UnionType):
        return decode(next(arg for arg in get_args(kind) if arg is not type(None)), value)
    if origin is Literal:
        return value
    if origin is tuple:
        return _decode_tuple(get_args(kind), value)
    if origin is dict:
        return {key: decode(get_args(kind)[1], entry) for key, entry in value.items()}
    if kind is np.ndarray or origin is np.ndarray:
        return np.asarray(value, dtype=np.float64)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{name: decode(hints[name], entry) for name, entry in value.items()})
    return value


def _decode_tuple(inner: tuple[Any, ...], value: list[Any]) -> tuple[Any, ...]:
    if len(inner) == 2 and inner[1] is Ellipsis:
        return tuple(decode(inner[0], entry) for entry in value)
    return tuple(decode(kind, entry) for kind, entry in zip(inner, value, strict=True))
