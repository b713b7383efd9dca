"""Sensitivity forest: the effect under every alternative, the main analysis on top."""

from __future__ import annotations

import textwrap
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
from judgestats.report.numbers import Number, fixed, interval_end
from judgestats.report.tables import Column, Row, Table

KEY = "sensitivity"
# How the settings of checks/prior_alternatives.py and checks/loss_rules.py begin that repeat the main analysis.
AS_FITTED, LEFT_OUT = "as fitted", "lost trials left out"
LABEL_WIDTH = 46  # characters of a line left of the axes
DRAWN = ("prior", "loss_rule", "pooling", "stage_correlation", "leave_one_out")


def panel(cell: CellFacts, report: ReportFacts) -> Panel | None:
    """Return the forest of alternatives on the scale of the effect, None where none has an interval."""
    head = cell.headline
    rows = [r for kind in DRAWN for r in cell.sensitivity if r.kind == kind and _drawable(r) and not same_fit(r)]
    if not rows or head is None or head.lower.value is None or head.upper.value is None:
        return None
    places = cell.places
    same = [r for r in rows if r.estimand == "delta_p"]
    means = [r.mean for r in same if r.mean is not None]
    name = report.analysis.effect_name
    title = f"{name} under {len(same)} alternatives"
    if means:
        title += f": means from {fixed(min(means), places)} to {fixed(max(means), places)}"
    alt = f"Main analysis {head.mean} [{head.lower}, {head.upper}]; " + "; ".join(
        f"{r.setting} {_printed(_triple(r, places))}" for r in rows
    )
    caption = (
        "Filled: main analysis. Hollow: alternatives, mean and 95 % interval. Shaded: ROPE. Vertical line: no effect."
    )
    if len(same) < len(rows):
        caption += " Rows that count lost trials are other quantities (see the table); the title leaves them out."
    heads = ("setting", "mean", "lower", "upper")
    body = tuple(Row((r.setting, *_triple(r, places))) for r in rows)
    first = Row(
        (
            "main analysis",
            head.mean,
            head.lower,
            head.upper,
        ),
        "main",
    )
    columns = tuple(Column(h, "number" if i else "text") for i, h in enumerate(heads))
    table = Table(KEY, f"{name} under alternatives (probability scale)", columns, (first, *body))
    return Panel(KEY, title, caption, f"{alt}.", table, lambda: _draw(cell, rows, report, title, f"{alt}."))


def same_fit(row: SensitivityRow) -> bool:
    """Whether a row is the main analysis again, listed for comparison, and so no alternative to it."""
    return row.setting.startswith(AS_FITTED) or row.setting.startswith(LEFT_OUT)


def _drawable(row: SensitivityRow) -> bool:
    """Whether a row is about the effect itself (not about validity) and has an interval."""
    return row.estimand != "validity_difference" and row.mean is not None and row.lower is not None


def _triple(row: SensitivityRow, places: int) -> tuple[Number, Number, Number]:
    return fixed(row.mean, places), interval_end(row.lower, places), interval_end(row.upper, places)


def _printed(triple: tuple[Number, Number, Number]) -> str:
    return f"{triple[0]} [{triple[1]}, {triple[2]}]"


def _two_lines(setting: str) -> str:
    """Return a label on at most two lines; only a name of unusual length is cut."""
    first, *rest = textwrap.wrap(setting, LABEL_WIDTH, break_long_words=True) or [""]
    return "\n".join((first, shorten(" ".join(rest), LABEL_WIDTH))) if rest else first


def _draw(cell: CellFacts, rows: Sequence[SensitivityRow], report: ReportFacts, title: str, alt: str) -> str:
    head, places = cell.headline, cell.places
    assert head is not None
    labels = ["main analysis", *(_two_lines(r.setting) for r in rows)]
    triples = [(head.mean.value, head.lower.value or 0.0, head.upper.value or 0.0)]
    triples += [(r.mean, r.lower or 0.0, r.upper or 0.0) for r in rows]
    printed = [_printed((head.mean, head.lower, head.upper)), *(_printed(_triple(r, places)) for r in rows)]
    tall = any("\n" in label for label in labels)
    with drawing(0.6 + (0.36 if tall else 0.22) * len(labels)) as canvas:
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
        right_labels(axes, printed, size=8)
        axes.set_xlabel(f"{report.analysis.effect_name} (probability scale)")
        return to_svg(canvas, KEY, title, alt)
