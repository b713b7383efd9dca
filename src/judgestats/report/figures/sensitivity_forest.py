"""Sensitivity forest: the effect under every alternative, the main analysis on top."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.checks.finding import SensitivityRow
from judgestats.report.document import Panel
from judgestats.report.facts import CellFacts, ReportFacts
from judgestats.report.figures.canvas import MAIN, MUTED, drawing, to_svg
from judgestats.report.figures.marks import (
    Interval,
    bare_rows,
    intervals,
    padded,
    right_labels,
    rope_band,
    row_labels,
    shorten,
    zero_line,
)
from judgestats.report.numbers import fixed
from judgestats.report.tables import Column, Row, Table

KEY = "sensitivity"
DRAWN = ("prior", "loss_rule", "pooling", "stage_correlation", "leave_one_out")


def panel(cell: CellFacts, report: ReportFacts) -> Panel | None:
    """Return the forest of alternatives on the scale of the effect, None where none has an interval."""
    head = cell.headline
    rows = [r for kind in DRAWN for r in cell.sensitivity if r.kind == kind and _drawable(r)]
    if not rows or head is None or head.lower.value is None or head.upper.value is None:
        return None
    places = cell.places
    means = [r.mean for r in rows if r.mean is not None]
    name = report.analysis.effect_name
    title = (
        f"{name} under {len(rows)} alternatives: means from {fixed(min(means), places)} to {fixed(max(means), places)}"
    )
    alt = f"Main analysis {head.mean} [{head.lower}, {head.upper}]; " + "; ".join(
        f"{r.setting} {fixed(r.mean, places)} [{fixed(r.lower, places)}, {fixed(r.upper, places)}]" for r in rows
    )
    caption = (
        "Filled: main analysis. Hollow: alternatives, mean and 95 % interval. Shaded: ROPE. Vertical line: no effect."
    )
    heads = ("setting", "mean", "lower", "upper")
    body = tuple(Row((r.setting, fixed(r.mean, places), fixed(r.lower, places), fixed(r.upper, places))) for r in rows)
    first = Row(
        (
            "main analysis",
            fixed(head.mean.value, places),
            fixed(head.lower.value, places),
            fixed(head.upper.value, places),
        ),
        "main",
    )
    columns = tuple(Column(h, "number" if i else "text") for i, h in enumerate(heads))
    table = Table(KEY, f"{name} under alternatives (probability scale)", columns, (first, *body))
    return Panel(KEY, title, caption, f"{alt}.", table, lambda: _draw(cell, rows, report, title, f"{alt}."))


def _drawable(row: SensitivityRow) -> bool:
    """Whether a row is about the effect itself (not about validity) and has an interval."""
    return row.estimand != "validity_difference" and row.mean is not None and row.lower is not None


def _draw(cell: CellFacts, rows: Sequence[SensitivityRow], report: ReportFacts, title: str, alt: str) -> str:
    head, places = cell.headline, cell.places
    assert head is not None
    labels = ["main analysis", *(shorten(r.setting, 44) for r in rows)]
    triples = [(head.mean.value, head.lower.value or 0.0, head.upper.value or 0.0)]
    triples += [(r.mean, r.lower or 0.0, r.upper or 0.0) for r in rows]
    with drawing(0.6 + 0.22 * len(labels)) as canvas:
        axes = canvas.axes(2.9, 0.45, 1.5, 0.08)
        bare_rows(axes, len(labels))
        rope_band(axes, (report.rope[0].value, report.rope[1].value))
        zero_line(axes)
        rows_drawn = [Interval(y, lower, upper, mean) for y, (mean, lower, upper) in enumerate(triples)]
        intervals(axes, rows_drawn[:1], colour=MAIN)
        intervals(axes, rows_drawn[1:], colour=MUTED, hollow=True)
        ends = [v for t in triples for v in t[1:]] + [0.0]
        axes.set_xlim(*padded(min(ends), max(ends)))
        row_labels(axes, labels, size=8.5)
        right_labels(
            axes, [f"{fixed(t[0], places)} [{fixed(t[1], places)}, {fixed(t[2], places)}]" for t in triples], size=8
        )
        axes.set_xlabel(f"{report.analysis.effect_name} (probability scale)")
        return to_svg(canvas, KEY, title, alt)
