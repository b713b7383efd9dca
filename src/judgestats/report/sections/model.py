"""Section 6: the model, its priors and what they imply before the data."""

from __future__ import annotations

import json

from judgestats.report.document import Block, Paragraph, Section, TableBlock, Verbatim
from judgestats.report.facts import CellFacts, ReportFacts
from judgestats.report.figures import model_graph, prior_posterior
from judgestats.report.labels import IMPLIED_PRIOR, STAGE_WORDS, statistic_label
from judgestats.report.numbers import fixed
from judgestats.report.tables import Column, Row, Table


def section(cell: CellFacts, report: ReportFacts) -> Section:
    """Return formulas, one-line readings, the prior table, the prior predictive and the folded specification."""
    card = report.analysis
    blocks: list[Block] = [
        Paragraph(f"{card.model_title or card.model} ({card.model}), cells {_pooling(card.pooling)}.")
    ]
    for stage, formula in card.formulas.items():
        blocks.append(Verbatim(formula, f"Formula, {STAGE_WORDS.get(stage, stage)}"))
    blocks.append(Paragraph(_reading(report)))
    panel = model_graph.panel(report)
    if panel is not None:
        blocks.append(panel)
    if report.priors:
        blocks.append(TableBlock(prior_table(report)))
        implied = implied_table(report)
        if implied.rows:
            blocks.append(TableBlock(implied))
    else:
        blocks.append(Paragraph("No prior table came with this run.", "warn"))
    prior = _prior_predictive(cell)
    if prior.rows:
        blocks.append(TableBlock(prior))
        comparison = prior_posterior.panel(cell, report)
        if comparison is not None:
            blocks.append(comparison)
    else:
        blocks.append(Paragraph("The prior predictive was not computed in this run.", "warn"))
    blocks.append(Verbatim(_specification(report), "Full specification", folded=True))
    return Section(6, "model", "Model and priors", tuple(blocks))


def _pooling(pooling: str) -> str:
    return "partially pooled over judges and domains" if pooling == "partial" else "not pooled: each stands for itself"


def _reading(report: ReportFacts) -> str:
    second = " and a cluster (template, answer)" if report.analysis.has_clusters else ""
    return (
        f"In words: each answer is valid or not, and each valid answer {report.analysis.success_word} or not, "
        f"with a probability that depends on "
        f"the block (coded -1/2 incongruent, +1/2 congruent) and on the item{second}, on the log-odds scale."
    )


def prior_table(report: ReportFacts) -> Table:
    """Return the prior of every parameter with what it implies on the probability scale and the reason for it."""
    heads = ("stage", "parameter", "meaning", "prior", "implies", "reason")
    rows = tuple(
        Row((STAGE_WORDS.get(r.stage, r.stage), r.parameter, r.meaning, r.prior, r.implied, r.reason))
        for r in report.priors
        if r.prior != IMPLIED_PRIOR
    )
    return Table("priors", "Priors", tuple(Column(h) for h in heads), rows)


def implied_table(report: ReportFacts) -> Table:
    """Return what the priors of a stage imply together; these quantities have no prior of their own."""
    heads = ("stage", "quantity", "meaning", "implied by the priors", "how")
    rows = tuple(
        Row((STAGE_WORDS.get(r.stage, r.stage), r.parameter, r.meaning, r.implied, r.reason))
        for r in report.priors
        if r.prior == IMPLIED_PRIOR
    )
    return Table("implied", "What the priors imply together", tuple(Column(h) for h in heads), rows)


def _prior_predictive(cell: CellFacts) -> Table:
    heads = ("stage", "block", "quantity", "prior mean", "lower 95 % (eti)", "upper 95 % (eti)", "observed")
    rows = tuple(
        Row(
            (
                STAGE_WORDS.get(r.stage, r.stage),
                r.block or "both",
                statistic_label(r.statistic),
                fixed(r.mean, 3),
                fixed(r.lower, 3),
                fixed(r.upper, 3),
                fixed(r.observed, 3),
            )
        )
        for r in cell.predictive
        if r.source == "prior"
    )
    columns = tuple(Column(h, "number" if i > 2 else "text") for i, h in enumerate(heads))
    return Table("prior-predictive", "Prior predictive: what the model expects before the data", columns, rows)


def _specification(report: ReportFacts) -> str:
    card = report.analysis
    spec = {"model": card.model, "formulas": card.formulas, "options": card.options, "pooling": card.pooling}
    return json.dumps(spec, indent=2, sort_keys=True, ensure_ascii=False, default=str)
