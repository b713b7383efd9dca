"""Model graph: parameters, data and how they hang together, in two stages."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from judgestats.report.document import Panel
from judgestats.report.facts import ReportFacts
from judgestats.report.figures.canvas import BAND, INK, MAIN, MUTED, PAPER, drawing, to_svg
from judgestats.report.figures.marks import shorten
from judgestats.report.labels import IMPLIED_PRIOR, STAGE_WORDS
from judgestats.report.tables import Column, Row, Table

KEY = "model-graph"
BOX_WIDTH = 14  # hundredths of the figure's width
MOST_IN_A_ROW = 3  # boxes of a stage beside each other; more would overlap
STAGES = (("validity", "valid?"), ("shift", "consistent?"))


def panel(report: ReportFacts) -> Panel | None:
    """Return the graph of the model, None where the run came without priors to draw."""
    # Rows that only say what the priors imply are no parameters.
    stages = {s: [p for p in report.priors if p.stage == s and p.prior != IMPLIED_PRIOR] for s, _ in STAGES}
    if not any(stages.values()):
        return None
    title = "How parameters lead to answers"
    alt = (
        "; ".join(
            f"{STAGE_WORDS[stage]}: {', '.join(f'{p.parameter} ~ {p.prior}' for p in rows)} set the probability of the answer"
            for stage, rows in stages.items()
        )
        + "; only valid answers enter stage B."
    )
    rows = tuple(Row((STAGE_WORDS[s], p.parameter, p.prior, f"{s} outcome")) for s, ps in stages.items() for p in ps)
    heads = (Column("stage"), Column("parameter"), Column("prior"), Column("points to"))
    caption = "Open boxes: parameters with their priors. Shaded boxes: observed answers. Arrows: what depends on what."
    table = Table(KEY, "Edges of the graph", heads, rows)
    names = tuple((stage, tuple((p.parameter, p.prior) for p in ps)) for stage, ps in stages.items())
    return Panel(KEY, title, caption, alt, table, lambda: _draw(names, title, alt))


@lru_cache(maxsize=4)  # the same on every page of a report
def _draw(stages: tuple[tuple[str, tuple[tuple[str, str], ...]], ...], title: str, alt: str) -> str:
    rows = max(1, *(-(-len(names) // MOST_IN_A_ROW) for _, names in stages))
    with drawing(1.45 + 0.75 * rows) as canvas:
        axes = canvas.axes(0.05, 0.05, 0.05, 0.05)
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 19.5 + 10.5 * rows)
        axes.set_axis_off()
        for index, (stage, word) in enumerate(STAGES):
            left = 2 + 52 * index
            names = dict(stages)[stage]
            middle = left + 22
            top = 18 + 10.5 * rows
            axes.text(left, top, STAGE_WORDS[stage], fontsize=9, fontweight="bold", va="center")
            for i, (name, prior) in enumerate(names):
                line, place = divmod(i, MOST_IN_A_ROW)
                x = left + 44 / MOST_IN_A_ROW * (place + 0.5)
                y = top - 7.5 - 10.5 * line
                # Arrows lie under the boxes, so one from an upper row passes behind the row below.
                _arrow(axes, (x, y - 4), (middle, 8.2))
                _box(axes, x, y, f"{shorten(name, 15)}\n{shorten(prior, 16)}", BOX_WIDTH, PAPER)
            _box(axes, middle, 5, word, 16, BAND)
        _arrow(axes, (32.5, 5), (67.5, 5))
        axes.text(50, 6.2, "valid answers only", ha="center", fontsize=8, color=MUTED)
        return to_svg(canvas, KEY, title, alt)


def _box(axes: Any, x: float, y: float, text: str, width: float, face: str) -> None:
    height = 8 if "\n" in text else 6
    axes.add_patch(_rectangle(x - width / 2, y - height / 2, width, height, face))
    axes.text(x, y, text, ha="center", va="center", fontsize=8, color=INK, zorder=3)


def _rectangle(x: float, y: float, width: float, height: float, face: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(
        (x, y), width, height, facecolor=face, edgecolor=MAIN if face == PAPER else INK, linewidth=1, zorder=2
    )


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": MUTED, "linewidth": 0.9}, zorder=1)
