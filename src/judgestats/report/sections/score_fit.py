"""Section 8 of scores: whether the model reproduces the shares of the levels."""

from __future__ import annotations

from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.numbers import count, fixed, probability
from judgestats.report.score_facts import ScoreCellFacts, VariantFacts
from judgestats.report.tables import Column, Row, Table


def section(cell: ScoreCellFacts) -> Section:
    """Return the posterior predictive check of every level, counted by variant and in full."""
    checked = [v for v in cell.variants if v.predictive]
    title = "Does it fit?"
    if not checked:
        said = Paragraph("Posterior predictive checks were not computed in this run.", "warn")
        return Section(8, "fit", title, (said,))
    total = sum(len(v.predictive) for v in checked)
    out = sum(_outside(v) for v in checked)
    blocks: list[Block] = [
        Paragraph(
            f"Posterior predictive check of the share of every score level: {out} of {total} observed shares lie outside their "
            "95 % predictive interval. Good: about one in twenty, or fewer, and none far out."
        ),
        TableBlock(_summary(checked)),
    ]
    full = _full(checked)
    blocks.append(TableBlock(full, True, f"All {len(full.rows)} shares"))
    return Section(8, "fit", title, tuple(blocks))


def _outside(v: VariantFacts) -> int:
    return sum(not r.lower <= r.observed <= r.upper for r in v.predictive)


def _summary(checked: list[VariantFacts]) -> Table:
    heads = ("levels checked", "outside 95 %", "smallest tail probability", "at score")
    rows = []
    for v in checked:
        far = min(v.predictive, key=lambda r: min(r.p_tail, 1 - r.p_tail))
        tail = probability(min(far.p_tail, 1 - far.p_tail))
        rows.append(
            Row((v.name, count(len(v.predictive)), count(_outside(v)), tail, fixed(far.level, _digits(far.level))))
        )
    columns = (Column("variant"), *(Column(h, "number") for h in heads))
    note = "Tail probability: share of replicated data sets beyond the observed share, the nearer side."
    return Table("predictive", "Posterior predictive check by variant", columns, tuple(rows), note)


def _digits(level: float) -> int:
    return 0 if float(level).is_integer() else 1


def _full(checked: list[VariantFacts]) -> Table:
    heads = ("score", "observed share", "predicted share", "lower 95 % (eti)", "upper 95 % (eti)", "tail probability")
    rows = tuple(
        Row(
            (
                v.name,
                fixed(r.level, _digits(r.level)),
                *(fixed(x, 3) for x in (r.observed, r.mean, r.lower, r.upper)),
                probability(r.p_tail),
            )
        )
        for v in checked
        for r in v.predictive
    )
    columns = (Column("variant"), *(Column(h, "number") for h in heads))
    return Table("predictive-levels", "Share of every score level", columns, rows)
