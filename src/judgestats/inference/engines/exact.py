"""The exact engine: a lattice over a cell's few parameters, the item (and nested cluster) effects integrated out."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from judgestats.draws.fit import StageFit
from judgestats.draws.gate import GateRow
from judgestats.draws.line_quantity import LineQuantity
from judgestats.draws.lines import Lines
from judgestats.errors import SamplingError
from judgestats.inference.cell_posterior import CellModel, CellPosterior
from judgestats.inference.contract import EngineSettings
from judgestats.inference.coordinates import cell_coordinates
from judgestats.inference.lattice import Lattice
from judgestats.inference.lattice_probabilities import block_probabilities
from judgestats.inference.nested_table import cluster_of_items
from judgestats.inference.posterior_box import locate
from judgestats.inference.quadrature import logistic_normal_mean
from judgestats.inference.stage_notes import stage_notes
from judgestats.inference.stratified import stratified_draws, stratified_uniforms
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

PROBABILITY_LIMIT = 1e-4
RELATIVE_LIMIT = 1e-3
EDGE_LIMIT = 1e-6
MOST_TRIALS = 64
Array = NDArray[np.float64]
_SERVED = {"alpha", "beta", "sigma_item", "sigma_cluster"}
_STAGES = ("validity", "shift")
_WATCHED = (0.025, 0.5, 0.975)
_LEVELS = {1: ((21, 11, 1), (31, 17, 2), (47, 25, 2)), 2: ((13, 9, 1), (17, 11, 1), (21, 15, 2))}
"""Lattices to try, by number of scales: least nodes of alpha and beta, of each scale, and a factor for the item effect's."""


class ExactEngine:
    """Posterior on a lattice: no chains, no convergence to diagnose, a measured numerical error instead.

    Serves cells fitted apart with one item intercept, and a cluster intercept where every item stays within one cluster.
    Each cell is evaluated on a lattice and on the same lattice with every step halved and twice the quadrature nodes; finer
    pairs are tried until no reported end of an interval moves by more than the limits.
    """

    name = "exact"

    def refusal(self, stage: StageSpec, counts: StageCounts) -> str | None:
        """Return why this engine cannot serve the stage, or None when it can."""
        extra = sorted(t.name for t in stage.terms if t.name not in _SERVED)
        if extra:
            return f"the model has terms beyond one intercept per item ({', '.join(extra)})"
        if stage.family != "bernoulli_logit":
            return f"the family is {stage.family}, and the exact engine serves bernoulli_logit"
        if stage.has("sigma_cluster"):
            for index, cell in enumerate(counts.cells):
                if cluster_of_items(counts.select(index)) is None:
                    return f"clusters cross items in {cell}, so both effects cannot be integrated out apart"
        per_item = [
            int(np.bincount(counts.select(i).item, counts.select(i).trials).max(initial=0))
            for i in range(len(counts.cells))
        ]
        if max(per_item, default=0) > MOST_TRIALS:
            return f"an item has {max(per_item)} trials, and the grid resolves item effects up to {MOST_TRIALS} trials an item"
        return None

    def fit(self, stage: StageSpec, counts: StageCounts, settings: EngineSettings) -> StageFit:
        """Fit every cell; raises SamplingError when a posterior cannot be located."""
        reason = self.refusal(stage, counts)
        if reason is not None:
            raise SamplingError(f"The exact engine cannot serve this stage: {reason}.", remedy="Use engine = 'auto'.")
        started = time.perf_counter()
        models = [CellModel.of(stage, counts.select(index)) for index in range(len(counts.cells))]
        # Cells with equal answers have equal posteriors: each distinct one is evaluated once.
        distinct = {model.key(): model for model in models}
        _load_lazy_modules()
        # The matrices are small: one BLAS thread each is faster than two, and the same bits come out on any machine size.
        # Two threads would wait for each other's interpreter lock between these short steps: measured, they gain nothing.
        with threadpool_limits(1, "blas"):
            refined = {}
            for done, (key, result) in enumerate(zip(distinct, map(refine, distinct.values()), strict=True), start=1):
                refined[key] = result
                if settings.progress is not None:
                    settings.progress(f"{stage.name}: exact", done, len(distinct))
            posteriors = [refined[model.key()] for model in models]
            draws = [
                _draws(p.posterior, c, stage.name, settings) for c, p in zip(counts.cells, posteriors, strict=True)
            ]
        gate = [row for cell, p in zip(counts.cells, posteriors, strict=True) for row in gate_rows(p, stage.name, cell)]
        lines = {cell: p.lines for cell, p in zip(counts.cells, posteriors, strict=True)}
        return StageFit(
            stage=stage.name,
            engine=self.name,
            why="",
            counts=counts,
            posterior=_dataset(draws, counts.cells, settings),
            sample_stats=None,
            lines=lines,
            gate=tuple(gate),
            seconds=time.perf_counter() - started,
            notes=stage_notes(stage, counts),
        )


def _load_lazy_modules() -> None:
    """Finish the import of a jax that another library has put off.

    SciPy asks `jax.Array` of every array it is given once jax is in sys.modules. ArviZ puts a stand-in there, and two threads
    that load it at once find it half made.
    """
    getattr(sys.modules.get("jax"), "Array", None)


@dataclass(frozen=True)
class Refined:
    """The posterior of one cell after refinement, with what its gate measured.

    Parameters
    ----------
    posterior : CellPosterior
        On the finer of the two lattices.
    lines : Lines
        The same on lines along beta, with those of the coarser lattice.
    errors : dict of str to float
        Largest move of a watched end between the two lattices, by quantity; relative for beta.
    edge_mass : float
        Largest mass at an outer edge.
    """

    posterior: CellPosterior
    lines: Lines
    errors: dict[str, float]
    edge_mass: float

    @property
    def passed(self) -> bool:
        """Return whether every measured error is within its limit."""
        return self.edge_mass <= EDGE_LIMIT and all(e <= _limit(name) for name, e in self.errors.items())


def refine(model: CellModel) -> Refined:
    """Return the posterior on the first lattice that passes the gate, or on the finest with what it measured."""
    box = locate(lambda lattice: model.log_posterior(lattice, model.nodes(lattice)), model.prior_box())
    for points, scale_points, factor in _LEVELS[len(model.scale_names)]:
        lattice = Lattice.over(box, points, scale_points)
        item_nodes = factor * model.nodes(lattice)
        coarse = CellPosterior.on(model, lattice, item_nodes)
        posterior = CellPosterior.on(model, lattice.doubled(), 2 * item_nodes - 1)
        lines = posterior.lines(coarse.lines())
        refined = Refined(posterior, lines, _errors(posterior, lines, coarse), posterior.edge_mass())
        if refined.passed:
            break
    return refined


def _errors(fine: CellPosterior, lines: Lines, coarse: CellPosterior) -> dict[str, float]:
    """Return how far the watched ends move between two lattices: in probability, for beta relative to its size or sd."""
    assert lines.coarse is not None
    fine_sides = block_probabilities(fine.lattice)
    # The coarse nodes are every second one of the fine lattice along each dim.
    every_second = (slice(None, None, 2),) * len(fine.lattice.shape)
    coarse_sides = (
        p.reshape(fine.lattice.shape)[every_second].reshape(-1, coarse.lattice.beta.size) for p in fine_sides
    )
    ours = _watched(lines, *(p[lines.index] for p in fine_sides))
    rough = _watched(lines.coarse, *(p[lines.coarse.index] for p in coarse_sides))
    return {name: end_moves(ours[name], rough[name], relative=name == "beta") for name in ours}


def line_quantities(lines: Lines) -> dict[str, LineQuantity]:
    """Return the quantities whose interval ends the gate watches, from the parameters of posterior lines."""
    p = lines.broadcast()
    spread = np.hypot(p["sigma_item"], p.get("sigma_cluster", 0.0))
    sides = (logistic_normal_mean(p["alpha"] + half * p["beta"], spread) for half in (0.5, -0.5))
    return _watched(lines, *sides)


def _watched(lines: Lines, congruent: Array, incongruent: Array) -> dict[str, LineQuantity]:
    values = {
        "p_congruent[marginal]": congruent,
        "p_incongruent[marginal]": incongruent,
        "difference[marginal]": congruent - incongruent,
        "beta": np.broadcast_to(lines.beta, congruent.shape),
    }
    return {name: LineQuantity(np.ascontiguousarray(v), lines) for name, v in values.items()}


def end_moves(fine: LineQuantity, coarse: LineQuantity, *, relative: bool = False) -> float:
    """Return the largest distance between the watched quantiles of two posteriors, or that over the quantile's size or sd.

    Both distribution functions are read near the coarser quantiles; what they differ there, over the density, is how far the
    quantile moves. To know the quantiles to a bin of a histogram is enough for that.
    """
    ends = coarse.near_quantiles(_WATCHED)
    mass, density = coarse.distribution_and_density(ends)
    moves = np.abs(fine.distribution(ends) - mass) / np.maximum(density, 1e-9)
    return float(np.max(moves / np.maximum(np.abs(ends), coarse.sd()) if relative else moves))


def gate_rows(refined: Refined, stage: str, cell: Cell) -> list[GateRow]:
    """Return the gate of one cell."""
    rows = [_row(stage, cell, name, "grid_error", error, _limit(name)) for name, error in refined.errors.items()]
    return [*rows, _row(stage, cell, "all parameters", "edge_mass", refined.edge_mass, EDGE_LIMIT)]


def _limit(quantity: str) -> float:
    return RELATIVE_LIMIT if quantity == "beta" else PROBABILITY_LIMIT


def _row(stage: str, cell: Cell, quantity: str, criterion: str, value: float, limit: float) -> GateRow:
    passed = value <= limit
    return GateRow(
        stage=stage,
        judge=cell.judge,
        domain=cell.domain,
        quantity=quantity,
        criterion=criterion,
        value=value,
        threshold=limit,
        status="pass" if passed else "fail",
        action="" if passed else "Fit this analysis with engine = 'numpyro' and compare.",
    )


def _draws(
    posterior: CellPosterior, cell: Cell, stage: str, settings: EngineSettings
) -> dict[str, NDArray[np.float64]]:
    """Return stratified draws; both stages of a cell take their coordinates from one hypercube, so they stay independent."""
    total = settings.chains * settings.draws
    if total % 2:
        raise SamplingError(f"The exact engine stores draws in pairs; chains x draws = {total} is odd.")
    dims = len(posterior.names)
    rng = settings.seed.generator(f"exact/{cell.judge}\x1f{cell.domain}")
    cube = stratified_uniforms(rng, total // 2, 4 * len(_STAGES))
    first = 4 * _STAGES.index(stage)
    values = stratified_draws(posterior.log_density, posterior.lattice, cube[:, first : first + dims])
    return dict(zip(posterior.names, values, strict=True))


def _dataset(
    draws: list[dict[str, NDArray[np.float64]]], cells: tuple[Cell, ...], settings: EngineSettings
) -> xr.Dataset:
    shape = (settings.chains, settings.draws)
    names = sorted({name for one in draws for name in one})
    variables = {
        name: (("chain", "draw", "cell"), np.stack([one[name].reshape(shape) for one in draws], axis=-1))
        for name in names
    }
    coordinates = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1]), **cell_coordinates(cells)}
    return xr.Dataset(variables, coords=coordinates)
