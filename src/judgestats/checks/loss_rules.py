"""Loss rules: the effect with lost trials left out, counted inconsistent, and modelled."""

from __future__ import annotations

from collections.abc import Mapping

from judgestats.checks.effect_summary import fit_summary, outcome_of, refit_summary, sensitivity_row
from judgestats.checks.finding import SensitivityRow
from judgestats.draws.fit import StageFit
from judgestats.draws.intervals import IntervalKind
from judgestats.draws.summary import Summary, summarise
from judgestats.estimands.cell_joint import CellJoint
from judgestats.estimands.cell_stage import CellStage
from judgestats.estimands.valid_and_consistent import valid_and_consistent_difference
from judgestats.inference.choose import fit_stage
from judgestats.inference.contract import EngineSettings
from judgestats.spec.model import ModelSpec
from judgestats.trials.counts import StageCounts

LEFT_OUT = "lost trials left out (conditional on a valid answer)"
INCONSISTENT = "lost trials counted inconsistent"
MODELLED = "lost trials modelled (valid and consistent, both stages)"


def loss_rules(
    model: ModelSpec,
    fits: Mapping[str, StageFit],
    inconsistent: StageCounts,
    settings: EngineSettings,
    *,
    rope: tuple[float, float] | None = (-0.02, 0.02),
    ci_prob: float = 0.95,
    ci_kind: IntervalKind = "eti",
) -> tuple[SensitivityRow, ...]:
    """Return three rows per cell: what the effect is under three rules for lost trials.

    Parameters
    ----------
    model : ModelSpec
        The model as fitted.
    fits : mapping of str to StageFit
        Fits of ``validity`` and ``shift``.
    inconsistent : StageCounts
        Shift stage in which every lost trial counts as inconsistent, from `trials.coding.invalid_as_inconsistent`.
    settings : EngineSettings
        For the refit under that rule, by the engine of the shift stage.
    rope, ci_prob, ci_kind : tuple of float or None, float, {"eti", "hdi"}
        Decision rule.

    Returns
    -------
    tuple of SensitivityRow
        Kind ``loss_rule``. The first is the reported Delta P; the second answers another question, because a refusal
        is not an inconsistent answer; the third estimates the same difference as the second with its two stages
        apart. ``note`` counts the lost trials by block.

    Raises
    ------
    ValueError
        If the counts are not of the cells that were fitted.
    """
    shift = fits["shift"]
    if inconsistent.cells != shift.counts.cells:
        raise ValueError("the counts with lost trials as inconsistent must hold the cells of the fits, in their order")
    counted = _counted_summaries(model, shift, inconsistent, settings, ci_prob, ci_kind, rope)
    asked, kept = inconsistent.totals(), shift.counts.totals()
    rows: list[SensitivityRow] = []
    for index, cell in enumerate(shift.counts.cells):
        lost = asked[index, :, 0] - kept[index, :, 0]
        note = (
            f"Lost: {lost[0]} of {asked[index, 0, 0]} congruent, {lost[1]} of {asked[index, 1, 0]} incongruent trials."
        )
        found: tuple[tuple[str, str, Summary, StageCounts], ...] = (
            (LEFT_OUT, "delta_p", fit_summary(shift, index, ci_prob=ci_prob, ci_kind=ci_kind, rope=rope), shift.counts),
            (INCONSISTENT, "delta_p_naive", counted[index], inconsistent),
            (MODELLED, "valid_and_consistent", _joint_summary(fits, index, ci_prob, ci_kind, rope), inconsistent),
        )
        for setting, estimand, summary, counts in found:
            outcome = outcome_of(summary, counts, index)
            rows.append(sensitivity_row(cell, "loss_rule", setting, estimand, summary, outcome, note))
    return tuple(rows)


def _counted_summaries(
    model: ModelSpec,
    shift: StageFit,
    inconsistent: StageCounts,
    settings: EngineSettings,
    ci_prob: float,
    ci_kind: IntervalKind,
    rope: tuple[float, float] | None,
) -> list[Summary]:
    """Refit every cell with its lost trials counted inconsistent, by the engine of the shift stage."""
    stage, cells = model.stage("shift"), range(len(inconsistent.cells))
    if shift.engine == "exact":
        return [
            refit_summary(stage, inconsistent, index, ci_prob=ci_prob, ci_kind=ci_kind, rope=rope) for index in cells
        ]
    refit = fit_stage(stage, inconsistent, settings, shift.engine)
    return [fit_summary(refit, index, ci_prob=ci_prob, ci_kind=ci_kind, rope=rope) for index in cells]


def _joint_summary(
    fits: Mapping[str, StageFit], index: int, ci_prob: float, ci_kind: IntervalKind, rope: tuple[float, float] | None
) -> Summary:
    """Return the difference of P(valid and consistent) from draws of both stages paired by index."""
    cell = fits["shift"].counts.cells[index]
    joint = CellJoint(CellStage(fits["validity"], cell), CellStage(fits["shift"], cell))
    quantity = joint.quantity(lambda valid, both: valid_and_consistent_difference(both), "marginal")
    return summarise(quantity, ci_prob=ci_prob, ci_kind=ci_kind, rope=rope)
