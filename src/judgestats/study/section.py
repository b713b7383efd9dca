"""Section: one table of an analysis file, read into a frozen dataclass; unknown keys are errors."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from typing import Any, ClassVar, Literal, Protocol, Union, get_args, get_origin, get_type_hints

from judgestats.errors import ConfigError, near_match


class DataclassLike(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


def reject_unknown(table: Mapping[str, Any], allowed: tuple[str, ...], where: str) -> None:
    """Raise ConfigError for the first key of `table` that is not in `allowed`, with a near match."""
    for key in table:
        if key not in allowed:
            raise ConfigError(
                f"{where}: unknown key {key!r}",
                allowed=", ".join(allowed),
                remedy=near_match(key, allowed) or "remove it, or see docs/reference/analysis.md",
            )


def read_section[T: DataclassLike](kind: type[T], table: Mapping[str, Any], where: str) -> T:
    """Build `kind` from a table of plain values.

    Parameters
    ----------
    kind : type
        A frozen dataclass whose fields are bool, int, float, str, a literal, an optional of these or a tuple of them.
    table : mapping
        Keys and values as TOML gives them.
    where : str
        Name of the section for messages, e.g. ``[decision]``.

    Raises
    ------
    ConfigError
        For an unknown key, a missing key or a value of another type.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} is {table!r}", allowed="a table of keys and values")
    known = tuple(field.name for field in fields(kind))
    reject_unknown(table, known, where)
    hints = get_type_hints(kind)
    values = {key: _checked(value, hints[key], f"{where} {key}") for key, value in table.items()}
    for field in fields(kind):
        if field.name not in values and field.default is MISSING and field.default_factory is MISSING:
            raise ConfigError(f"{where}: the key {field.name!r} is missing", allowed=", ".join(known))
    return kind(**values)


def section_dict(section: DataclassLike) -> dict[str, Any]:
    """Return the section as TOML-ready values: tuples become lists, keys that are None are left out."""
    plain = asdict(section)
    return {
        key: list(value) if isinstance(value, tuple) else value for key, value in plain.items() if value is not None
    }


def _checked(value: Any, hint: Any, where: str) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _checked(value, next(arg for arg in get_args(hint) if arg is not type(None)), where)
    if origin is Literal:
        options = get_args(hint)
        if value not in options:
            raise ConfigError(
                f"{where} is {value!r}",
                allowed=", ".join(repr(option) for option in options),
                remedy=near_match(str(value), [str(option) for option in options]),
            )
        return value
    if origin is tuple:
        inner = get_args(hint)[0]
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"{where} is {value!r}", allowed="a list")
        return tuple(_checked(entry, inner, where) for entry in value)
    return _plain(value, hint, where)


def _plain(value: Any, hint: type, where: str) -> Any:
    # bool is an int in Python; `chains = true` is a slip, not a 1.
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        words = {bool: "true or false", int: "a whole number", float: "a number", str: "text in quotes"}
        raise ConfigError(f"{where} is {value!r}", allowed=words.get(hint, hint.__name__))
    return value
