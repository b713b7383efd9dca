"""Made fits: score fits and shifts with known draws."""

from __future__ import annotations

import numpy as np
import xarray as xr
from made_pairs import CELL, variants
from numpy.typing import NDArray

from judgestats.draws.score_fit import ScoreFit
from judgestats.trials.cell import Cell
from judgestats.trials.score_rows import ScoreRows


def level_rows(
    counts: NDArray[np.int64], cells: tuple[Cell, ...] = (CELL,), items: int = 1, levels: int = 10
) -> ScoreRows:
    """Return rows of the ordinal shift stage from counts, dims (cell, item, variant, level)."""
    cell, item, variant, outcome = np.nonzero(counts)
    return ScoreRows(
        "shift",
        cells,
        tuple(tuple(f"item-{i:04d}" for i in range(items)) for _ in cells),
        variants(counts.shape[2] - 1),
        levels,
        cell,
        item,
        variant,
        outcome,
        counts[cell, item, variant, outcome],
    )


def score_fit(family: str, rows: ScoreRows, engine: str = "exact", **values: NDArray[np.float64]) -> ScoreFit:
    """Return a fit with these draws, dims (chain, draw, cell, ...) each."""
    extra = {"effect": "variant", "scale": "variant", "threshold": "threshold"}
    data = {
        name: (("chain", "draw", "cell", *([extra[name]] if name in extra else [])), array)
        for name, array in values.items()
    }
    coords = {
        "judge": ("cell", [c.judge for c in rows.cells]),
        "domain": ("cell", [c.domain for c in rows.cells]),
        "cue": ("variant", [v.cue for v in rows.variants]),
        "polarity": ("variant", [v.polarity for v in rows.variants]),
    }
    posterior = xr.Dataset(data, coords={k: v for k, v in coords.items() if v[0] == "cell" or "effect" in values})
    return ScoreFit(rows.stage, family, engine, "made by hand", rows, posterior, None)


def shift_array(
    values: NDArray[np.float64], names: list[tuple[str, str]], cells: tuple[Cell, ...] = (CELL,)
) -> xr.DataArray:
    """Return draws of a shift, dims (chain, draw, cell, variant), with the names (cue, polarity) of its variants."""
    coords = {
        "judge": ("cell", [c.judge for c in cells]),
        "domain": ("cell", [c.domain for c in cells]),
        "cue": ("variant", [cue for cue, _ in names]),
        "polarity": ("variant", [polarity for _, polarity in names]),
    }
    return xr.DataArray(values, dims=("chain", "draw", "cell", "variant"), coords=coords)
