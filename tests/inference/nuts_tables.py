"""Simulated tables, agreement in Monte Carlo errors and constant fits for tests of sampling engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import xarray as xr
from scipy import stats

from judgestats.draws import arviz
from judgestats.draws.fit import StageFit
from judgestats.inference.coordinates import cell_coordinates
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Row = tuple[int, str, str, float, int, int]
"""Cell index, item, cluster, block code, trials, successes."""


def counts_of(cells: Sequence[Cell], rows: Sequence[Row], *, clusters: bool, stage: str = "shift") -> StageCounts:
    """Return counts in canonical order; a cell may have no row."""
    items = tuple(tuple(sorted({r[1] for r in rows if r[0] == c})) for c in range(len(cells)))
    groups = tuple(tuple(sorted({r[2] for r in rows if r[0] == c})) for c in range(len(cells)))
    coded = sorted((c, items[c].index(i), groups[c].index(g), b, n, k) for c, i, g, b, n, k in rows)
    table = np.array(coded, dtype=np.float64).reshape(-1, 6)
    whole = table.astype(np.int64)
    return StageCounts(
        stage=stage,
        cells=tuple(cells),
        items=items,
        clusters=groups if clusters else None,
        cell=whole[:, 0],
        item=whole[:, 1],
        cluster=whole[:, 2] if clusters else None,
        block=table[:, 3],
        trials=whole[:, 4],
        successes=whole[:, 5],
    )


def simulate(
    rng: np.random.Generator,
    truths: Sequence[tuple[float, float, float, float]],
    items: int,
    clusters: int = 1,
    trials: int = 1,
    names: tuple[Sequence[str], Sequence[str]] = (("judge/a", "judge/b"), ("d",)),
) -> tuple[list[Cell], list[Row]]:
    """Return cells and rows of crossed items x clusters; a truth is (alpha, beta, sigma_item, sigma_cluster)."""
    cells = [Cell(j, d) for j in names[0] for d in names[1]][: len(truths)]
    rows: list[Row] = []
    for c, (alpha, beta, sigma_item, sigma_cluster) in enumerate(truths):
        u, v = rng.normal(0, sigma_item, items), rng.normal(0, sigma_cluster, clusters)
        for i in range(items):
            for g in range(clusters):
                for block in (-0.5, 0.5):
                    p = 1 / (1 + np.exp(-(alpha + beta * block + u[i] + v[g])))
                    rows.append((c, f"item{i:03d}", f"c{g:02d}", block, trials, int(rng.binomial(trials, p))))
    return cells, rows


def swap_blocks(counts: StageCounts) -> StageCounts:
    """Return the counts with the block labels exchanged, in canonical order."""
    cluster = np.zeros_like(counts.item) if counts.cluster is None else counts.cluster
    order = np.lexsort((-counts.block, cluster, counts.item, counts.cell))
    return replace(
        counts,
        cell=counts.cell[order],
        item=counts.item[order],
        cluster=None if counts.cluster is None else counts.cluster[order],
        block=-counts.block[order],
        trials=counts.trials[order],
        successes=counts.successes[order],
    )


def gaps(first: StageFit, second: StageFit, names: Sequence[str], sign: dict[str, float] | None = None) -> np.ndarray:
    """Return |difference of posterior means| in combined Monte Carlo errors, over all levels of the named variables.

    The exact engine's draws are stratified; its error is far below that of NUTS and is taken as zero.
    """
    out = []
    for name in names:
        a, b = first.posterior[name].values, second.posterior[name].values
        a = a * (sign or {}).get(name, 1.0)
        errors = [0.0 if fit.engine == "exact" else arviz.mcse_mean(x) for fit, x in ((first, a), (second, b))]
        out.append(np.abs(a.mean((0, 1)) - b.mean((0, 1))) / np.hypot(*errors))
    return np.concatenate([np.atleast_1d(x) for x in out])


def assert_agree(first: StageFit, second: StageFit, names: Sequence[str], sign: dict[str, float] | None = None) -> None:
    """Require every posterior mean within 3 combined Monte Carlo errors.

    One right comparison passes with probability .9973, so k of them all pass with .9973**k: .976 for 9, .947 for 20. The
    seeds are fixed and were not chosen by outcome; `test_engine_agreement.py` counts exceedances over many tables.
    """
    found = gaps(first, second, names, sign)
    assert found.max() < 3.0, f"{np.round(found, 2)} combined Monte Carlo errors over {names}"


def chance_of_exceeding(beyond: int, comparisons: int) -> float:
    """Return the chance that `beyond` or more of independent right comparisons lie outside 3 errors of a normal law."""
    return float(stats.binom.sf(beyond - 1, comparisons, 2 * stats.norm.sf(3.0)))


def constant_fit(
    counts: StageCounts, values: dict[str, Sequence[float]], chains: int = 4, draws: int = 1000
) -> StageFit:
    """Return a fit whose draws all hold the same parameters (cell), for tests of what follows from parameters."""
    data = {
        name: (("chain", "draw", "cell"), np.broadcast_to(np.asarray(v, dtype=float), (chains, draws, len(v))).copy())
        for name, v in values.items()
    }
    coords = {"chain": np.arange(chains), "draw": np.arange(draws), **cell_coordinates(counts.cells)}
    return StageFit(counts.stage, "numpyro", "constant", counts, xr.Dataset(data, coords=coords), None)
