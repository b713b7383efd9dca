"""Hand-made stage counts and fits: known inputs for the checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from judgestats.checks.cell_lattice import CellLattice, normalised
from judgestats.draws.fit import StageFit
from judgestats.inference.cell_posterior import CellModel
from judgestats.inference.coordinates import cell_coordinates
from judgestats.spec.model import StageSpec
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

CELL = Cell("vendor/judge:1", "gender-career")


def stage(
    *,
    alpha: Prior | None = None,
    beta: Prior | None = None,
    sigma: Prior | None = None,
    clusters: bool = False,
    slope: bool = False,
    name: str = "shift",
) -> StageSpec:
    """Return a resolved stage with the default priors unless others are given."""
    terms = [
        Term("alpha", "product", alpha or Prior("normal", 1.5), ("cell",)),
        Term("beta", "product", beta or Prior("normal", 1.5), ("cell", "block")),
        Term("sigma_item", "varying", sigma or Prior("half_normal", 1.0), ("cell",), group="item"),
    ]
    if clusters:
        terms.append(Term("sigma_cluster", "varying", Prior("half_normal", 1.0), ("cell",), group="cluster"))
    if slope:
        terms.append(Term("sigma_slope", "varying", Prior("half_normal", 0.5), ("cell",), group="item", of="block"))
    return StageSpec(name, "consistent", "valid", "bernoulli_logit", tuple(terms))


Row = tuple[int, int, int | None, float, int, int]


def counts(rows: Sequence[Row], cells: Sequence[Cell] = (CELL,), name: str = "shift") -> StageCounts:
    """Return counts from rows of (cell, item, cluster, block, trials, successes)."""
    table = sorted(rows, key=lambda r: (r[0], r[1], -1 if r[2] is None else r[2], r[3]))
    items = tuple(
        tuple(f"item-{i:03d}" for i in range(1 + max((r[1] for r in table if r[0] == c), default=-1)))
        for c in range(len(cells))
    )
    has_clusters = any(r[2] is not None for r in table)
    clusters = tuple(
        tuple(f"template-{i:02d}" for i in range(1 + max((r[2] or 0 for r in table if r[0] == c), default=-1)))
        for c in range(len(cells))
    )
    column = [np.array([r[i] for r in table]) for i in (0, 1, 3, 4, 5)]
    return StageCounts(
        name,
        tuple(cells),
        items,
        clusters if has_clusters else None,
        column[0].astype(np.int64),
        column[1].astype(np.int64),
        np.array([r[2] for r in table], dtype=np.int64) if has_clusters else None,
        column[2].astype(np.float64),
        column[3].astype(np.int64),
        column[4].astype(np.int64),
    )


def paired(both: int, only_congruent: int, only_incongruent: int, neither: int, cell: int = 0) -> list[Row]:
    """Return rows of one trial per item and block with the four answer patterns in the numbers given."""
    rows: list[Row] = []
    patterns = [(1, 1)] * both + [(1, 0)] * only_congruent + [(0, 1)] * only_incongruent + [(0, 0)] * neither
    for item, (congruent, incongruent) in enumerate(patterns):
        rows += [(cell, item, None, 0.5, 1, congruent), (cell, item, None, -0.5, 1, incongruent)]
    return rows


def fit(
    table: StageCounts,
    parameters: Mapping[str, np.ndarray],
    *,
    engine: str = "numpyro",
    name: str = "shift",
) -> StageFit:
    """Return a fit whose posterior holds the given arrays, dims (chain, draw, cell)."""
    first = next(iter(parameters.values()))
    posterior = xr.Dataset(
        {key: (("chain", "draw", "cell"), np.asarray(value, dtype=float)) for key, value in parameters.items()},
        coords={
            "chain": np.arange(first.shape[0]),
            "draw": np.arange(first.shape[1]),
            **cell_coordinates(table.cells),
        },
    )
    return StageFit(name, engine, "hand-made", table, posterior, None)


def lattice_fit(spec: StageSpec, table: StageCounts, rng: np.random.Generator, draws: int = 500) -> StageFit:
    """Return independent draws of the posterior of every cell from the nodes of a lattice."""
    by_cell: list[dict[str, np.ndarray]] = []
    for index in range(len(table.cells)):
        lattice = CellLattice.over(CellModel.of(spec, table.select(index)))
        weights = normalised(lattice.log_posterior()).ravel()
        chosen = np.unravel_index(rng.choice(weights.size, draws, p=weights), lattice.lattice.shape)
        names = (*lattice.model.scale_names, "alpha", "beta")
        one = {}
        for dim, name in enumerate(names):
            nodes = lattice.lattice.axes[dim]
            # Spread over half a step to either side: ties would spoil diagnostics of tails.
            moved = nodes[chosen[dim]] + rng.uniform(-0.5, 0.5, draws) * (nodes[1] - nodes[0])
            one[name] = np.abs(moved) if name.startswith("sigma") else moved
        by_cell.append(one)
    stacked = {n: np.stack([one[n] for one in by_cell], axis=-1)[None] for n in by_cell[0]}
    return fit(table, stacked, engine="exact", name=spec.name)
