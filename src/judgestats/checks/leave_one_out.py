"""Leave-one-out, exactly: a cell refitted on a lattice without each of its items (or clusters)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from judgestats.checks.cell_lattice import CellLattice, normalised
from judgestats.checks.effect_summary import effect_name, outcome_of, refit_summary, sensitivity_row
from judgestats.checks.finding import SensitivityRow
from judgestats.checks.likelihood_units import cluster_patterns, item_patterns
from judgestats.draws.fit import StageFit
from judgestats.draws.intervals import IntervalKind
from judgestats.inference.cell_posterior import CellModel
from judgestats.inference.nested_table import nested_log_likelihood
from judgestats.inference.pattern_table import PatternTable
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]

_NODES = 61
EDGE_LIMIT = 1e-8


@dataclass(frozen=True)
class LeftOut:
    """What happens to one cell without each of its units.

    Parameters
    ----------
    unit : {"item", "cluster"}
        What was left out.
    names : tuple of str
        The units that have a trial.
    elpd : ndarray, dims (unit,)
        Log predictive density of each unit under the posterior without it, nats, no binomial constant.
    mean_delta : float
        Posterior mean of the marginal difference between the blocks with every unit, probability scale.
    influence : ndarray, dims (unit,)
        That mean without the unit minus that mean with it.
    """

    unit: str
    names: tuple[str, ...]
    elpd: Array
    mean_delta: float
    influence: Array


def leave_out_cells(stage: StageSpec, fit: StageFit) -> dict[Cell, LeftOut]:
    """Leave out every unit of every cell of an exact fit, once; empty for other engines.

    Parameters
    ----------
    stage : StageSpec
        The stage as fitted.
    fit : StageFit
        Its posterior; only the engine's name and the counts are used, every refit is made anew.
    """
    if fit.engine != "exact":
        return {}
    tables = {cell: fit.counts.select(index) for index, cell in enumerate(fit.counts.cells)}
    return {cell: leave_out_units(stage, table) for cell, table in tables.items() if table.trials.size}


def leave_out_units(stage: StageSpec, counts: StageCounts) -> LeftOut:
    """Refit one cell without each of its units: items, or clusters where clusters hold whole items.

    Units with equal answers share a refit. log p(y_i | rest) is a ratio of two sums over one lattice; where the
    posterior without a unit reaches the edge of that lattice, the unit gets a lattice of its own.
    """
    model = CellModel.of(stage, counts)
    lattice = CellLattice.over(model)
    base = lattice.log_posterior()
    with_all = lattice.mean_delta(base)
    kinds = _distinct_units(model, lattice)
    scores, means = [], []
    for without, log_unit in kinds:
        rest = base - log_unit
        if _edge_mass(rest, lattice) > EDGE_LIMIT:
            score, mean = _own_refit(model, without)
        else:
            score, mean = float(logsumexp(base) - logsumexp(rest)), lattice.mean_delta(rest)
        scores.append(score)
        means.append(mean)
    unit, names, kind_of = _unit_names(model, counts)
    return LeftOut(
        unit=unit,
        names=names,
        elpd=np.array(scores)[kind_of],
        mean_delta=with_all,
        influence=np.array(means)[kind_of] - with_all,
    )


def leave_one_out_rows(
    stage: StageSpec,
    counts: StageCounts,
    left_out: Mapping[Cell, LeftOut],
    *,
    rope: tuple[float, float] | None,
    ci_prob: float = 0.95,
    ci_kind: IntervalKind = "eti",
) -> tuple[SensitivityRow, ...]:
    """Return, per cell, the refit without the unit that lowers the effect most and without the one that raises it most.

    Parameters
    ----------
    stage : StageSpec
        The stage as fitted.
    counts : StageCounts
        Its counts.
    left_out : mapping of Cell to LeftOut
        From `leave_out_cells`.
    rope, ci_prob, ci_kind : tuple of float or None, float, {"eti", "hdi"}
        Decision rule.
    """
    rows: list[SensitivityRow] = []
    for index, cell in enumerate(counts.cells):
        if cell not in left_out or len(left_out[cell].names) < 2:
            continue
        one, found = counts.select(index), left_out[cell]
        for word, position in (
            ("lowest", int(np.argmin(found.influence))),
            ("highest", int(np.argmax(found.influence))),
        ):
            rest = _without(one, found, position)
            summary = refit_summary(stage, rest, 0, ci_prob=ci_prob, ci_kind=ci_kind, rope=rope)
            note = f"The {word} estimate of {len(found.names)} refits, each without one {found.unit}."
            setting = f"without {found.unit} {found.names[position]}"
            outcome = outcome_of(summary, rest, 0)
            rows.append(
                sensitivity_row(cell, "leave_one_out", setting, effect_name(counts.stage), summary, outcome, note)
            )
    return tuple(rows)


def _without(counts: StageCounts, found: LeftOut, position: int) -> StageCounts:
    """Return a one-cell table without one unit."""
    if found.unit == "item":
        keep = counts.item != counts.items[0].index(found.names[position])
    else:
        if counts.cluster is None or counts.clusters is None:
            raise ValueError("these counts have no cluster")
        keep = counts.cluster != counts.clusters[0].index(found.names[position])
    return replace(
        counts,
        cell=counts.cell[keep],
        item=counts.item[keep],
        cluster=None if counts.cluster is None else counts.cluster[keep],
        block=counts.block[keep],
        trials=counts.trials[keep],
        successes=counts.successes[keep],
    )


def _distinct_units(model: CellModel, lattice: CellLattice) -> Iterator[tuple[CellModel, Array]]:
    """Yield, for every distinct unit, the model without one such unit and the unit's log-likelihood on the lattice."""
    grid = lattice.lattice
    if model.clusters is None:
        table, one = PatternTable(grid, _NODES), np.ones(1, dtype=np.int64)
        for kind, pattern in enumerate(model.items.patterns):
            fewer = model.items.counts.copy()
            fewer[kind] -= 1
            yield replace(model, items=replace(model.items, counts=fewer)), table.total(pattern[None], one)
        return
    for row in np.unique(model.clusters, axis=0):
        first = int(np.flatnonzero((model.clusters == row).all(axis=1))[0])
        rest = replace(model, clusters=np.delete(model.clusters, first, axis=0))
        yield rest, nested_log_likelihood(grid, model.items.patterns, row[None], _NODES)


def _unit_names(model: CellModel, counts: StageCounts) -> tuple[str, tuple[str, ...], NDArray[np.int64]]:
    """Return the kind of unit, the units' names and which distinct unit each of them is."""
    if model.clusters is None:
        found = item_patterns(counts)
        return "item", found.names, found.of_name
    _, names, _ = cluster_patterns(counts)
    kind_of = np.unique(model.clusters, axis=0, return_inverse=True)[1]
    return "cluster", names, kind_of.ravel().astype(np.int64)


def _own_refit(model: CellModel, without: CellModel) -> tuple[float, float]:
    """Return log p(unit | rest) and the mean effect on a lattice made for the posterior without the unit.

    The evidence of both data sets is taken on that lattice: the posterior with the unit lies within it.
    """
    lattice = CellLattice.over(without, [])
    rest = lattice.log_posterior()
    full = CellLattice.on(model, lattice.lattice).log_posterior()
    return float(logsumexp(full) - logsumexp(rest)), lattice.mean_delta(rest)


def _edge_mass(log_posterior: Array, lattice: CellLattice) -> float:
    """Return the largest mass at an outer edge: both ends of alpha and beta, the upper ends of the scales."""
    weights, found = normalised(log_posterior), 0.0
    for dim, nodes in enumerate(lattice.lattice.axes):
        marginal = weights.sum(axis=tuple(d for d in range(weights.ndim) if d != dim))
        lower = 0.0 if nodes[0] == 0.0 and dim < len(lattice.lattice.scales) else float(marginal[0])
        found = max(found, lower, float(marginal[-1]))
    return found
