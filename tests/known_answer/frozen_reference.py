"""The frozen references of this folder, and the package's view of the same counts."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.fit import StageFit
from judgestats.inference.choose import fit_stage, load_engine
from judgestats.inference.collapsed import collapse_units, pattern_log_likelihood
from judgestats.inference.contract import EngineSettings
from judgestats.inference.quadrature import logistic_normal_mean
from judgestats.inference.units import item_units
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions, StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

HERE = Path(__file__).resolve().parent
CELL = Cell("vendor/judge", "test")
TABLES = tuple(sorted(path.name.removesuffix(".items.csv") for path in (HERE / "counts").glob("*.items.csv")))


def rows(file: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of this folder."""
    with (HERE / file).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def header(file: str) -> dict[str, Any]:
    """Return the JSON file that describes a reference."""
    content: dict[str, Any] = json.loads((HERE / file).read_text(encoding="utf-8"))
    return content


@cache
def brms(table: str) -> dict[str, dict[str, float]]:
    """Return quantity -> column -> figure of one brms fit."""
    found = [row for row in rows("brms_reference.csv") if row["table"] == table]
    return {row["quantity"]: {k: float(v) for k, v in row.items() if k not in ("table", "quantity")} for row in found}


@cache
def lme4(table: str, nodes: int = 100) -> dict[str, str]:
    """Return the row of one lme4 fit."""
    return next(r for r in rows("lme4_reference.csv") if r["table"] == table and r["nodes"] == str(nodes))


@cache
def quadrature(case: str) -> dict[str, dict[str, float]]:
    """Return quantity -> column -> figure of the independent quadrature; an empty figure is left out."""
    found = [row for row in rows("independent_quadrature.csv") if row["case"] == case]
    return {r["quantity"]: {k: float(v) for k, v in r.items() if k not in ("case", "quantity") and v} for r in found}


def stage_of(name: str, *columns: str) -> StageSpec:
    """Return a stage of the shipped model under its default options."""
    return load_model("two_stage_association", ModelOptions(), columns).stage(name)


def counts_of(table: str) -> StageCounts:
    """Return the counts of a table with its group as the item and no cluster."""
    found = rows(f"counts/{table}.items.csv")
    groups = sorted({row["group"] for row in found})
    found.sort(key=lambda row: (groups.index(row["group"]), float(row["block"])))
    return _counts("validity" if table.endswith("validity") else "shift", found, groups)


def crossed_counts_of(table: str) -> StageCounts:
    """Return the counts of a table by item and cluster."""
    found = rows(f"counts/{table}.trials.csv")
    items, clusters = sorted({r["item"] for r in found}), sorted({r["cluster"] for r in found})
    found.sort(key=lambda r: (items.index(r["item"]), clusters.index(r["cluster"]), float(r["block"])))
    return _counts("validity" if table.endswith("validity") else "shift", found, items, clusters)


def counts_of_patterns(patterns: list[list[int | None]]) -> StageCounts:
    """Return the counts of a shift stage from rows (congruent outcome, incongruent outcome, items); None is a lost trial."""
    found: list[dict[str, str]] = []
    names: list[str] = []
    for *outcomes, count in patterns:
        for _ in range(count or 0):
            names.append(f"item{len(names) + 1:03d}")
            for block, outcome in ((-0.5, outcomes[1]), (0.5, outcomes[0])):
                if outcome is not None:
                    row = {"group": names[-1], "block": str(block), "trials": "1", "successes": str(outcome)}
                    found.append(row)
    return _counts("shift", found, names)


def _counts(
    stage: str, found: list[dict[str, str]], items: list[str], clusters: list[str] | None = None
) -> StageCounts:
    item = "group" if clusters is None else "item"
    return StageCounts(
        stage=stage,
        cells=(CELL,),
        items=(tuple(items),),
        clusters=None if clusters is None else (tuple(clusters),),
        cell=np.zeros(len(found), dtype=np.int64),
        item=np.array([items.index(row[item]) for row in found], dtype=np.int64),
        cluster=None if clusters is None else np.array([clusters.index(r["cluster"]) for r in found], dtype=np.int64),
        block=np.array([float(row["block"]) for row in found]),
        trials=np.array([int(row["trials"]) for row in found], dtype=np.int64),
        successes=np.array([int(row["successes"]) for row in found], dtype=np.int64),
    )


def item_trials(table: str) -> NDArray[np.int64]:
    """Return the trials of each item of a table, dims (item,)."""
    counts = counts_of(table)
    return np.bincount(counts.item, weights=counts.trials).astype(np.int64)


@cache
def served_exactly() -> tuple[str, ...]:
    """Return the tables that the exact engine serves; words with over a hundred trials each are left to NUTS."""
    engine = load_engine("exact")
    counts = {table: counts_of(table) for table in TABLES}
    return tuple(t for t in TABLES if engine.refusal(stage_of(counts[t].stage), counts[t]) is None)


@cache
def fitted(table: str, engine: str = "auto") -> StageFit:
    """Return our fit of a table; fitted once a session."""
    counts = counts_of(table)
    return fit_stage(stage_of(counts.stage), counts, EngineSettings(Seed(20261130)), engine=engine)


def marginal(fit: StageFit) -> dict[str, NDArray[np.float64]]:
    """Return draws, dims (chain, draw), of the quantities that brms reports, under its names."""
    draws = {name: fit.posterior[name].isel(cell=0).to_numpy() for name in ("alpha", "beta", "sigma_item")}
    spread = draws["sigma_item"]
    if "sigma_cluster" in fit.posterior:
        draws["sd_cluster"] = fit.posterior["sigma_cluster"].isel(cell=0).to_numpy()
        spread = np.hypot(spread, draws["sd_cluster"])
    congruent = logistic_normal_mean(draws["alpha"] + draws["beta"] / 2, spread)
    incongruent = logistic_normal_mean(draws["alpha"] - draws["beta"] / 2, spread)
    draws["sd_item" if "sd_cluster" in draws else "sd_group"] = draws.pop("sigma_item")
    return draws | {"p_congruent": congruent, "p_incongruent": incongruent, "delta_p": congruent - incongruent}


def log_likelihood(counts: StageCounts, alpha: float, beta: float, sd: float, nodes: int = 481) -> float:
    """Return the package's log-likelihood of a one-cell table without binomial constants, item effects integrated out."""
    units = item_units(stage_of(counts.stage).term("sigma_item"), counts)
    collapsed = collapse_units(counts, units)
    point = [np.array([[value]]) for value in (alpha, beta, sd)]
    return float(pattern_log_likelihood(collapsed, *point, nodes=nodes)[0] @ collapsed.count)
