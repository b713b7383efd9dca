"""Sensitivity forest: the effect under every alternative, the main analysis on top."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.checks.finding import SensitivityRow
from judgestats.report.document import Panel
from judgestats.report.facts import CellFacts, Estimate, ReportFacts
from judgestats.report.figures.canvas import MAIN, MUTED, drawing, to_svg
from judgestats.report.figures.marks import (
    bare_rows,
    interval,
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
    rows = [
        r for kind in DRAWN for r in cell.sensitivity if r.kind == kind and r.mean is not None and r.lower is not None
    ]
    if not rows or head is None or head.lower.value is None or head.upper.value is None:
        return None
    means = [r.mean for r in rows if r.mean is not None]
    name = report.analysis.effect_name
    title = f"{name} under {len(rows)} alternatives: means from {fixed(min(means), 3)} to {fixed(max(means), 3)}"
    alt = f"Main analysis {head.mean} [{head.lower}, {head.upper}]; " + "; ".join(
        f"{r.setting} {fixed(r.mean, 3)} [{fixed(r.lower, 3)}, {fixed(r.upper, 3)}]" for r in rows
    )
    caption = (
        "Filled: main analysis. Hollow: alternatives, mean and 95 % interval. Shaded: ROPE. Vertical line: no effect."
    )
    heads = ("setting", "mean", "lower", "upper")
    body = tuple(Row((r.setting, fixed(r.mean, 3), fixed(r.lower, 3), fixed(r.upper, 3))) for r in rows)
    first = Row(
        ("main analysis", fixed(head.mean.value, 3), fixed(head.lower.value, 3), fixed(head.upper.value, 3)), "main"
    )
    columns = tuple(Column(h, "number" if i else "text") for i, h in enumerate(heads))
    table = Table(KEY, f"{name} under alternatives (probability scale)", columns, (first, *body))
    return Panel(KEY, title, caption, f"{alt}.", table, lambda: _draw(head, rows, report, title, f"{alt}."))


def _draw(head: Estimate, rows: Sequence[SensitivityRow], report: ReportFacts, title: str, alt: str) -> str:
    labels = ["main analysis", *(shorten(r.setting, 44) for r in rows)]
    triples = [(head.mean.value, head.lower.value or 0.0, head.upper.value or 0.0)]
    triples += [(r.mean, r.lower or 0.0, r.upper or 0.0) for r in rows]
    with drawing(0.6 + 0.22 * len(labels)) as canvas:
        axes = canvas.axes(2.9, 0.45, 1.5, 0.08)
        bare_rows(axes, len(labels))
        rope_band(axes, (report.rope[0].value, report.rope[1].value))
        zero_line(axes)
        for y, (mean, lower, upper) in enumerate(triples):
            interval(axes, y, (lower, upper), mean, colour=MUTED if y else MAIN, hollow=bool(y))
        ends = [v for t in triples for v in t[1:]] + [0.0]
        axes.set_xlim(*padded(min(ends), max(ends)))
        row_labels(axes, labels, size=8.5)
        right_labels(axes, [f"{fixed(t[0], 3)} [{fixed(t[1], 3)}, {fixed(t[2], 3)}]" for t in triples], size=8)
        axes.set_xlabel(f"{report.analysis.effect_name} (probability scale)")
        return to_svg(canvas, KEY, title, alt)
