"""Marks: the few shapes that all figures share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judgestats.report.figures.canvas import BAND, INK, MAIN, MUTED, PAPER


def zero_line(axes: Any) -> None:
    """Draw the line of no effect."""
    axes.axvline(0, color=INK, linewidth=0.9, zorder=1)


def rope_band(axes: Any, rope: tuple[float | None, float | None]) -> None:
    """Shade the region of practical equivalence."""
    if rope[0] is not None and rope[1] is not None:
        axes.axvspan(rope[0], rope[1], color=BAND, linewidth=0, zorder=0)


@dataclass(frozen=True)
class Interval:
    """An interval to draw: its row, its ends and its point."""

    y: float
    lower: float
    upper: float
    point: float | None


def intervals(axes: Any, rows: Sequence[Interval], *, colour: str = MAIN, hollow: bool = False) -> None:
    """Draw intervals as lines with end ticks and their points as discs, hollow where they are not the main ones.

    All rows are drawn by three artists, which is many times faster than an artist for each.
    """
    if not rows:
        return
    ys = [row.y for row in rows]
    lowers, uppers = [row.lower for row in rows], [row.upper for row in rows]
    axes.hlines(ys, lowers, uppers, color=colour, linewidth=1.6, zorder=2)
    axes.plot([*lowers, *uppers], [*ys, *ys], "|", color=colour, markersize=5, zorder=2)
    dots = [(row.point, row.y) for row in rows if row.point is not None]
    axes.plot(
        [x for x, _ in dots],
        [y for _, y in dots],
        "o",
        color=colour,
        markersize=5.5,
        markerfacecolor=PAPER if hollow else colour,
        zorder=3,
    )


def bare_rows(axes: Any, count: int) -> None:
    """Make room for `count` labelled rows, the first on top, without a vertical axis."""
    axes.set_ylim(count - 0.4, -0.6)
    axes.set_yticks([])
    axes.tick_params(axis="x", length=3)


def row_labels(axes: Any, labels: Sequence[str], *, x: float = -0.02, size: float = 9.0, colour: str = INK) -> None:
    """Write row labels left of the axes, at `x` in axes widths."""
    transform = axes.get_yaxis_transform()
    for y, label in enumerate(labels):
        axes.text(x, y, label, transform=transform, ha="right", va="center", fontsize=size, color=colour)


def right_labels(axes: Any, labels: Sequence[str], *, x: float = 1.02, size: float = 8.5) -> None:
    """Write the numbers of the rows right of the axes."""
    transform = axes.get_yaxis_transform()
    for y, label in enumerate(labels):
        axes.text(x, y, label, transform=transform, ha="left", va="center", fontsize=size, color=MUTED)


def shorten(label: str, longest: int) -> str:
    """Return a label that fits beside a figure; the full one stands in the table below it."""
    return label if len(label) <= longest else f"{label[: longest - 1]}…"


def padded(low: float, high: float, share: float = 0.06) -> tuple[float, float]:
    """Return limits with some room on both sides."""
    room = (high - low) * share or 0.01
    return low - room, high + room
