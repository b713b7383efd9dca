"""Section 2: stage A first, so that a refusal never poses as fairness."""

from __future__ import annotations

from judgestats.report import loss
from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.facts import BlockLoss, CellFacts, ReportFacts
from judgestats.report.figures import status_bars
from judgestats.report.labels import STATUS_WORDS
from judgestats.report.numbers import count, percent
from judgestats.report.sections.columns import estimate_table
from judgestats.report.tables import Column, Row, Table


def section(cell: CellFacts, report: ReportFacts) -> Section:
    """Return counts by status and block, validity by block, and what the lost trials could hide."""
    blocks: list[Block] = [
        Paragraph(loss.counted(cell), "lead"),
        Paragraph(loss.dependence(cell), "warn" if cell.loss.dependence == "depends" else "plain"),
        TableBlock(status_table(cell)),
    ]
    panel = status_bars.panel(cell)
    if panel is not None:
        blocks.append(panel)
    kind, prob = report.analysis.ci_kind, report.analysis.ci_prob
    rates = cell.loss.validity + tuple(e for e in cell.loss.jointly if e.scale == "probability")
    rates = tuple(e for e in rates if e.block not in cell.loss.unasked)
    if rates:
        blocks.append(TableBlock(estimate_table("validity", "Validity by block (probabilities)", rates, kind, prob)))
    differences = tuple(e for e in (cell.loss.difference, cell.loss.naive) if e is not None) + cell.loss.bounds
    if cell.loss.naive is None:
        differences += tuple(e for e in cell.loss.jointly if e.scale != "probability")
    if differences and not cell.loss.unasked:
        caption = "What the loss does to the effect (differences of probabilities)"
        blocks.append(Paragraph(loss.bounds(cell)))
        blocks.append(TableBlock(estimate_table("loss-effects", caption, differences, kind, prob)))
        if cell.loss.lost and cell.loss.naive is not None:
            blocks.append(Paragraph(loss.two_naive(cell)))
    return Section(2, "validity", "Stage A: was there a valid answer?", tuple(blocks))


def status_table(cell: CellFacts) -> Table:
    """Return how many trials were asked, answered validly and lost to what, by block."""
    statuses = [s for s in STATUS_WORDS if s != "valid"]
    statuses += sorted({s for b in cell.loss.blocks for s in b.lost_to} - set(statuses))
    heads = [Column("block"), Column("asked", "number"), Column("valid", "number")]
    heads += [Column(STATUS_WORDS.get(s, s), "number") for s in statuses] + [
        Column("lost", "number"),
        Column("lost %", "number"),
    ]
    rows = [_row(block, statuses) for block in cell.loss.blocks]
    if len(rows) > 1:
        total = {s: sum(b.lost_to.get(s, 0) for b in cell.loss.blocks) for s in statuses}
        asked, valid = sum(b.asked for b in cell.loss.blocks), sum(b.valid for b in cell.loss.blocks)
        whole = BlockLoss("all", asked, valid, total, percent(asked - valid, asked))
        rows.append(_row(whole, statuses))
    note = "" if cell.loss.block("none") is None else "Trials without a block enter no stage; they are counted here."
    return Table("status", "Trials asked, answered validly, and lost to what", tuple(heads), tuple(rows), note)


def _row(block: BlockLoss, statuses: list[str]) -> Row:
    name = "without a block" if block.block == "none" else block.block
    lost = tuple(count(block.lost_to.get(s, 0)) for s in statuses)
    return Row((name, count(block.asked), count(block.valid), *lost, count(block.lost), block.loss))
