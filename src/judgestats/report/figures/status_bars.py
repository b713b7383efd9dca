"""Status bars: what came back in each block, as shares of the trials asked."""

from __future__ import annotations

from judgestats.report.document import Panel
from judgestats.report.facts import BlockLoss, CellFacts
from judgestats.report.figures.canvas import ACCENT, INK, MAIN, MUTED, PAPER, drawing, to_svg
from judgestats.report.figures.marks import bare_rows, row_labels
from judgestats.report.labels import STATUS_WORDS
from judgestats.report.numbers import count, percent
from judgestats.report.tables import Column, Row, Table

KEY = "status-bars"


def panel(cell: CellFacts) -> Panel | None:
    """Return the status bars of the blocks, None where no trial was counted."""
    blocks = tuple(b for b in cell.loss.blocks if b.asked)
    if not blocks:
        return None
    alt = "; ".join(f"{_name(b)}: {_in_words(b)} of {count(b.asked)}" for b in blocks) + "."
    shares = ", ".join(f"{b.loss} in {_name(b)}" for b in blocks)
    title = f"Lost trials of {cell.judge} in {cell.domain}: {shares}"
    rows = tuple(
        Row((_name(b), STATUS_WORDS.get(status, status), count(n), percent(n, b.asked)))
        for b in blocks
        for status, n in (("valid", b.valid), *b.lost_to.items())
    )
    columns = (Column("block"), Column("status"), Column("trials", "number"), Column("share of asked", "number"))
    caption = (
        "Each bar is all trials asked in a block. First part: valid; second, in the accent colour: refused; hatched: lost to "
        "anything else. Counts stand above each bar."
    )
    table = Table(KEY, "Status by block", columns, rows)
    return Panel(KEY, title, caption, alt, table, lambda: _draw(blocks, title, alt))


def _name(block: BlockLoss) -> str:
    return "without a block" if block.block == "none" else block.block


def _in_words(block: BlockLoss) -> str:
    parts = [f"{count(block.valid)} valid"]
    parts += [f"{count(n)} {STATUS_WORDS.get(status, status)}" for status, n in block.lost_to.items()]
    return ", ".join(parts)


def _draw(blocks: tuple[BlockLoss, ...], title: str, alt: str) -> str:
    with drawing(0.62 + 0.5 * len(blocks)) as canvas:
        axes = canvas.axes(1.15, 0.42, 0.15, 0.08)
        bare_rows(axes, len(blocks))
        axes.set_xlim(0, 100)
        for y, block in enumerate(blocks):
            start = 0.0
            for status, n in (("valid", block.valid), *block.lost_to.items()):
                width = 100 * n / block.asked
                style = _style(status)
                axes.barh(y, width, left=start, height=0.42, linewidth=1.2, **style)
                start += width
            axes.text(0, y - 0.36, _in_words(block), ha="left", va="center", fontsize=8.5, color=INK)
        row_labels(axes, [_name(b) for b in blocks])
        axes.set_xlabel("share of trials asked (%)")
        return to_svg(canvas, KEY, title, alt)


def _style(status: str) -> dict[str, str]:
    if status == "valid":
        return {"facecolor": MAIN, "edgecolor": MAIN}
    if status == "refusal":
        return {"facecolor": ACCENT, "edgecolor": ACCENT}
    return {"facecolor": PAPER, "edgecolor": MUTED, "hatch": "////"}
