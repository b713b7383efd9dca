"""Section 5: where the effect lives, by item, by cue, and against other cells."""

from __future__ import annotations

from judgestats.checks.finding import ItemRow
from judgestats.report.document import Block, Download, Downloads, Paragraph, Section, TableBlock
from judgestats.report.facts import CellFacts, ReportFacts
from judgestats.report.figures import item_forest
from judgestats.report.labels import STAGE_WORDS, visible
from judgestats.report.numbers import Number, fixed
from judgestats.report.sections.columns import estimate_table, informed
from judgestats.report.tables import Column, Row, Table

MOST_INFLUENTIAL = 10
LONGEST_ITEM = 120


def section(cell: CellFacts, report: ReportFacts) -> Section:
    """Return the item forest, the most influential items and the contrasts with other judges and domains."""
    blocks: list[Block] = []
    if not cell.items:
        blocks.append(Paragraph("Item effects were not computed in this run."))
    panel = item_forest.panel(cell)
    if panel is not None:
        blocks.append(panel)
    influential = _influence(cell)
    if influential.rows:
        blocks.append(TableBlock(influential))
    elif cell.items:
        blocks.append(Paragraph("The influence of single items was not computed: it needs a refit without each item."))
    if cell.items:
        table = _all_items(cell)
        blocks.append(Downloads((Download("All items (CSV)", "items.csv", content=table.to_csv()),)))
    blocks.append(Paragraph("Cue by polarity grid: this design has blocks and no cues."))
    if cell.contrasts:
        by_scale = dict.fromkeys(e.scale for e in cell.contrasts)
        for i, scale in enumerate(by_scale):
            rows = tuple(e for e in cell.contrasts if e.scale == scale)
            caption = "Contrasts with other judges and domains"
            key = f"contrasts-{i}" if i else "contrasts"
            kind, prob = report.analysis.ci_kind, report.analysis.ci_prob
            planted = any(e.planted.value is not None for e in rows)
            table = informed(estimate_table(key, caption, rows, kind, prob, planted=planted), rows)
            blocks.append(TableBlock(table))
    else:
        blocks.append(Paragraph("Contrasts with other judges and domains: none were computed for this cell."))
    return Section(5, "items", "Where it lives", tuple(blocks))


def _influence(cell: CellFacts) -> Table:
    known = [row for row in cell.items if row.influence is not None and row.stage == "shift"]
    known.sort(key=lambda row: (-abs(row.influence or 0.0), row.item))
    columns = (
        Column("item"),
        Column("congruent", "number"),
        Column("incongruent", "number"),
        Column("Delta P without it minus with it", "number"),
    )
    rows = tuple(
        Row((visible(r.item, LONGEST_ITEM), raw(r, "congruent"), raw(r, "incongruent"), fixed(r.influence, 4)))
        for r in known[:MOST_INFLUENTIAL]
    )
    caption = f"The {len(rows)} most influential items ({cell.success} of valid answers by block; probability scale)"
    return Table("influence", caption, columns, rows)


def raw(row: ItemRow, block: str) -> Number:
    """Return successes of trials in one block of an item, e.g. ``1/1``."""
    k, n = (row.congruent_k, row.congruent_n) if block == "congruent" else (row.incongruent_k, row.incongruent_n)
    return Number(k / n, f"{k}/{n}") if n else Number(None, "0/0")


def _all_items(cell: CellFacts) -> Table:
    heads = ("item", "stage", "congruent", "incongruent", "item effect (log-odds)", "lower", "upper", "influence")
    rows = tuple(
        Row(
            (
                visible(r.item),
                STAGE_WORDS.get(r.stage, r.stage),
                f"{r.congruent_k}/{r.congruent_n}",
                f"{r.incongruent_k}/{r.incongruent_n}",
                fixed(r.effect_mean, 2),
                fixed(r.effect_lower, 2),
                fixed(r.effect_upper, 2),
                fixed(r.influence, 4),
            )
        )
        for r in cell.items
    )
    return Table(
        "all-items", "All items", tuple(Column(h, "text" if i < 4 else "number") for i, h in enumerate(heads)), rows
    )
