"""Half-eye: the posterior density of the effect over its interval, with zero, the ROPE and any planted value."""

from __future__ import annotations

from typing import Any

from judgestats.report.document import Panel
from judgestats.report.facts import CellFacts, Estimate, ReportFacts
from judgestats.report.figures.canvas import ACCENT, INK, MAIN, MUTED, PAPER, drawing, to_svg
from judgestats.report.figures.marks import Interval, intervals, padded, rope_band, zero_line
from judgestats.report.numbers import significant
from judgestats.report.tables import Column, Row, Table

KEY = "half-eye"


def panel(cell: CellFacts, report: ReportFacts) -> Panel | None:
    """Return the half-eye of the headline effect, None without a density or an interval."""
    head = cell.headline
    if head is None or cell.density is None or head.lower.value is None or len(cell.density.x) < 3:
        return None
    name = report.analysis.effect_name
    planted = f"; planted {head.planted}" if head.planted.value is not None else ""
    alt = (
        f"Posterior density of {name}: mean {head.mean}, {head.interval}; ROPE from {report.rope[0]} to "
        f"{report.rope[1]}{planted}."
    )
    title = f"{name} of {cell.judge} in {cell.domain}: {head.mean}, {head.interval}"
    caption = (
        f"Curve: posterior density. Line and disc: {head.interval}, mean. Shaded: ROPE. Vertical line: no effect."
        + (" Open diamond: planted value." if planted else "")
    )
    step = max(1, len(cell.density.x) // 40)
    rows = tuple(
        Row((significant(x, 4), significant(y, 3)))
        for x, y in list(zip(cell.density.x, cell.density.y, strict=True))[::step]
    )
    table = Table(KEY, "Posterior density", (Column(name, "number"), Column("density", "number")), rows)
    return Panel(KEY, title, caption, alt, table, lambda: _draw(cell, report, title, alt))


def _end_labels(axes: Any, head: Estimate) -> None:
    """Write the interval's ends below it, on paper of their own, so that no line strikes them through."""
    if head.lower.value is None or head.upper.value is None:
        return
    low, high = axes.get_xlim()
    narrow = head.upper.value - head.lower.value < 0.14 * (high - low)
    sides = ("right", "left") if narrow else ("center", "center")
    paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.2}
    for end, side in zip((head.lower, head.upper), sides, strict=True):
        axes.text(end.value, -0.25, f"{end}", ha=side, va="center", fontsize=8.5, color=INK, bbox=paper, zorder=6)


def _draw(cell: CellFacts, report: ReportFacts, title: str, alt: str) -> str:
    head, density = cell.headline, cell.density
    assert head is not None
    assert density is not None
    assert head.lower.value is not None
    assert head.upper.value is not None
    lower, upper = head.lower.value, head.upper.value
    top = max(density.y) or 1.0
    shown = [x for x, y in zip(density.x, density.y, strict=True) if y > 0.002 * top]
    limits = [*shown, lower, upper, 0.0, *(e.value for e in report.rope if e.value is not None)]
    if head.planted.value is not None:
        limits.append(head.planted.value)
    with drawing(2.3) as canvas:
        axes = canvas.axes(0.15, 0.45, 0.15, 0.22)
        axes.set_xlim(*padded(min(limits), max(limits)))
        axes.set_ylim(-0.36, 1.12)
        axes.set_yticks([])
        rope_band(axes, (report.rope[0].value, report.rope[1].value))
        zero_line(axes)
        heights = [y / top for y in density.y]
        axes.fill_between(density.x, heights, color=MAIN, alpha=0.3, linewidth=0, zorder=1)
        axes.plot(density.x, heights, color=MAIN, linewidth=1.2, zorder=2)
        intervals(axes, [Interval(-0.12, lower, upper, head.mean.value)])
        _end_labels(axes, head)
        if report.rope[0].value is not None and report.rope[1].value is not None:
            axes.annotate(
                "ROPE",
                (report.rope[0].value, 1.1),
                (-4, 0),
                textcoords="offset points",
                ha="right",
                va="top",
                fontsize=8,
                color=MUTED,
            )
        if head.planted.value is not None:
            axes.plot(
                [head.planted.value], [-0.12], marker="D", markersize=7, color=ACCENT, markerfacecolor="none", zorder=4
            )
            axes.axvline(head.planted.value, color=ACCENT, linewidth=1, linestyle=(0, (4, 2)), zorder=2)
            axes.text(
                head.planted.value,
                1.14,
                f"planted {head.planted}",
                ha="center",
                va="bottom",
                fontsize=8.5,
                color=ACCENT,
            )
        axes.set_xlabel(f"{report.analysis.effect_name} (probability scale)")
        return to_svg(canvas, KEY, title, alt)
