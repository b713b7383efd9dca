"""Section 6 of scores: whether an end of the scale makes an effect or hides one."""

from __future__ import annotations

from collections.abc import Iterator

from judgestats.checks.score_finding import ScoreSensitivity
from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.labels import visible
from judgestats.report.numbers import NOTHING
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts
from judgestats.report.score_labels import places, with_unit
from judgestats.report.sections.score_sensitivity import numbers
from judgestats.report.sections.score_validity import triple
from judgestats.report.tables import Column, Row, Table


def section(cell: ScoreCellFacts, report: ScoreReportFacts) -> Section:
    """Return the effects again on items whose base score leaves room both ways."""
    table = room_table(cell, report)
    said = (
        "An answer that already scores near the top cannot gain, one near the bottom cannot fall. On items whose base score "
        "leaves room both ways (3 to 8 on a scale of 1 to 10) an asymmetry is no matter of the scale's ends."
    )
    blocks: list[Block] = [Paragraph(said)]
    if table.rows:
        blocks.append(TableBlock(table))
    else:
        blocks.append(Paragraph("The effects on items with room both ways were not computed in this run.", "warn"))
    return Section(6, "room", "Room on the scale", tuple(blocks))


def room_table(cell: ScoreCellFacts, report: ScoreReportFacts) -> Table:
    """Return every room row beside the estimate on all items."""
    share = report.interval_words
    heads = (
        "all items",
        f"lower {share}",
        f"upper {share}",
        "with room, mean",
        f"its lower {share}",
        f"its upper {share}",
    )
    columns = (Column("variant"), Column("estimand"), Column("items"), *(Column(h, "number") for h in heads))
    rows = []
    for name, row in rooms(cell):
        known = {e.factor: e for e in cell.asymmetries}
        variant = next((v for v in cell.shifted if row in v.sensitivity), None)
        main = known.get(row.cue) if row.estimand == "asymmetry" else None
        if main is None and variant is not None:
            main = variant.effects.get(row.estimand)
        digits = 2 if main is None or main.median is NOTHING else places(main.median.text)
        rows.append(Row((name, with_unit(row.estimand), visible(row.setting), *triple(main), *numbers(row, digits))))
    return Table("room", "Effects on all items and on items with room both ways", columns, tuple(rows))


def rooms(cell: ScoreCellFacts) -> Iterator[tuple[str, ScoreSensitivity]]:
    """Yield name and row of every room row of a cell."""
    for v in cell.shifted:
        for row in v.sensitivity:
            if row.kind == "room":
                yield v.name, row
    yield from ((f"{visible(r.cue)}, both polarities", r) for r in cell.paired if r.kind == "room")
