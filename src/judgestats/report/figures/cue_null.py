"""Cue null: the observed difference of every variant among differences under swapped labels."""

from __future__ import annotations

import numpy as np

from judgestats.report.document import Panel
from judgestats.report.figures.canvas import ACCENT, GRID, MUTED, drawing, to_svg
from judgestats.report.figures.marks import bare_rows, padded, right_labels, row_labels, shorten, zero_line
from judgestats.report.numbers import Number, fixed, p_value
from judgestats.report.score_facts import ScoreCellFacts, VariantFacts
from judgestats.report.tables import Column, Row, Table

KEY = "cue-null"
MIDDLE = (0.025, 0.975)


def panel(cell: ScoreCellFacts) -> Panel | None:
    """Return one strip a variant, None where no null distribution came along."""
    rows = [v for v in cell.shifted if v.falsification is not None and v.falsification.null]
    if not rows:
        return None
    small = [v for v in rows if v.falsification is not None and v.falsification.p_value < 0.05]
    title = f"{len(small)} of {len(rows)} observed differences have p below 0.05 under swapped labels"
    alt = "; ".join(_words(v) for v in rows) + "."
    caption = (
        "Thin line: whole range of the mean difference under swapped labels; thick line: its middle 95 %; triangle: observed. "
        "Right: two-sided p. About one in twenty is below 0.05 where no cue does anything."
    )
    heads = ("observed (points)", "smallest", "lower 2.5 %", "upper 97.5 %", "largest", "p")
    columns = (Column("variant"), *(Column(h, "number") for h in heads))
    cells = tuple(Row((v.name, *_numbers(v))) for v in rows)
    table = Table(KEY, "Null distribution by variant (points)", columns, cells)
    return Panel(KEY, title, caption, alt, table, lambda: _draw(rows, title, alt))


def _ends(v: VariantFacts) -> tuple[float, float, float, float]:
    assert v.falsification is not None
    low, high = np.quantile(v.falsification.null, MIDDLE, method="inverted_cdf")
    return min(v.falsification.null), float(low), float(high), max(v.falsification.null)


def _numbers(v: VariantFacts) -> tuple[Number, ...]:
    assert v.falsification is not None
    return (fixed(v.falsification.observed, 3), *(fixed(x, 3) for x in _ends(v)), p_value(v.falsification.p_value))


def _words(v: VariantFacts) -> str:
    observed, smallest, *_, largest, p = _numbers(v)
    return f"{v.name}: observed {observed}, null {smallest} to {largest}, p {p}"


def _draw(rows: list[VariantFacts], title: str, alt: str) -> str:
    with drawing(0.6 + 0.24 * len(rows)) as canvas:
        axes = canvas.axes(2.25, 0.45, 1.5, 0.08)
        bare_rows(axes, len(rows))
        zero_line(axes)
        ys = range(len(rows))
        ends = [_ends(v) for v in rows]
        observed = [v.falsification.observed for v in rows if v.falsification is not None]
        axes.hlines(ys, [e[0] for e in ends], [e[3] for e in ends], color=MUTED, linewidth=1)
        axes.hlines(ys, [e[1] for e in ends], [e[2] for e in ends], color=GRID, linewidth=7, zorder=0)
        axes.plot(observed, ys, "v", color=ACCENT, markersize=7, zorder=4)
        every = [0.0, *observed, *(x for e in ends for x in e)]
        axes.set_xlim(*padded(min(every), max(every)))
        row_labels(axes, [shorten(v.name, 30) for v in rows])
        right_labels(axes, [f"{_numbers(v)[0]}, p = {_numbers(v)[-1]}" for v in rows])
        axes.set_xlabel("Mean difference, variant minus base, under swapped labels (points)")
        return to_svg(canvas, KEY, title, alt)
