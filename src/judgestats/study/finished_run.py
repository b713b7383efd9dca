"""Finished run: what the draws of a run say about its cells and its trials, and what two runs have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from judgestats.checks.cell_draws import cell_draws
from judgestats.draws.tree import ATTRIBUTE
from judgestats.errors import ConfigError
from judgestats.estimands.probabilities import BlockProbabilities, marginal
from judgestats.trials.cell import Cell
from judgestats.trials.near_path import near_path
from judgestats.trials.wording import quoted

STAGES = ("shift", "validity")


@dataclass(frozen=True)
class FinishedRun:
    """What ``draws.nc`` of a run holds.

    Parameters
    ----------
    cells : dict of Cell to dict of str to BlockProbabilities
        Draws of P(success | block) by cell and stage, marginal over items.
    items : dict of Cell to frozenset of str
        Items of each cell; empty where the file does not name them.
    trials : str
        SHA-256 of the trial table; empty where the file does not tell.
    files : dict of str to str
        Name of each source file by its SHA-256.
    """

    cells: dict[Cell, dict[str, BlockProbabilities]]
    items: dict[Cell, frozenset[str]]
    trials: str
    files: dict[str, str]


def read_run(folder: Path) -> FinishedRun:
    """Read ``draws.nc`` of a finished run.

    Raises
    ------
    ConfigError
        If the folder does not exist or holds no such file.
    """
    path = folder / "draws.nc"
    if not path.is_file():
        raise ConfigError(
            f"{folder} holds no draws.nc" if folder.is_dir() else f"there is no folder {folder}",
            allowed="the folder of a finished `judgestats run` or `judgestats fit`",
            remedy=("" if folder.is_dir() else near_path(folder)) or "finish the run first",
        )
    cells: dict[Cell, dict[str, BlockProbabilities]] = {}
    items: dict[Cell, set[str]] = {}
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        for stage in STAGES:
            if stage not in tree.children:
                continue
            posterior = tree[f"{stage}/posterior"].to_dataset().load()
            for index, cell in enumerate(_pairs(posterior)):
                cells.setdefault(cell, {})[stage] = marginal(cell_draws(posterior, cell, index).parameters())
            if "constant_data" in tree[stage].children:
                rows = tree[f"{stage}/constant_data"].to_dataset()
                names = rows["item_name"].values if "item_name" in rows else ()
                for cell, name in zip(_pairs(rows), names, strict=False):
                    items.setdefault(cell, set()).add(str(name))
        made_of = json.loads(tree.attrs.get(ATTRIBUTE, "{}")).get("trials", {})
    return FinishedRun(
        cells,
        {cell: frozenset(names) for cell, names in items.items()},
        str(made_of.get("sha256", "")),
        _files(made_of),
    )


def dependence(first: FinishedRun, second: FinishedRun) -> tuple[str, ...]:
    """Return in words what speaks against treating two runs as independent; empty where nothing does."""
    if first.trials and first.trials == second.trials:
        return (
            "both runs were fitted to the same trials, so they are not independent: a difference comes from the model, "
            "the priors, the settings or Monte Carlo error, and the interval is no statement about the judges",
        )
    out = []
    shared = sorted(first.files.keys() & second.files.keys())
    if shared:
        names = quoted([first.files[digest] for digest in shared], 3)
        out.append(
            f"the runs share {len(shared)} source file{'s' if len(shared) > 1 else ''} ({names}): trials that both "
            "hold are counted as if they had been collected twice, so the interval is too wide or too narrow"
        )
    both = {cell: first.items[cell] & second.items[cell] for cell in first.items.keys() & second.items.keys()}
    asked = {cell: names for cell, names in both.items() if names}
    if asked:
        words = [f"{cell}: {len(names)}" for cell, names in sorted(asked.items())]
        out.append(
            f"in {len(asked)} cell{'s' if len(asked) > 1 else ''} the same judge answered the same items in both runs "
            f"({quoted(words, 3)}): effects of shared items are not taken out, so intervals are likely too wide"
        )
    return tuple(out)


def _files(made_of: Mapping[str, Any]) -> dict[str, str]:
    return {str(entry["sha256"]): str(entry["path"]) for entry in made_of.get("files", ())}


def _pairs(dataset: xr.Dataset) -> list[Cell]:
    judges, domains = (np.asarray(dataset[name].values) for name in ("judge", "domain"))
    return [Cell(str(judge), str(domain)) for judge, domain in zip(judges, domains, strict=True)]
