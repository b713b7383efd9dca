"""Predictive intervals: observed statistics against what the fitted model would produce again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgestats.checks.finding import PredictiveRow
from judgestats.report.document import Panel
from judgestats.report.facts import CellFacts
from judgestats.report.figures.canvas import ACCENT, MUTED, drawing, to_svg
from judgestats.report.figures.marks import Interval, bare_rows, intervals, padded, right_labels, row_labels, shorten
from judgestats.report.labels import statistic_label
from judgestats.report.numbers import fixed, probability
from judgestats.report.tables import Column, Row, Table

KEY = "predictive"
LETTER = {"validity": "A", "shift": "B"}
MOST_ROWS = 14


def panel(cell: CellFacts) -> Panel | None:
    """Return the posterior predictive checks of the cell, None where there are none."""
    rows = [r for r in cell.predictive if r.source == "posterior"]
    if not rows:
        return None
    inside = sum(r.observed is not None and r.lower <= r.observed <= r.upper for r in rows)
    title = f"{inside} of {len(rows)} observed statistics lie inside their 95 % predictive interval"
    alt = "; ".join(f"{_label(r)}: observed {_n(r, r.observed)} against {_words(r)}" for r in rows[:MOST_ROWS]) + "."
    caption = (
        "Line and hollow disc: predictive mean and 95 % equal-tailed interval (A: validity, B: consistency). Diamond: observed. "
        "Rates, counts and variances have axes of their own."
    )
    return Panel(KEY, title, caption, alt, _table(rows), lambda: _draw(rows, title, alt))


def _kind(row: PredictiveRow) -> str:
    """Return which axis a statistic belongs to."""
    if "rate" in row.statistic:
        return "rate"
    return "variance or spread" if row.statistic.startswith(("variance", "spread")) else "count"


def _places(row: PredictiveRow) -> int:
    return 0 if _kind(row) == "count" else 3


def _n(row: PredictiveRow, value: float | None) -> str:
    return fixed(value, _places(row)).text


def _words(row: PredictiveRow) -> str:
    return f"{_n(row, row.mean)} [{_n(row, row.lower)}, {_n(row, row.upper)}]"


def _label(row: PredictiveRow) -> str:
    block = "" if row.block is None else f", {row.block}"
    block += f", {row.domain.strip('()')}" if row.domain.startswith("(") else ""
    return f"{LETTER.get(row.stage, row.stage)}: {statistic_label(row.statistic)}{block}"


def _table(rows: Sequence[PredictiveRow]) -> Table:
    heads = (
        "check",
        "replicates",
        "observed",
        "predictive mean",
        "lower 95 % (eti)",
        "upper 95 % (eti)",
        "tail probability (mid-p)",
    )
    cells = tuple(
        Row(
            (
                _label(r),
                r.replicates,
                fixed(r.observed, _places(r)),
                fixed(r.mean, _places(r)),
                fixed(r.lower, _places(r)),
                fixed(r.upper, _places(r)),
                probability(r.p_tail),
            ),
            "" if r.observed is None or r.lower <= r.observed <= r.upper else "warn",
        )
        for r in rows
    )
    columns = tuple(Column(h, "number" if i > 1 else "text") for i, h in enumerate(heads))
    return Table(KEY, "Posterior predictive checks", columns, cells)


def _draw(rows: Sequence[PredictiveRow], title: str, alt: str) -> str:
    kinds = dict.fromkeys(_kind(r) for r in rows)
    groups = [[r for r in rows if _kind(r) == kind][:MOST_ROWS] for kind in kinds]
    height = sum(0.62 + 0.24 * len(group) for group in groups) + 0.1
    with drawing(height) as canvas:
        top = 0.1
        for group in groups:
            inner = 0.12 + 0.24 * len(group)
            axes = canvas.axes(2.75, height - top - inner, 1.75, top)
            _rows(axes, group)
            axes.set_xlabel(_kind(group[0]))
            top += inner + 0.5
        return to_svg(canvas, KEY, title, alt)


def _rows(axes: Any, group: Sequence[PredictiveRow]) -> None:
    bare_rows(axes, len(group))
    intervals(axes, [Interval(y, r.lower, r.upper, r.mean) for y, r in enumerate(group)], colour=MUTED, hollow=True)
    seen = [(r.observed, y) for y, r in enumerate(group) if r.observed is not None]
    axes.plot([x for x, _ in seen], [y for _, y in seen], "D", color=ACCENT, markersize=5, zorder=4)
    ends = [v for r in group for v in (r.lower, r.upper, r.observed) if v is not None]
    axes.set_xlim(*padded(min(ends), max(ends)))
    row_labels(axes, [shorten(_label(r), 40) for r in group], size=8)
    right_labels(axes, [f"obs. {_n(r, r.observed)} in [{_n(r, r.lower)}, {_n(r, r.upper)}]" for r in group], size=8)
