"""Section 1 of scores: which trials were lost, to what, and what they could hide."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.report import score_words
from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.facts import Estimate
from judgestats.report.labels import STATUS_WORDS
from judgestats.report.numbers import NOTHING, Number, count
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts, VariantFacts
from judgestats.report.tables import Column, Row, Table


def section(cell: ScoreCellFacts, report: ScoreReportFacts) -> Section:
    """Return counts by status and variant, the difference in validity, and the worst-case bounds of every shift."""
    blocks: list[Block] = [
        Paragraph(score_words.counted(cell), "lead"),
        Paragraph(score_words.dependence(cell), "warn" if cell.unequal else "plain"),
        TableBlock(status_table(cell)),
    ]
    difference = validity_table(cell, report)
    if difference.rows:
        blocks.append(TableBlock(difference))
    else:
        blocks.append(Paragraph("P(valid) was not estimated in this run.", "warn"))
    bounds = bounds_table(cell, report)
    if bounds.rows:
        blocks.append(Paragraph(_bounds(report)))
        blocks.append(TableBlock(bounds))
    elif cell.lost:
        blocks.append(Paragraph("Worst-case bounds were not computed in this run.", "warn"))
    return Section(1, "validity", "Stage A first: which answers were lost?", tuple(blocks))


def _bounds(report: ScoreReportFacts) -> str:
    low, high = f"{report.scale.lowest:g}", f"{report.scale.highest:g}"
    return (
        f"What the lost trials could hide: the shift if every lost answer under the cue had scored {low} and every lost base "
        f"answer {high} (lowest), and the other way round (highest). Where nothing was lost, both are near the shift itself."
    )


def status_table(cell: ScoreCellFacts) -> Table:
    """Return how many trials were asked, answered validly and lost to what, by variant."""
    present = {s for v in cell.variants for s in v.lost_to}
    statuses = [s for s in STATUS_WORDS if s in present or s == "refusal"]
    statuses += sorted(present - set(statuses))
    heads = ("asked", "valid", *(STATUS_WORDS.get(s, s) for s in statuses), "lost", "lost %")
    columns = (Column("variant"), *(Column(f"{h} (trials)" if h != "lost %" else h, "number") for h in heads))
    rows = [
        Row(
            (
                v.name + (" (placebo)" if v.placebo else ""),
                count(v.asked),
                count(v.valid),
                *(count(v.lost_to.get(s, 0)) for s in statuses),
                count(v.lost),
                v.loss,
            )
        )
        for v in cell.variants
    ]
    return Table("status", "Trials asked, answered validly, and lost to what", columns, tuple(rows))


def validity_table(cell: ScoreCellFacts, report: ScoreReportFacts) -> Table:
    """Return P(valid) of every variant and its difference to the base, with intervals."""
    share = report.interval_words
    heads: tuple[str, ...] = (
        "P(valid)",
        f"lower {share}",
        f"upper {share}",
        "difference to base",
        f"its lower {share}",
    )
    heads += (f"its upper {share}", "P(difference > 0)")
    columns = (Column("variant"), *(Column(h, "number") for h in heads))
    rows = []
    for v in cell.variants:
        level, difference = v.effects.get("validity"), v.effects.get("validity_difference")
        if level is None and difference is None:
            continue
        marked = difference is not None and difference.excludes_zero and v in cell.unequal
        p = NOTHING if difference is None else difference.p_gt_0
        rows.append(Row((v.name, *triple(level), *triple(difference), p), "warn" if marked else ""))
    note = "Posterior medians, probability scale; difference: variant minus base."
    return Table("validity", "P(valid) by variant", columns, tuple(rows), note).without_empty_columns()


def bounds_table(cell: ScoreCellFacts, report: ScoreReportFacts) -> Table:
    """Return the worst-case bounds of every shift, score points."""
    share = report.interval_words
    heads: tuple[str, ...] = (
        "score shift (points)",
        "lowest shift (points)",
        f"its lower {share}",
        "highest shift (points)",
    )
    heads += (f"its upper {share}", "lost %", "lost %, base")
    columns = (Column("variant"), *(Column(h, "number") for h in heads))
    rows = [_bound_row(v, cell.base) for v in cell.shifted if "worst_case_low" in v.effects]
    return Table("bounds", "Worst-case bounds of the score shift, to the ends of the scale", columns, tuple(rows))


def _bound_row(v: VariantFacts, base: VariantFacts | None) -> Row:
    low, high = v.effects["worst_case_low"], v.effects.get("worst_case_high")
    shift = NOTHING if v.shift is None else v.shift.median
    tops: Sequence[Number] = (NOTHING, NOTHING) if high is None else (high.median, high.upper)
    lost = NOTHING if base is None else base.loss
    return Row((v.name, shift, low.median, low.lower, *tops, v.loss, lost))


def triple(e: Estimate | None) -> tuple[Number, Number, Number]:
    """Return median and interval, absent without an estimate."""
    return (NOTHING, NOTHING, NOTHING) if e is None else (e.median, e.lower, e.upper)
