"""Marks: the few shapes that all figures share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgestats.report.figures.canvas import BAND, INK, MAIN, MUTED, PAPER


def zero_line(axes: Any) -> None:
    """Draw the line of no effect."""
    axes.axvline(0, color=INK, linewidth=0.9, zorder=1)


def rope_band(axes: Any, rope: tuple[float | None, float | None]) -> None:
    """Shade the region of practical equivalence."""
    if rope[0] is not None and rope[1] is not None:
        axes.axvspan(rope[0], rope[1], color=BAND, linewidth=0, zorder=0)


def interval(
    axes: Any, y: float, ends: tuple[float, float], point: float | None, *, colour: str = MAIN, hollow: bool = False
) -> None:
    """Draw an interval as a line with end ticks and its point as a disc, hollow where it is not the main one."""
    axes.plot(ends, (y, y), color=colour, linewidth=1.6, solid_capstyle="butt", marker="|", markersize=5, zorder=2)
    if point is not None:
        face = PAPER if hollow else colour
        axes.plot(
            [point],
            [y],
            color=colour,
            marker="o",
            markersize=5.5,
            markerfacecolor=face,
            markeredgecolor=colour,
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
