"""Fits made by hand: small weighted grids and random draws, mirrored exactly where a test needs it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr

from judgestats.draws.fit import StageFit
from judgestats.draws.gate import GateRow
from judgestats.draws.lines import Lines
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts


def make_counts(stage: str, cells: tuple[Cell, ...], items: int, successes: np.ndarray, trials: int = 1) -> StageCounts:
    """One row per cell, item and block; `successes` has dims (cell, item, block), block 0 congruent."""
    shape = (len(cells), items, 2)
    cell, item, side = (a.ravel() for a in np.indices(shape))
    return StageCounts(
        stage,
        cells,
        tuple(tuple(f"item {i}" for i in range(items)) for _ in cells),
        None,
        cell,
        item,
        None,
        np.where(side == 0, 0.5, -0.5),
        np.full(cell.size, trials),
        np.broadcast_to(successes, shape).ravel().astype(np.int64),
    )


def drop_block(counts: StageCounts, cell: int, block: float) -> StageCounts:
    """Return counts in which one cell has no trial in one block."""
    keep = ~((counts.cell == cell) & (counts.block == block))
    return replace(
        counts,
        cell=counts.cell[keep],
        item=counts.item[keep],
        block=counts.block[keep],
        trials=counts.trials[keep],
        successes=counts.successes[keep],
    )


def grid(alpha: float, beta: float, sd: float = 0.5, points: int = 25) -> Lines:
    """A normal posterior on lines, beta symmetric about its mean, the item sd .4 or .9."""
    z = np.linspace(-5, 5, points)
    a, s = (x.ravel() for x in np.meshgrid(alpha + sd * z, [0.4, 0.9], indexing="ij"))
    logs = -0.5 * (((a - alpha) / sd) ** 2)[:, None] - 0.5 * z**2
    return Lines.of({"alpha": a, "sigma_item": s}, beta + sd * z, logs)


def exact_fit(counts: StageCounts, means: dict[Cell, tuple[float, float]], seed: int, sign: float = 1.0) -> StageFit:
    """A fit of the exact engine: lines, and draws of beta whose sign `sign` mirrors."""
    lines = {}
    for cell, (alpha, beta) in means.items():
        fine = grid(alpha, sign * beta)
        lines[cell] = replace(fine, coarse=grid(alpha, sign * beta, points=13))
    gate = tuple(
        GateRow(counts.stage, c.judge, c.domain, "delta_p[marginal]", "grid_error", 1e-6, 1e-4, "pass") for c in means
    )
    return StageFit(counts.stage, "exact", "", counts, draws(counts, means, seed, sign), None, lines, gate)


def nuts_fit(counts: StageCounts, means: dict[Cell, tuple[float, float]], seed: int) -> StageFit:
    """A fit of a sampler: well-mixed chains."""
    posterior = draws(counts, means, seed)
    stats = xr.Dataset({"diverging": (("chain", "draw"), np.zeros(posterior["alpha"].shape[:2], dtype=bool))})
    return StageFit(counts.stage, "pymc", "", counts, posterior, stats)


def draws(counts: StageCounts, means: dict[Cell, tuple[float, float]], seed: int, sign: float = 1.0) -> xr.Dataset:
    """Independent draws of every cell's parameters, 4 chains of 500."""
    rng = np.random.default_rng(seed)
    cells = counts.cells
    shape = (4, 500, len(cells))
    alpha = np.array([means[c][0] for c in cells]) + 0.5 * rng.standard_normal(shape)
    beta = np.array([means[c][1] for c in cells]) + 0.5 * rng.standard_normal(shape)
    coords = {
        "chain": np.arange(4),
        "draw": np.arange(500),
        "cell": [str(c) for c in cells],
        "judge": ("cell", [c.judge for c in cells]),
        "domain": ("cell", [c.domain for c in cells]),
    }
    dims = ("chain", "draw", "cell")
    sigma = abs(rng.standard_normal(shape))
    return xr.Dataset({"alpha": (dims, alpha), "beta": (dims, sign * beta), "sigma_item": (dims, sigma)}, coords=coords)


def statuses(validity: StageCounts) -> pd.DataFrame:
    """Status counts that go with validity counts: what was lost was refused."""
    rows = []
    for c, cell in enumerate(validity.cells):
        for block, code in (("congruent", 0.5), ("incongruent", -0.5)):
            at = (validity.cell == c) & (validity.block == code)
            valid, asked = int(validity.successes[at].sum()), int(validity.trials[at].sum())
            rows += [(cell.judge, cell.domain, block, "valid", valid)]
            rows += [(cell.judge, cell.domain, block, "refusal", asked - valid)] if asked > valid else []
        rows.append((cell.judge, cell.domain, "none", "valid", 5))
    return pd.DataFrame(rows, columns=["judge", "domain", "block", "status", "n"])
