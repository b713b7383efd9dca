"""Evaluate: all records of one run."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from judgestats.draws.fit import StageFit
from judgestats.draws.intervals import IntervalKind
from judgestats.draws.record import Record
from judgestats.estimands.across_cells import Effects, average_records, contrast_records, rank_records
from judgestats.estimands.cell_joint import CellJoint
from judgestats.estimands.cell_stage import CellStage
from judgestats.estimands.decision import DEFAULT_ROPES
from judgestats.estimands.observed_units import effect_draws
from judgestats.estimands.prior_mass import PriorMasses
from judgestats.estimands.recorder import Recorder
from judgestats.estimands.within_cell import joint_records, stage_records
from judgestats.seeds import Seed
from judgestats.spec.model import ModelSpec
from judgestats.trials.cell import Cell

Ropes = tuple[float, float] | Mapping[str, tuple[float, float]] | None


def evaluate(
    model: ModelSpec,
    fits: Mapping[str, StageFit],
    *,
    rope: Ropes = DEFAULT_ROPES["delta_p"],
    ci_prob: float = 0.95,
    ci_kind: IntervalKind = "eti",
    seed: Seed,
    status_counts: pd.DataFrame,
    planted: Mapping[tuple[str, str], float] | None = None,
    setting: str = "unpooled",
) -> tuple[Record, ...]:
    """Return every record of one run: by cell and stage, jointly, and across cells.

    Single-stage quantities come from posterior lines where a fit has them; joint quantities, contrasts, ranks and
    averages from draws paired by index; in-sample versions from item effects.

    Parameters
    ----------
    model : ModelSpec
        The model; the stages that were fitted must be among its stages.
    fits : mapping of str to StageFit
        Fits by stage name; joint quantities need both.
    rope : tuple of float, mapping or None
        ROPE of Delta P, or ROPEs by estimand; None for none.
    ci_prob, ci_kind : float, {"eti", "hdi"}
        Interval.
    seed : Seed
        Root seed.
    status_counts : pandas.DataFrame
        Columns ``judge domain block status n``; see `TrialTable.status_counts`.
    planted : mapping of (judge, domain) to float, optional
        Planted marginal Delta P of simulated trials.
    setting : str
        Kept in the records: ``unpooled``, ``pooled`` ...

    Returns
    -------
    tuple of Record
        In the order: cells (validity stage, shift stage, joint), contrasts, ranks, averages.
    """
    recorder = Recorder(model.name, fits, status_counts, _ropes(rope), ci_prob, ci_kind, setting)
    masses, known = PriorMasses(seed), dict(planted or {})
    stages = {name: model.stage(name) for name in fits}
    by_stage = {name: cell_stages(stages[name].name, model, fits[name], seed) for name in fits}
    records: list[Record] = []
    for cell in sorted({cell for cells in by_stage.values() for cell in cells}):
        found = {name: cells[cell] for name, cells in by_stage.items() if cell in cells}
        for name, one in found.items():
            records += stage_records(one, stages[name], recorder, masses, known.get((cell.judge, cell.domain)))
        if "validity" in found and "shift" in found:
            joint = CellJoint(found["validity"], found["shift"])
            records += joint_records(joint, stages, recorder, masses)
    effects = [Effects(stages[name], cells, known) for name, cells in by_stage.items()]
    for one_stage in effects:
        records += contrast_records(one_stage, recorder)
    records += [r for e in effects if e.name == "delta_p" for r in rank_records(e, recorder)]
    for one_stage in effects:
        records += average_records(one_stage, recorder, masses, seed)
    return tuple(records)


def cell_stages(stage: str, model: ModelSpec, fit: StageFit, seed: Seed) -> dict[Cell, CellStage]:
    """Return the posterior of every cell of one stage, with item effects where the engine gives them."""
    effects = effect_draws(model.stage(stage), fit, seed)
    return {cell: CellStage(fit, cell, effects) for cell in fit.counts.cells}


def _ropes(rope: Ropes) -> dict[str, tuple[float, float]]:
    if rope is None:
        return {}
    if isinstance(rope, Mapping):
        return {name: (float(low), float(high)) for name, (low, high) in rope.items()}
    low, high = rope
    return {"delta_p": (float(low), float(high))}
