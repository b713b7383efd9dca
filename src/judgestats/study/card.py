"""Card: what was asked and how, in the words of the report, from an analysis and its resolved model."""

from __future__ import annotations

from dataclasses import asdict

from judgestats.report.findings import AnalysisCard
from judgestats.spec.model import StageSpec
from judgestats.study.check_suite import rope_of
from judgestats.study.posteriors import engine_choice
from judgestats.study.setup import Setup

_RESPONSE = {"validity": "valid", "shift": "consistent | valid"}


def analysis_card(setup: Setup) -> AnalysisCard:
    """Return the card of an analysis; nothing in it depends on a fit."""
    analysis, model = setup.analysis, setup.model
    engines = engine_choice(setup)
    cells = setup.counts["validity"].cells
    return AnalysisCard(
        name=analysis.name,
        title=analysis.title,
        question=analysis.question,
        design=analysis.design,
        judges=ordered(analysis.report.judges, {cell.judge for cell in cells}),
        domains=ordered(analysis.report.domains, {cell.domain for cell in cells}),
        model=model.name,
        model_title=model.title,
        formulas={stage.name: formula(stage) for stage in model.stages},
        options=asdict(analysis.options),
        engine={stage: name for stage, (name, _) in engines.items()},
        engine_why={stage: why for stage, (_, why) in engines.items()},
        ci_prob=analysis.decision.ci_prob,
        ci_kind=analysis.decision.ci_kind,
        rope=rope_of(setup),
        decision_rule=analysis.decision.words(),
        seed=analysis.seed,
        effect_name=analysis.report.effect_name,
        effect_definition=analysis.report.effect_definition,
        limitations=analysis.report.limitations,
        simulated=bool(analysis.planted_values()),
        pooling=analysis.options.pooling,
        has_clusters=any(stage.has("sigma_cluster") for stage in model.stages),
        success_word="default-label" if setup.table.choice.free_assignment else "consistent",
    )


def formula(stage: StageSpec) -> str:
    """Return a stage as one line of plain text, read off its active terms.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    """
    parts, spreads = [], []
    for term in stage.terms:
        if term.kind == "product":
            body = f"{term.name}[{', '.join(f for f in term.factors if f != 'block')}]"
            by_block = "block" in term.factors
        else:
            letter = term.symbol.removeprefix("sigma_").removeprefix("tau_")
            body = f"{letter}[{', '.join(dict.fromkeys((*term.factors, str(term.group))))}]"
            by_block = term.of == "block"
            spreads.append(f"{letter} ~ N(0, {term.name}^2)")
        parts.append(f"{body} * block" if by_block else body)
    response = _RESPONSE.get(stage.name, stage.response)
    return f"logit P({response}) = {' + '.join(parts)}" + "".join(f"; {text}" for text in spreads)


def ordered(declared: tuple[str, ...], present: set[str]) -> tuple[str, ...]:
    """Return the names that are present, the declared ones first and in their order."""
    first = tuple(name for name in declared if name in present)
    return (*first, *sorted(present - set(first)))
