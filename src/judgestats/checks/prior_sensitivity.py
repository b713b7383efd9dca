"""Prior sensitivity: the effect refitted under other priors, with the outcome of the decision rule under each."""

from __future__ import annotations

from judgestats.checks.cell_lattice import CellLattice
from judgestats.checks.effect_summary import effect_name, fit_summary, lattice_summary, outcome_of, sensitivity_row
from judgestats.checks.finding import SensitivityRow
from judgestats.checks.prior_alternatives import Alternative, prior_alternatives
from judgestats.draws.intervals import IntervalKind
from judgestats.draws.summary import Summary
from judgestats.inference.cell_posterior import CellModel
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import ExactEngine
from judgestats.spec.model import ModelSpec, StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts


def prior_grid(
    model: ModelSpec,
    counts: StageCounts,
    settings: EngineSettings,
    *,
    rope: tuple[float, float] | None = (-0.02, 0.02),
    ci_prob: float = 0.95,
    ci_kind: IntervalKind = "eti",
    refit_engine: str | None = None,
) -> tuple[SensitivityRow, ...]:
    """Refit the marginal difference between the blocks over priors.

    Parameters
    ----------
    model : ModelSpec
        The model as fitted.
    counts : StageCounts
        Counts of one stage; they name it.
    settings : EngineSettings
        For progress, and for the engine where `refit_engine` is given.
    rope : tuple of float or None
        ROPE of the decision rule, probability scale; None decides against 0.
    ci_prob, ci_kind : float, {"eti", "hdi"}
        Probability and kind of the interval.
    refit_engine : str, optional
        Engine for the whole sets where the exact engine cannot serve, e.g. ``numpyro``: one full fit each. None
        leaves such stages to power-scaling.

    Returns
    -------
    tuple of SensitivityRow
        Kind ``prior``; per cell the fitted priors first. ``note`` says where the outcome differs from that under the
        fitted priors. Empty where the exact engine cannot serve and no `refit_engine` is given.
    """
    stage = model.stage(counts.stage)
    alternatives = prior_alternatives(stage)
    if ExactEngine().refusal(stage, counts) is None:
        return _exact_rows(stage, counts, settings, alternatives, rope, ci_prob, ci_kind)
    if refit_engine is None:
        return ()
    whole = tuple(a for a in alternatives if a.whole)
    return _refit_rows(counts, settings, whole, rope, ci_prob, ci_kind, refit_engine)


def _exact_rows(
    stage: StageSpec,
    counts: StageCounts,
    settings: EngineSettings,
    alternatives: tuple[Alternative, ...],
    rope: tuple[float, float] | None,
    ci_prob: float,
    ci_kind: IntervalKind,
) -> tuple[SensitivityRow, ...]:
    rows: list[SensitivityRow] = []
    for index, cell in enumerate(counts.cells):
        lattice = CellLattice.over(
            CellModel.of(stage, counts.select(index)), [alternative.stage for alternative in alternatives[1:]]
        )
        found = []
        for alternative in alternatives:
            mean = lattice.mean_delta(lattice.log_posterior(alternative.stage))
            found.append(
                lattice_summary(lattice.effect(alternative.stage), mean, ci_prob=ci_prob, ci_kind=ci_kind, rope=rope)
            )
        rows += _cell_rows(cell, counts, index, alternatives, found)
        if settings.progress is not None:
            settings.progress(f"{counts.stage}: priors", index + 1, len(counts.cells))
    return tuple(rows)


def _refit_rows(
    counts: StageCounts,
    settings: EngineSettings,
    alternatives: tuple[Alternative, ...],
    rope: tuple[float, float] | None,
    ci_prob: float,
    ci_kind: IntervalKind,
    engine: str,
) -> tuple[SensitivityRow, ...]:
    from judgestats.inference.choose import fit_stage

    fits = [fit_stage(alternative.stage, counts, settings, engine) for alternative in alternatives]
    rows: list[SensitivityRow] = []
    for index, cell in enumerate(counts.cells):
        found = [fit_summary(fit, index, ci_prob=ci_prob, ci_kind=ci_kind, rope=rope) for fit in fits]
        rows += _cell_rows(cell, counts, index, alternatives, found)
    return tuple(rows)


def _cell_rows(
    cell: Cell,
    counts: StageCounts,
    index: int,
    alternatives: tuple[Alternative, ...],
    summaries: list[Summary],
) -> list[SensitivityRow]:
    outcomes = [outcome_of(summary, counts, index) for summary in summaries]
    rows = []
    for alternative, summary, outcome in zip(alternatives, summaries, outcomes, strict=True):
        note = "" if outcome == outcomes[0] else f"The outcome changes from {outcomes[0]} to {outcome}."
        rows.append(
            sensitivity_row(cell, "prior", alternative.setting, effect_name(counts.stage), summary, outcome, note)
        )
    return rows
