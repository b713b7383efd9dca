"""Within a cell: every quantity of one judge and domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from judgestats.draws.record import Record
from judgestats.estimands.catalog import estimand
from judgestats.estimands.cell_joint import CellJoint, JointFunction
from judgestats.estimands.cell_stage import CellStage, Function
from judgestats.estimands.consistency import consistency
from judgestats.estimands.decision import missing_blocks
from judgestats.estimands.delta_p import delta_p
from judgestats.estimands.delta_p_naive import delta_p_naive
from judgestats.estimands.error_ratio import error_ratio
from judgestats.estimands.log_odds import log_odds
from judgestats.estimands.prior_mass import PriorMasses
from judgestats.estimands.probabilities import Array, BlockProbabilities
from judgestats.estimands.recorder import Context, Recorder
from judgestats.estimands.tally import BLOCKS
from judgestats.estimands.valid_and_consistent import valid_and_consistent_difference
from judgestats.estimands.validity import validity
from judgestats.estimands.validity_difference import validity_difference
from judgestats.estimands.worst_case import worst_case_high, worst_case_low
from judgestats.spec.model import StageSpec

LEVELS: dict[str, tuple[str, Callable[[BlockProbabilities, str], Array]]] = {
    "validity": ("validity", validity),
    "shift": ("consistency", consistency),
}
EFFECTS: dict[str, dict[str, Function]] = {
    "validity": {"validity_difference": validity_difference},
    "shift": {"delta_p": delta_p, "log_odds": log_odds, "error_ratio": error_ratio},
}
REFERENCES = {"error_ratio": "congruent"}
JOINT: dict[str, JointFunction] = {
    "valid_and_consistent": lambda valid, both: valid_and_consistent_difference(both),
    "delta_p_naive": lambda valid, both: delta_p_naive(both),
    "worst_case_low": worst_case_low,
    "worst_case_high": worst_case_high,
}


def stage_records(
    cell_stage: CellStage, stage: StageSpec, recorder: Recorder, masses: PriorMasses, planted: float | None
) -> Iterator[Record]:
    """Yield the quantities of one stage: levels by block, then effects, each in every version.

    Parameters
    ----------
    cell_stage : CellStage
        The posterior.
    stage : StageSpec
        Its specification, for prior masses.
    recorder : Recorder
        Settings of the run.
    masses : PriorMasses
        Prior masses inside ROPEs.
    planted : float, optional
        Planted marginal Delta P of the cell.
    """
    missing = missing_blocks(cell_stage.fit.counts, cell_stage.index)
    level_name, level = LEVELS[stage.name]
    for version in cell_stage.versions:
        for block in BLOCKS:
            context = Context(
                level_name,
                (cell_stage.cell,),
                (stage.name,),
                version,
                block,
                estimable=block not in missing,
            )
            yield recorder.record(cell_stage.quantity(_at(level, block), version), context)
        for name, effect in EFFECTS[stage.name].items():
            rope = recorder.ropes.get(name)
            context = Context(
                name,
                (cell_stage.cell,),
                (stage.name,),
                version,
                reference=REFERENCES.get(name, "incongruent"),
                estimable=not missing,
                planted=planted if (name, version) == ("delta_p", "marginal") else None,
                p_rope_prior=masses.of_stage(stage, effect, version, rope, cell_stage.units) if rope else None,
            )
            ratio = estimand(name).scale == "ratio"
            yield recorder.record(cell_stage.quantity(effect, version, ratio=ratio), context)


def _at(level: Callable[[BlockProbabilities, str], Array], block: str) -> Function:
    return lambda probabilities: level(probabilities, block)


def joint_records(
    joint: CellJoint, stages: Mapping[str, StageSpec], recorder: Recorder, masses: PriorMasses
) -> Iterator[Record]:
    """Yield the quantities of both stages together, from paired draws.

    They are estimable wherever both blocks were asked: a block that lost every trial is known to have P(valid and
    consistent) near 0, whatever its P(consistent | valid).

    Parameters
    ----------
    joint : CellJoint
        Both stages of a cell.
    stages : mapping of str to StageSpec
        Specifications, for prior masses.
    recorder : Recorder
        Settings of the run.
    masses : PriorMasses
        Prior masses inside ROPEs.
    """
    cell, names = joint.validity.cell, ("validity", "shift")
    missing = missing_blocks(joint.validity.fit.counts, joint.validity.index)
    for version in joint.versions:
        for block in BLOCKS:
            quantity = joint.quantity(_both_at(block), version)
            context = Context("valid_and_consistent", (cell,), names, version, block, estimable=block not in missing)
            yield recorder.record(quantity, context)
        for name, function in JOINT.items():
            rope = recorder.ropes.get(name)
            mass = masses.of_both(stages["validity"], stages["shift"], function, version, rope) if rope else None
            context = Context(
                name,
                (cell,),
                names,
                version,
                reference="incongruent",
                estimable=not missing,
                p_rope_prior=mass,
            )
            yield recorder.record(joint.quantity(function, version), context)


def _both_at(block: str) -> JointFunction:
    return lambda valid, both: both.block(block)
