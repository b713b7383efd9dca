"""Coordinates: how cells and items are labelled along the flat dims of the result tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from judgestats.trials.cell import Cell


def cell_coordinates(cells: Sequence[Cell]) -> dict[str, Any]:
    """Return the coordinates of the dim ``cell``: a flat label and the companions ``judge`` and ``domain``.

    Names of judges may hold "/" and ":"; they live in coordinates only, never in names of variables or groups.
    """
    return {
        "cell": np.array([str(c) for c in cells], dtype=str),
        "judge": ("cell", np.array([c.judge for c in cells], dtype=str)),
        "domain": ("cell", np.array([c.domain for c in cells], dtype=str)),
    }


def item_coordinates(cells: Sequence[Cell], items: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the coordinates of the flat dim ``item`` over all cells: label, ``item_name``, ``item_judge``, ``item_domain``."""
    rows = [(c, name) for c, names in zip(cells, items, strict=True) for name in names]
    return {
        "item": np.array([f"{c} | {name}" for c, name in rows], dtype=str),
        "item_name": ("item", np.array([name for _, name in rows], dtype=str)),
        "item_judge": ("item", np.array([c.judge for c, _ in rows], dtype=str)),
        "item_domain": ("item", np.array([c.domain for c, _ in rows], dtype=str)),
    }
