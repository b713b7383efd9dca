"""Item forest: shrunken item effects in order, with the raw counts of each item beside them."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.checks.finding import ItemRow
from judgestats.report.document import Panel
from judgestats.report.facts import CellFacts
from judgestats.report.figures.canvas import MUTED, drawing, to_svg
from judgestats.report.figures.marks import (
    Interval,
    bare_rows,
    intervals,
    padded,
    right_labels,
    row_labels,
    shorten,
    zero_line,
)
from judgestats.report.labels import visible
from judgestats.report.numbers import fixed
from judgestats.report.tables import Column, Row, Table

KEY = "item-forest"
EXTREMES = 12  # rows shown at either end where there are more than twice as many
LONGEST_LABEL = 34
LONGEST_CELL = 160
MOST_ROWS = 400


def panel(cell: CellFacts) -> Panel | None:
    """Return the forest of stage B item effects, None where there are none."""
    rows = sorted((r for r in cell.items if r.stage == "shift"), key=lambda r: (r.effect_mean, r.item))
    if not rows:
        return None
    shown = list(rows) if len(rows) <= 2 * EXTREMES else [*rows[:EXTREMES], *rows[-EXTREMES:]]
    low, high = rows[0], rows[-1]
    title = f"Item effects of {cell.judge} in {cell.domain} run from {fixed(low.effect_mean, 2)} to {fixed(high.effect_mean, 2)}"
    alt = (
        f"{len(rows)} item effects on the log-odds scale, ordered. Lowest: {visible(low.item, 60)}, {_interval(low)}. "
        f"Highest: {visible(high.item, 60)}, {_interval(high)}."
    )
    some = (
        ""
        if len(shown) == len(rows)
        else f" The {EXTREMES} lowest and {EXTREMES} highest of {len(rows)}; all in the table."
    )
    caption = (
        f"Disc and line: shrunken item effect (log-odds of a {cell.success} answer) with its 95 % interval. "
        f"Right: {cell.success} of valid answers, congruent and incongruent.{some}"
    )
    return Panel(KEY, title, caption, alt, _table(rows), lambda: _draw(shown, len(rows), title, alt))


def _interval(row: ItemRow) -> str:
    return f"{fixed(row.effect_mean, 2)} [{fixed(row.effect_lower, 2)}, {fixed(row.effect_upper, 2)}]"


def _counts(row: ItemRow) -> str:
    return f"{row.congruent_k}/{row.congruent_n} · {row.incongruent_k}/{row.incongruent_n}"


def _table(rows: Sequence[ItemRow]) -> Table:
    heads = ("item", "congruent", "incongruent", "item effect (log-odds)", "lower 95 % (eti)", "upper 95 % (eti)")
    cells = tuple(
        Row(
            (
                visible(r.item, LONGEST_CELL),
                f"{r.congruent_k}/{r.congruent_n}",
                f"{r.incongruent_k}/{r.incongruent_n}",
                fixed(r.effect_mean, 2),
                fixed(r.effect_lower, 2),
                fixed(r.effect_upper, 2),
            )
        )
        for r in rows[:MOST_ROWS]
    )
    left = len(rows) - len(cells)
    note = f"{left} more items are in the CSV file of this section." if left > 0 else ""
    columns = tuple(Column(h, "number" if i else "text") for i, h in enumerate(heads))
    return Table(KEY, "Item effects, lowest first", columns, cells, note)


def _draw(rows: Sequence[ItemRow], total: int, title: str, alt: str) -> str:
    count = len(rows)
    with drawing(0.75 + 0.17 * count) as canvas:
        axes = canvas.axes(2.5, 0.45, 1.0, 0.25)
        bare_rows(axes, count)
        zero_line(axes)
        intervals(axes, [Interval(y, r.effect_lower, r.effect_upper, r.effect_mean) for y, r in enumerate(rows)])
        axes.set_xlim(*padded(min(r.effect_lower for r in rows), max(r.effect_upper for r in rows)))
        if total > count:
            axes.axhline(EXTREMES - 0.5, color=MUTED, linewidth=0.8, linestyle=(0, (2, 2)))
        row_labels(axes, [shorten(visible(r.item), LONGEST_LABEL) for r in rows], size=8)
        right_labels(axes, [_counts(r) for r in rows], size=8)
        axes.text(1.02, 1.01, "cong. · incong.", transform=axes.transAxes, fontsize=8, color=MUTED, va="bottom")
        axes.set_xlabel("item effect (log-odds)")
        return to_svg(canvas, KEY, title, alt)
