"""Reading the provenance tree: plain values by name, and everything as path and text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def lookup(tree: dict[str, Any], *names: str) -> str | int | float | None:
    """Return the first of `names` that holds a plain value, outer levels before inner ones; None where there is none."""
    for name in names:
        level: list[dict[str, Any]] = [tree]
        while level:
            for branch in level:
                value = branch.get(name)
                if isinstance(value, str | int | float) and not isinstance(value, bool):
                    return value
            level = [v for branch in level for v in branch.values() if isinstance(v, dict)]
    return None


def leaves(tree: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every leaf of a provenance tree as (path with dots, text), in the order of the tree."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(tree, list | tuple):
        for index, value in enumerate(tree):
            yield from leaves(value, f"{path}[{index}]")
    else:
        yield path, "none" if tree is None else str(tree)
