"""Cue forest: the shift of every variant, with the ROPE and the noise floor of the placebo notes."""

from __future__ import annotations

from typing import Any

from judgestats.report.document import Panel
from judgestats.report.figures.canvas import ACCENT, INK, MUTED, drawing, to_svg
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
from judgestats.report.numbers import NOTHING
from judgestats.report.score_facts import NoiseFloor, ScoreCellFacts, ScoreReportFacts, VariantFacts
from judgestats.report.score_words import bracket
from judgestats.report.tables import Column, Row, Table

KEY = "cue-forest"
LONGEST = 30


def panel(cell: ScoreCellFacts, report: ScoreReportFacts) -> Panel | None:
    """Return the forest of shifts, None where no variant has an interval."""
    rows = [v for v in (*cell.cues, *cell.placebos) if _drawable(v)]
    if not rows:
        return None
    moved = [v for v in rows if v.standing in ("beyond", "excludes") and not v.placebo]
    what = "beyond the ROPE" if any(v.shift is not None and v.shift.rope is not None for v in rows) else "away from 0"
    title = f"Score shift of {len(rows)} variants: {len(moved)} of {len(cell.cues)} cue variants lie {what}"
    alt = "; ".join(f"{_label(v)} {'' if v.shift is None else bracket(v.shift)}" for v in rows)
    if cell.floor is not None:
        alt += f"; noise floor {cell.floor.words}"
    share = f"{100 * report.analysis.ci_prob:g} % interval ({report.analysis.ci_kind})"
    parts = [f"Disc: posterior median; line: {share}. Shaded: ROPE {report.rope_words}; vertical line: no effect."]
    if any(v.placebo for v in rows):
        parts.append("Hollow, below: placebo notes; dashed lines: their noise floor.")
    if any(v.other is not None for v in rows):
        parts.append(f"Hollow, grey, under a disc: {_other(report)} estimate.")
    if report.analysis.simulated:
        parts.append("Open diamond: planted shift.")
    table = _table(rows, report)
    return Panel(
        KEY, title, " ".join(parts), f"{alt}.", table, lambda: _draw(rows, cell.floor, report, title, f"{alt}.")
    )


def _drawable(v: VariantFacts) -> bool:
    return v.estimable and v.shift is not None and v.shift.lower.value is not None and v.shift.upper.value is not None


def _other(report: ScoreReportFacts) -> str:
    return "unpooled" if report.analysis.pooling == "partial" else "partially pooled"


def _label(v: VariantFacts) -> str:
    return f"{v.name} (placebo)" if v.placebo else v.name


def _table(rows: list[VariantFacts], report: ScoreReportFacts) -> Table:
    share = report.interval_words
    other = _other(report)
    heads = (
        "median (points)",
        f"lower {share}",
        f"upper {share}",
        f"{other}, median (points)",
        "its lower",
        "its upper",
    )
    columns = (Column("variant"), *(Column(h, "number") for h in (*heads, "planted (points)")))
    cells = []
    for v in rows:
        e, o = v.shift, v.other
        if e is not None:
            rest = (NOTHING,) * 3 if o is None else (o.median, o.lower, o.upper)
            cells.append(Row((_label(v), e.median, e.lower, e.upper, *rest, e.planted)))
    return Table(KEY, "Score shift by variant", columns, tuple(cells)).without_empty_columns()


def _draw(rows: list[VariantFacts], floor: NoiseFloor | None, report: ScoreReportFacts, title: str, alt: str) -> str:
    has_other = any(v.other is not None for v in rows)
    with drawing(0.75 + (0.3 if has_other else 0.25) * len(rows)) as canvas:
        axes = canvas.axes(2.25, 0.45, 1.5, 0.25)
        bare_rows(axes, len(rows))
        rope_band(axes, (report.rope[0].value, report.rope[1].value))
        zero_line(axes)
        main, placebo, other = _marks(rows)
        intervals(axes, other, colour=MUTED, hollow=True)
        intervals(axes, main)
        intervals(axes, placebo, colour=INK, hollow=True)
        ends = [0.0, *(x for i in (*main, *placebo, *other) for x in (i.lower, i.upper))]
        ends += [e.value for e in report.rope if e.value is not None]
        ends += _planted(axes, rows)
        if floor is not None and floor.lower.value is not None and floor.upper.value is not None:
            for x in (floor.lower.value, floor.upper.value):
                axes.axvline(x, color=MUTED, linewidth=1, linestyle=(0, (4, 2)), zorder=1)
            axes.text(
                floor.upper.value,
                -0.75,
                "noise floor",
                ha="left" if floor.upper.value < sum(padded(min(ends), max(ends))) / 2 else "right",
                va="bottom",
                fontsize=8,
                color=MUTED,
            )
        axes.set_xlim(*padded(min(ends), max(ends)))
        row_labels(axes, [shorten(_label(v), LONGEST) for v in rows])
        right_labels(axes, ["" if v.shift is None else bracket(v.shift) for v in rows], size=8.5)
        axes.set_xlabel("Score shift, variant minus base (points)")
        return to_svg(canvas, KEY, title, alt)


def _marks(rows: list[VariantFacts]) -> tuple[list[Interval], list[Interval], list[Interval]]:
    main: list[Interval] = []
    placebo: list[Interval] = []
    other: list[Interval] = []
    for y, v in enumerate(rows):
        e, o = v.shift, v.other
        if e is not None and e.lower.value is not None and e.upper.value is not None:
            (placebo if v.placebo else main).append(Interval(y, e.lower.value, e.upper.value, e.median.value))
        if o is not None and o.lower.value is not None and o.upper.value is not None:
            other.append(Interval(y + 0.3, o.lower.value, o.upper.value, o.median.value))
    return main, placebo, other


def _planted(axes: Any, rows: list[VariantFacts]) -> list[float]:
    """Draw the planted shifts and return where they are."""
    found = [(v.shift.planted.value, y) for y, v in enumerate(rows) if v.shift is not None]
    points = [(x, y) for x, y in found if x is not None]
    if points:
        xs, ys = zip(*points, strict=True)
        axes.plot(xs, ys, "D", color=ACCENT, markerfacecolor="none", markersize=6.5, zorder=4)
    return [x for x, _ in points]
