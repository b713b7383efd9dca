"""Score distributions: the raw scores of every variant over those of the base."""

from __future__ import annotations

from typing import Any

from judgestats.report.document import Panel
from judgestats.report.figures.canvas import INK, MAIN, MUTED, drawing, to_svg
from judgestats.report.figures.marks import shorten
from judgestats.report.numbers import ABSENT, fixed, percent
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts, VariantFacts
from judgestats.report.tables import Column, Row, Table

KEY = "score-distributions"
COLUMNS = 3
MOST_LEVELS = 41  # finer scales are drawn as lines without a tick a level


def panel(cell: ScoreCellFacts, report: ScoreReportFacts) -> Panel | None:
    """Return small histograms, one a variant, None without scores of the base."""
    base = cell.base
    if base is None or base.raw is None or not sum(base.raw.levels):
        return None
    shown = [v for v in cell.shifted if v.raw is not None and sum(v.raw.levels)]
    if not shown:
        return None
    widest = max(shown, key=lambda v: (v.raw.wasserstein1 or 0.0) if v.raw is not None else 0.0)
    assert widest.raw is not None
    title = (
        f"Raw scores: the distribution moved most under {widest.name} (W1 {fixed(widest.raw.wasserstein1, 2)} points)"
    )
    alt = f"Base: mean {fixed(base.raw.mean, 2)}. " + "; ".join(_words(v) for v in shown) + "."
    caption = (
        f"Filled: share of valid scores at each level under the variant; outline: base, the same in every panel. Scale "
        f"{report.range_words}; heights are comparable. W1: how far scores moved, whatever the direction, in points."
    )
    table = _table([base, *shown], report)
    return Panel(KEY, title, caption, alt, table, lambda: _draw(base, shown, report, title, alt))


def _words(v: VariantFacts) -> str:
    assert v.raw is not None
    return f"{v.name}: mean {fixed(v.raw.mean, 2)}, W1 {fixed(v.raw.wasserstein1, 2)} points"


def _table(variants: list[VariantFacts], report: ScoreReportFacts) -> Table:
    levels = report.scale.levels
    columns = (Column("score"), *(Column(v.name, "number") for v in variants))
    rows = tuple(
        Row(
            (
                f"{level:g}",
                *(percent(v.raw.levels[k], sum(v.raw.levels)) if v.raw is not None else ABSENT for v in variants),
            )
        )
        for k, level in enumerate(levels)
    )
    return Table(KEY, "Share of valid scores at each level (%)", columns, rows)


def _shares(v: VariantFacts) -> list[float]:
    assert v.raw is not None
    total = sum(v.raw.levels) or 1
    return [n / total for n in v.raw.levels]


def _draw(base: VariantFacts, shown: list[VariantFacts], report: ScoreReportFacts, title: str, alt: str) -> str:
    lines = -(-len(shown) // COLUMNS)
    height, top = 1.2, 0.1
    under = _shares(base)
    most = max([*under, *(x for v in shown for x in _shares(v))])
    with drawing(lines * height + top + 0.2) as canvas:
        width, tall = canvas.figure.get_size_inches()
        part = width / COLUMNS
        for i, v in enumerate(shown):
            line, column = divmod(i, COLUMNS)
            left, lower = column * part + 0.08, tall - top - (line + 1) * height + 0.22
            box = (left / width, lower / tall, (part - 0.16) / width, (height - 0.55) / tall)
            _one(canvas.figure.add_axes(box), v, under, most, report)
        return to_svg(canvas, KEY, title, alt)


def _one(axes: Any, v: VariantFacts, under: list[float], most: float, report: ScoreReportFacts) -> None:
    levels, step = report.scale.levels, report.scale.step
    edges = [levels[0] - step / 2, *(x + step / 2 for x in levels)]
    axes.bar(levels, _shares(v), width=0.86 * step, color=MAIN, alpha=0.55, linewidth=0)
    axes.stairs(under, edges, color=INK, linewidth=1.1, baseline=None)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(0, most * 1.08)
    axes.set_yticks([])
    every = max(1, -(-len(levels) // 10))
    ticks = list(levels)[::every] if len(levels) <= MOST_LEVELS else [levels[0], levels[-1]]
    axes.set_xticks(ticks)
    axes.tick_params(axis="x", length=2, labelsize=7, pad=1)
    assert v.raw is not None
    axes.text(0, 1.2, shorten(v.name, 30), transform=axes.transAxes, ha="left", va="bottom", fontsize=8.5, color=INK)
    numbers = f"mean {fixed(v.raw.mean, 2)} · W1 {fixed(v.raw.wasserstein1, 2)}"
    axes.text(0, 1.02, numbers, transform=axes.transAxes, ha="left", va="bottom", fontsize=7.5, color=MUTED)
