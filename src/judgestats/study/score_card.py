"""Score card: what an analysis of scores asks and how, in the words of the report."""

from __future__ import annotations

from dataclasses import asdict

from judgestats.report.findings import AnalysisCard
from judgestats.study.card import ordered
from judgestats.study.score_posteriors import ENGINE, WHY
from judgestats.study.score_setup import ScoreSetup

EFFECT_NAME = "score shift"
EFFECT_DEFINITION = "E(score | variant, valid) - E(score | base, valid), in score points"
FORMULAS = {
    "bernoulli_logit": "logit P({response}) = alpha[cell] + effect[cell, variant] + u[cell, item]; u ~ N(0, sigma_item^2)",
    "cumulative_logit": "logit P(level <= k | valid) = threshold_k[cell] - effect[cell, variant] - u[cell, item]; "
    "u ~ N(0, sigma_item^2)",
    "rounded_t": "difference | moved = a student-t at effect[cell, variant] + u[cell, item], rounded to a step of the scale, "
    "truncated to what the base score allows, 0 left out; u ~ N(0, sigma_item^2)",
}
_RESPONSES = {"validity": "valid", "moved": "scores differ | both valid"}


def score_card(setup: ScoreSetup) -> AnalysisCard:
    """Return the card of an analysis of scores; nothing in it depends on a fit."""
    analysis, model = setup.analysis, setup.model
    cells = setup.rows["validity"].cells
    named = analysis.report.effect_name != type(analysis.report)().effect_name
    return AnalysisCard(
        name=analysis.name,
        title=analysis.title,
        question=analysis.question,
        design=analysis.design,
        judges=ordered(analysis.report.judges, {cell.judge for cell in cells}),
        domains=ordered(analysis.report.domains, {cell.domain for cell in cells}),
        model=model.name,
        model_title=model.title,
        formulas={
            stage.name: FORMULAS[stage.family].format(response=_RESPONSES.get(stage.name, stage.response))
            for stage in model.stages
        },
        options=asdict(analysis.options),
        engine=dict.fromkeys(setup.rows, ENGINE),
        engine_why=dict.fromkeys(setup.rows, WHY),
        ci_prob=analysis.decision.ci_prob,
        ci_kind=analysis.decision.ci_kind,
        rope=(-setup.rope, setup.rope),
        decision_rule=analysis.decision.words("score"),
        seed=analysis.seed,
        effect_name=analysis.report.effect_name if named else EFFECT_NAME,
        effect_definition=analysis.report.effect_definition if named else EFFECT_DEFINITION,
        limitations=analysis.report.limitations,
        simulated=analysis.simulation is not None,
        pooling=analysis.options.pooling,
        has_clusters=False,
        success_word="valid",
    )
