"""Score tree: the result tree of a run on scores, written as ``draws.nc``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from judgestats.draws.score_fit import ScoreFit
from judgestats.draws.store import save_tree
from judgestats.draws.tree import build_tree
from judgestats.trials.score_rows import ScoreRows

NO_POLARITY = "none"


def write_score_tree(
    fits: Mapping[str, ScoreFit], tables: Mapping[str, Sequence[Any]], provenance: Mapping[str, Any], path: Path
) -> Path:
    """Write posterior, sampling statistics and data of every stage, and the tables, to one file.

    Parameters
    ----------
    fits : mapping of str to ScoreFit
        Fits by stage.
    tables : mapping of str to sequence
        ``estimands``, ``falsification``, ``sensitivity``.
    provenance : mapping
        What the tree says about itself.
    path : Path
        File to write.
    """
    groups = {stage: _groups(fit) for stage, fit in fits.items()}
    return save_tree(build_tree({}, groups=groups, tables=tables, provenance=provenance), path)


def _groups(fit: ScoreFit) -> dict[str, xr.Dataset]:
    out = {"posterior": _signed(fit.posterior), "observed_data": observed_data(fit.rows)}
    return out if fit.sample_stats is None else out | {"sample_stats": fit.sample_stats}


def _signed(posterior: xr.Dataset) -> xr.Dataset:
    """Return the posterior with a word for variants without polarity: a stored label is never empty."""
    words = np.array([str(word) or NO_POLARITY for word in posterior["polarity"].values], dtype=str)
    return posterior.assign_coords(polarity=("variant", words))


def observed_data(rows: ScoreRows) -> xr.Dataset:
    """Return the rows that a likelihood saw, dims (row,), with the names behind the codes as coordinates."""
    names = [rows.items[c][i] for c, i in zip(rows.cell, rows.item, strict=True)]
    labels = {
        "judge": [rows.cells[c].judge for c in rows.cell],
        "domain": [rows.cells[c].domain for c in rows.cell],
        "item": names,
        "cue": [rows.variants[v].cue for v in rows.variant],
        "polarity": [rows.variants[v].polarity or NO_POLARITY for v in rows.variant],
    }
    values = {"outcome": ("row", rows.outcome), "count": ("row", rows.count)}
    if rows.base is not None:
        values["base"] = ("row", rows.base)
    return xr.Dataset(values, coords={name: ("row", np.array(words, dtype=str)) for name, words in labels.items()})
