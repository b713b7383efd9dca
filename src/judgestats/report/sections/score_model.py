"""Section 10 of scores: the model and its priors."""

from __future__ import annotations

import json

from judgestats.report.document import Block, Paragraph, Section, TableBlock, Verbatim
from judgestats.report.labels import IMPLIED_PRIOR
from judgestats.report.score_facts import ScoreReportFacts
from judgestats.report.score_labels import score_stage
from judgestats.report.tables import Column, Row, Table


def section(report: ScoreReportFacts) -> Section:
    """Return formulas, a reading, the prior tables and the folded specification."""
    card = report.analysis
    how = (
        "partially pooled over judges and domains"
        if card.pooling == "partial"
        else "not pooled: each stands for itself"
    )
    blocks: list[Block] = [Paragraph(f"{card.model_title or card.model} ({card.model}), cells {how}.")]
    blocks.append(
        Paragraph(
            "In words: an answer is valid or not, and a valid answer gets a score, each with a tendency that depends on the "
            "variant and on the item. Estimates integrate the item effects out: they are about a new item of the same kind."
        )
    )
    for stage, formula in card.formulas.items():
        blocks.append(Verbatim(formula, f"Formula, {score_stage(stage)}"))
    if report.priors:
        blocks.append(TableBlock(prior_table(report)))
        implied = implied_table(report)
        if implied.rows:
            blocks.append(TableBlock(implied))
    else:
        blocks.append(Paragraph("No prior table came with this run.", "warn"))
    spec = {"model": card.model, "formulas": card.formulas, "options": card.options, "pooling": card.pooling}
    text = json.dumps(spec, indent=2, sort_keys=True, ensure_ascii=False, default=str)
    blocks.append(Verbatim(text, "Full specification", folded=True))
    return Section(10, "model", "Model and priors", tuple(blocks))


def prior_table(report: ScoreReportFacts) -> Table:
    """Return the prior of every parameter with what it implies and the reason for it."""
    heads = ("stage", "parameter", "meaning", "prior", "implies", "reason")
    rows = tuple(
        Row((score_stage(r.stage), r.parameter, r.meaning, r.prior, r.implied, r.reason))
        for r in report.priors
        if r.prior != IMPLIED_PRIOR
    )
    return Table("priors", "Priors", tuple(Column(h) for h in heads), rows)


def implied_table(report: ScoreReportFacts) -> Table:
    """Return what the priors of a stage imply together."""
    heads = ("stage", "quantity", "meaning", "implied by the priors", "how")
    rows = tuple(
        Row((score_stage(r.stage), r.parameter, r.meaning, r.implied, r.reason))
        for r in report.priors
        if r.prior == IMPLIED_PRIOR
    )
    return Table("implied", "What the priors imply together", tuple(Column(h) for h in heads), rows)
