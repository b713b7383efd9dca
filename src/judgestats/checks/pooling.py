"""Pooling: the effect of each cell when cells borrow from each other, beside the one that was fitted apart."""

from __future__ import annotations

from dataclasses import replace

from judgestats.checks.effect_summary import effect_name, fit_summary, outcome_of, sensitivity_row
from judgestats.checks.finding import SensitivityRow
from judgestats.draws.fit import StageFit
from judgestats.draws.gate import worst
from judgestats.draws.intervals import IntervalKind
from judgestats.errors import ConfigError
from judgestats.inference.choose import explain_choice, fit_stage
from judgestats.inference.contract import EngineSettings
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelSpec, StageSpec
from judgestats.trials.counts import StageCounts

FEW_LEVELS = 5


def pooling_rows(
    model: ModelSpec,
    counts: StageCounts,
    settings: EngineSettings,
    *,
    rope: tuple[float, float] | None = (-0.02, 0.02),
    ci_prob: float = 0.95,
    ci_kind: IntervalKind = "eti",
    engine: str = "auto",
    unpooled: StageFit | None = None,
) -> tuple[SensitivityRow, ...]:
    """Refit a stage with cells partially pooled over judges and domains.

    Parameters
    ----------
    model : ModelSpec
        The model as fitted, cells apart.
    counts : StageCounts
        Counts of one stage; they name it.
    settings : EngineSettings
        NUTS settings.
    rope, ci_prob, ci_kind : tuple of float or None, float, {"eti", "hdi"}
        Decision rule.
    engine : str
        ``auto`` takes numpyro where one item intercept is all there is, else pymc.
    unpooled : StageFit, optional
        The fit with cells apart; with it each pooled row has its unpooled one before it.

    Returns
    -------
    tuple of SensitivityRow
        Kind ``pooling``. The note warns where a variance over fewer than five judges or domains is mostly its prior,
        and where the refit did not pass its gate.

    Raises
    ------
    ConfigError
        If the model is partially pooled already, or there is one cell only.
    """
    _check(model, counts)
    stage = pooled_stage(model, counts)
    fit = fit_stage(stage, counts, settings, engine)
    note = _note(counts, fit)
    rows: list[SensitivityRow] = []
    for index, cell in enumerate(counts.cells):
        found = [(f"partially pooled ({fit.engine})", fit, note)]
        if unpooled is not None:
            found.insert(0, (f"unpooled ({unpooled.engine})", unpooled, ""))
        for setting, source, text in found:
            summary = fit_summary(source, index, ci_prob=ci_prob, ci_kind=ci_kind, rope=rope)
            outcome = outcome_of(summary, counts, index)
            rows.append(sensitivity_row(cell, "pooling", setting, effect_name(counts.stage), summary, outcome, text))
    return tuple(rows)


def _check(model: ModelSpec, counts: StageCounts) -> None:
    if model.options.pooling == "partial":
        raise ConfigError(
            "This model pools its cells already, so a pooled row beside it would repeat it.",
            allowed='pooling = "none" with this check',
            remedy='Set [options] pooling = "none", or leave the pooling check out.',
        )
    if len(counts.cells) < 2:
        raise ConfigError(
            "There is one judge x domain cell only, so there is nothing to pool.",
            allowed="at least two cells",
            remedy="Leave the pooling check out.",
        )


def pooled_stage(model: ModelSpec, counts: StageCounts) -> StageSpec:
    """Return the stage of `counts` with its cells partially pooled; priors that the analysis changed are kept."""
    columns = () if counts.clusters is None else ("cluster",)
    pooled = load_model(model.name, replace(model.options, pooling="partial"), columns).stage(counts.stage)
    fitted = model.stage(counts.stage)
    return pooled.with_priors({term.name: term.prior for term in fitted.terms if pooled.has(term.name)})


def pooling_engine(model: ModelSpec, counts: StageCounts) -> tuple[str, str]:
    """Return the engine that would refit the pooled stage and why, without running it."""
    return explain_choice(pooled_stage(model, counts), counts, "auto")


def _note(counts: StageCounts, fit: StageFit) -> str:
    judges = len({cell.judge for cell in counts.cells})
    domains = len({cell.domain for cell in counts.cells})
    few = [f"{n} {word}" for n, word in ((judges, "judge(s)"), (domains, "domain(s)")) if n < FEW_LEVELS]
    parts = [f"With {' and '.join(few)} the variances over them are mostly their priors."] if few else []
    if worst(fit.gate) == "fail":
        parts.append("The pooled refit did not pass its gate.")
    return " ".join(parts)
