"""Across judges: cues of a judge ranked as a share of the range, and how far judges differ."""

from __future__ import annotations

from judgestats.draws.record import Record
from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.facts import Estimate
from judgestats.report.gather.score_estimate import variant_name, variant_of
from judgestats.report.labels import outcome_label, visible
from judgestats.report.score_facts import Ranked, ScoreReportFacts
from judgestats.report.score_labels import with_unit
from judgestats.report.sections.score_validity import triple
from judgestats.report.tables import Column, Row, Table

OPEN = 16


def ranking(report: ScoreReportFacts) -> Section:
    """Return the cues of every judge by size, as a share of the range of the scale."""
    blocks: list[Block] = []
    if report.ranking:
        table = _ranking(report)
        blocks.append(
            Paragraph(
                "Largest shift first, whatever its direction. Neighbours whose intervals overlap may trade places."
            )
        )
        blocks.append(TableBlock(table, len(table.rows) > 4 * OPEN, f"{table.caption} ({len(table.rows)} rows)"))
    else:
        blocks.append(Paragraph("No shift was estimated in this run."))
    return Section(5, "ranking", "Cues of each judge by size", tuple(blocks))


def _ranking(report: ScoreReportFacts) -> Table:
    share = report.interval_words
    heads: tuple[str, ...] = ("shift, % of range", f"lower {share}", f"upper {share}", "shift (points)", "rank, median")
    heads += ("rank, lower", "rank, upper")
    columns: tuple[Column, ...] = (Column("judge"), Column("domain"), Column("place", "number"), Column("cue"))
    columns += (*(Column(h, "number") for h in heads), Column("outcome"))
    rows = tuple(_ranked(r) for r in report.ranking)
    note = f"The range of the scale is {report.scale.width:g} points."
    return Table("ranking", "Cues of each judge by size", columns, rows, note).without_empty_columns()


def _ranked(r: Ranked) -> Row:
    e = r.shift
    outcome = outcome_label(e.outcome, has_rope=e.rope is not None)
    place = f"{r.place}"
    numbers = (r.share, r.share_lower, r.share_upper, e.median, *triple(r.rank))
    return Row((r.judge, r.domain or "all asked", place, r.name, *numbers, outcome))


def between(report: ScoreReportFacts) -> Section:
    """Return what was estimated over all judges, contrasts between judges, and how far each cue's shift ranges."""
    blocks: list[Block] = []
    over = sorted(((r, e) for r, e in report.averages if r.judge is None), key=lambda pair: pair[0].domain is not None)
    if over:
        blocks.append(
            Paragraph(
                "Heterogeneity: the standard deviation of a cue's shift over these judges. It is never 0, because the "
                "uncertainty of each shift adds to it; compare cues, and compare it with the shifts of section 3."
            )
        )
        table = _table("all-judges", "Over all judges", over, report)
        blocks.append(TableBlock(table, len(over) > 2 * OPEN, f"{table.caption} ({len(over)} rows)"))
    contrasts = [(r, e) for r, e in report.between if r.estimand == "contrast"]
    if contrasts:
        table = _table("contrasts", "Contrasts", contrasts, report)
        blocks.append(TableBlock(table, len(contrasts) > OPEN, f"{table.caption} ({len(contrasts)} rows)"))
    if not over:
        blocks.append(
            Paragraph(
                "Heterogeneity over judges was not estimated in this run; the table of section 3 is compared by eye."
            )
        )
    return Section(6, "between", "How far judges differ", tuple(blocks))


def _table(key: str, caption: str, rows: list[tuple[Record, Estimate]], report: ScoreReportFacts) -> Table:
    share = report.interval_words
    heads = ("median", f"lower {share}", f"upper {share}", "P(> 0)")
    columns = (Column("what"), Column("cue"), Column("domain"), Column("cells"), *(Column(h, "number") for h in heads))
    cells = tuple(
        Row(
            (
                _what(r, e),
                variant_name(variant_of(r)) if r.cue is not None else "all",
                "all asked" if r.domain is None else visible(r.domain),
                r.setting or "",
                *triple(e),
                e.p_gt_0,
            )
        )
        for r, e in rows
    )
    return Table(key, caption, columns, cells).without_empty_columns()


def _what(r: Record, e: Estimate) -> str:
    if r.estimand == "contrast":
        first = visible(r.judge or r.domain or "")
        return f"{with_unit(r.target or 'score_shift')}: {first} minus {visible(r.reference or 'reference')}"
    return with_unit(r.estimand) if with_unit(r.estimand) != r.estimand else f"{e.label} (points)"
