"""Section 4: every estimate of the cell, one table a scale."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.report import loss
from judgestats.report.document import Block, Listing, Paragraph, Section, TableBlock
from judgestats.report.facts import CellFacts, Estimate, ReportFacts
from judgestats.report.labels import COLUMN_LEGEND, SCALE_WORDS, STAGE_WORDS
from judgestats.report.numbers import count
from judgestats.report.sections.columns import estimate_table

EFFECT = "delta_p"
FIRST = ("difference", "probability_difference", "probability", "log_odds", "log-odds", "ratio")


def section(cell: CellFacts, report: ReportFacts) -> Section:
    """Return levels first, then the estimates by scale, then what the columns mean."""
    if not cell.estimates:
        return Section(4, "estimates", "Estimates", (Paragraph("No estimates were made for this cell."),))
    blocks: list[Block] = [Listing(_levels(cell, report))]
    if cell.gate.status == "fail":
        blocks.append(
            Paragraph("The gate failed: these numbers are here to find the fault and are not to be quoted.", "fail")
        )
    shown = without_repeats(cell.estimates)
    scales = dict.fromkeys(e.scale for e in shown)
    order = [s for s in FIRST if s in scales] + [s for s in scales if s not in FIRST]
    for scale in order:
        rows = sorted((e for e in shown if e.scale == scale), key=lambda e: e.estimand != EFFECT)
        blocks += _tables(scale, [e for e in rows if _leading(e)], [e for e in rows if not _leading(e)], report)
    if cell.loss.naive is not None and cell.loss.lost:
        blocks.append(Paragraph(loss.two_naive(cell)))
    blocks.append(Paragraph(COLUMN_LEGEND, "note"))
    blocks.append(
        Paragraph(
            "Versions: marginal integrates the item effects out (a new item of the same kind), observed items averages over "
            "the items of this test, typical item sets the item effect to 0."
        )
    )
    return Section(4, "estimates", "Estimates", tuple(blocks))


def without_repeats(estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Return estimates without the difference of P(valid and consistent) where the naive effect is the same number."""
    naive = {e.version for e in estimates if e.estimand == "delta_p_naive"}
    return tuple(
        e
        for e in estimates
        if e.estimand != "valid_and_consistent" or e.scale == "probability" or e.version not in naive
    )


HDI_OF_RATIO = (
    "A highest-density interval depends on the scale: that of a ratio is neither the inverse of that of the inverted ratio nor "
    "follows from that of the log-odds. Median and equal-tailed intervals do."
)


def _leading(estimate: Estimate) -> bool:
    """Whether a row stands in the open table: marginal versions, and every version of the effect itself."""
    return estimate.version in (None, "marginal") or estimate.estimand == EFFECT


def _tables(scale: str, leading: list[Estimate], other: list[Estimate], report: ReportFacts) -> list[Block]:
    caption = SCALE_WORDS.get(scale, scale.replace("_", " ").capitalize())
    kind, prob = report.analysis.ci_kind, report.analysis.ci_prob
    key = f"estimates-{scale.replace(' ', '-')}"
    out: list[Block] = []
    if leading:
        planted = any(e.planted.value is not None for e in leading)
        out.append(TableBlock(estimate_table(key, caption, leading, kind, prob, planted=planted)))
    if kind == "hdi" and scale == "ratio":
        out.append(Paragraph(HDI_OF_RATIO, "note"))
    if other:
        summary = f"{caption}: observed items and typical item"
        out.append(TableBlock(estimate_table(f"{key}-other", summary, other, kind, prob), True, summary))
    return out


def _levels(cell: CellFacts, report: ReportFacts) -> tuple[str, ...]:
    n_items = "not recorded" if cell.n_items is None else count(cell.n_items).text
    per_item = "" if cell.trials_per_item is None else f", at most {cell.trials_per_item} valid trials each"
    lines = [f"Items: {n_items}{per_item}."]
    lines.append(f"Trials: {count(cell.loss.asked)} asked, {count(cell.loss.valid)} valid.")
    lines.append(
        f"Clusters: {'a second intercept was fitted' if report.analysis.has_clusters else 'none in this design'}."
    )
    for stage, engine in report.analysis.engine.items():
        lines.append(f"Engine, {STAGE_WORDS.get(stage, stage)}: {engine}.")
    return tuple(lines)
