"""Section 5 of scores: the raw scores of base and variants."""

from __future__ import annotations

from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.figures import score_distributions
from judgestats.report.numbers import NOTHING, Number, count, fixed
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts, VariantFacts
from judgestats.report.tables import Column, Row, Table


def section(cell: ScoreCellFacts, report: ScoreReportFacts) -> Section:
    """Return the histograms and the plain arithmetic on raw scores; nothing here is modelled."""
    title = "Score distributions, base against variant"
    if not any(v.raw is not None for v in cell.variants):
        return Section(5, "distributions", title, (Paragraph("Raw scores did not come with this run.", "warn"),))
    blocks: list[Block] = [
        Paragraph(
            "Plain arithmetic on the valid scores, without a model: where it and the estimates part, look at the loss."
        )
    ]
    panel = score_distributions.panel(cell, report)
    if panel is not None:
        blocks.append(panel)
    blocks.append(TableBlock(_table(cell)))
    return Section(5, "distributions", title, tuple(blocks))


def _table(cell: ScoreCellFacts) -> Table:
    heads: tuple[str, ...] = (
        "valid scores",
        "mean (points)",
        "sd (points)",
        "pairs with the base",
        "pairs that differ",
    )
    heads += ("mean difference (points)", "sd of differences (points)", "d (sd)", "dz (sd)", "W1 (points)")
    heads += ("share falling by 1", "share falling by 2")
    columns = (Column("variant"), *(Column(h, "number") for h in heads))
    rows = tuple(Row((v.name, *_numbers(v))) for v in cell.variants if v.raw is not None)
    note = "d and W1 compare the scores of the pairs; dz divides the mean difference by the sd of the differences."
    return Table("raw", "Raw scores", columns, rows, note).without_empty_columns()


def _numbers(v: VariantFacts) -> tuple[Number, ...]:
    r = v.raw
    assert r is not None
    pairs = (NOTHING, NOTHING) if v.variant.is_base else (count(r.n_pairs), count(r.moved))
    rest = (r.shift, r.shift_sd, r.cohens_d, r.cohens_dz, r.wasserstein1, r.drop_1, r.drop_2)
    return (count(sum(r.levels)), fixed(r.mean, 2), fixed(r.sd, 2), *pairs, *(fixed(x, 3) for x in rest))
