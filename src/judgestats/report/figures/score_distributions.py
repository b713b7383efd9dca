"""Score distributions: the raw scores of every variant over those of the base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.collections import LineCollection, PolyCollection

from judgestats.report.document import Panel
from judgestats.report.figures.canvas import INK, MAIN, MUTED, drawing, to_svg
from judgestats.report.figures.marks import shorten
from judgestats.report.numbers import ABSENT, fixed, percent
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts, VariantFacts
from judgestats.report.tables import Column, Row, Table

KEY = "score-distributions"
COLUMNS = 3
HEIGHT = 1.15  # inches of a line of panels


def panel(cell: ScoreCellFacts, report: ScoreReportFacts) -> Panel | None:
    """Return small histograms, one a variant, None without scores of the base."""
    base = cell.base
    if base is None or base.raw is None or not sum(base.raw.levels):
        return None
    shown = [v for v in cell.shifted if v.raw is not None and sum(v.raw.levels) > 0]
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
    """Draw every panel on one pair of axes in inches, by one artist a kind: ten times faster than axes a panel."""
    lines = -(-len(shown) // COLUMNS)
    under = _shares(base)
    most = max([*under, *(x for v in shown for x in _shares(v))])
    with drawing(lines * HEIGHT + 0.1) as canvas:
        axes = canvas.axes(0, 0, 0, 0)
        width, tall = canvas.figure.get_size_inches()
        axes.set_xlim(0, width)
        axes.set_ylim(0, tall)
        axes.axis("off")
        part = width / COLUMNS
        bars: list[list[tuple[float, float]]] = []
        outlines: list[list[tuple[float, float]]] = []
        floors: list[list[tuple[float, float]]] = []
        for i, v in enumerate(shown):
            line, column = divmod(i, COLUMNS)
            box = Box(column * part + 0.08, tall - (line + 1) * HEIGHT + 0.12, part - 0.2, HEIGHT - 0.62, most)
            bars += box.bars(_shares(v))
            outlines.append(box.outline(under))
            floors.append([(box.left, box.bottom), (box.left + box.width, box.bottom)])
            _texts(axes, v, box, report)
        axes.add_collection(PolyCollection(bars, facecolors=MAIN, alpha=0.55, linewidths=0))
        axes.add_collection(LineCollection(floors, colors=MUTED, linewidths=0.8))
        axes.add_collection(LineCollection(outlines, colors=INK, linewidths=1.1))
        return to_svg(canvas, KEY, title, alt)


@dataclass(frozen=True)
class Box:
    """One panel, inches; `most` is the share at its full height."""

    left: float
    bottom: float
    width: float
    height: float
    most: float

    def bars(self, shares: list[float]) -> list[list[tuple[float, float]]]:
        """Return the corners of every bar that is not empty."""
        part = self.width / len(shares)
        out = []
        for k, share in enumerate(shares):
            if share:
                left, right = self.left + (k + 0.07) * part, self.left + (k + 0.93) * part
                top = self.bottom + self.height * share / self.most
                out.append([(left, self.bottom), (left, top), (right, top), (right, self.bottom)])
        return out

    def outline(self, shares: list[float]) -> list[tuple[float, float]]:
        """Return the steps over all levels."""
        part = self.width / len(shares)
        tops = [self.bottom + self.height * share / self.most for share in shares]
        return [(self.left + (k + side) * part, top) for k, top in enumerate(tops) for side in (0, 1)]


def _texts(axes: Any, v: VariantFacts, box: Box, report: ScoreReportFacts) -> None:
    assert v.raw is not None
    top = box.bottom + box.height
    numbers = f"mean {fixed(v.raw.mean, 2)} · W1 {fixed(v.raw.wasserstein1, 2)} points"
    axes.text(box.left, top + 0.18, shorten(v.name, 30), ha="left", va="bottom", fontsize=8.5, color=INK)
    axes.text(box.left, top + 0.04, numbers, ha="left", va="bottom", fontsize=7.5, color=MUTED)
    levels = report.scale.levels
    for k in sorted({0, (len(levels) - 1) // 2, len(levels) - 1}):
        x = box.left + (k + 0.5) * box.width / len(levels)
        axes.text(x, box.bottom - 0.03, f"{levels[k]:g}", ha="center", va="top", fontsize=7.5, color=MUTED)
