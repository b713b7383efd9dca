"""Options: settings of a named reader, checked before anything is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgestats.errors import ConfigError, near_match


def check_options(options: Mapping[str, Any], allowed: tuple[str, ...], reader: str) -> None:
    """Raise ConfigError for an option that the reader does not have."""
    for key in options:
        if key not in allowed:
            hint = near_match(key, allowed)
            raise ConfigError(
                f"[trials.options]: key {key!r} is unknown for {reader}" + (f"; {hint}" if hint else ""),
                allowed=", ".join(allowed),
                remedy="correct the spelling or remove it",
            )


def text_list(options: Mapping[str, Any], key: str, default: tuple[str, ...]) -> tuple[str, ...]:
    """Return an option that is a list of texts."""
    value = options.get(key, default)
    if not isinstance(value, list | tuple) or not all(isinstance(entry, str) for entry in value):
        raise ConfigError(
            f"[trials.options]: {key!r} has the wrong type", allowed="a list of texts in quotes", remedy="correct it"
        )
    return tuple(value)


def flag(options: Mapping[str, Any], key: str, default: bool) -> bool:
    """Return an option that is true or false."""
    value = options.get(key, default)
    if not isinstance(value, bool):
        raise ConfigError(f"[trials.options]: {key!r} has the wrong type", allowed="true or false", remedy="correct it")
    return value
