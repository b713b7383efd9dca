"""Null histogram: the statistic under permuted labels, whole, with the observed value."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from judgestats.checks.falsification import Falsification
from judgestats.report.document import Panel
from judgestats.report.figures.canvas import ACCENT, INK, MAIN, MUTED, drawing, to_svg
from judgestats.report.figures.marks import padded
from judgestats.report.labels import SCHEME_WORDS, permuted_label, sentence_case
from judgestats.report.numbers import Number, count, fixed, p_value, percent, probability
from judgestats.report.tables import Column, Row, Table

BINS = 40
MOST_STEMS = 60


def panel(row: Falsification, index: int, places: int) -> Panel | None:
    """Return the null distribution of one scheme, None where no refit succeeded.

    Parameters
    ----------
    row : Falsification
        The result of one scheme.
    index : int
        Position on the page, part of the key.
    places : int
        Decimals of the effect.
    """
    finite = np.isfinite(row.null)
    if not finite.any():
        return None
    values, weights = row.null[finite], row.null_weights[finite]
    key = f"null-{index}"
    scheme = SCHEME_WORDS.get(row.scheme, row.scheme)
    title = f"Observed {fixed(row.observed, places)} among labels permuted {scheme}: p = {p_value(row.p_value)}"
    how = (
        "every distinct outcome, by its probability" if row.enumerated else f"{count(row.permutations)} permuted refits"
    )
    alt = (
        f"Null distribution of {permuted_label(row.statistic)} over {how}: from {fixed(float(values.min()), places)} to "
        f"{fixed(float(values.max()), places)}; observed {fixed(row.observed, places)}; p = {p_value(row.p_value)}."
    )
    failed = f" {row.failed} refits failed and are counted as extreme." if row.failed else ""
    caption = (
        f"Bars: the statistic over {how}, whole range. Solid line and triangle: observed value. Dashed: the same distance on the "
        f"other side.{failed}"
    )
    edges, mass = _bars(values, weights)
    table = _table(key, edges, mass, places)
    return Panel(
        key, title, caption, alt, table, lambda: _draw(key, row, edges, mass, fixed(row.observed, places), title, alt)
    )


def _bars(values: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return positions and masses where values are few (dims equal), bin edges and masses otherwise (one edge more)."""
    total = float(weights.sum()) or 1.0
    distinct, inverse = np.unique(np.round(values, 9), return_inverse=True)
    if distinct.size <= MOST_STEMS:
        return distinct, np.bincount(inverse, weights=weights) / total
    mass, edges = np.histogram(values, bins=BINS, weights=weights)
    return edges, mass / total


def _table(key: str, edges: NDArray[np.float64], mass: NDArray[np.float64], places: int) -> Table:
    stems = edges.size == mass.size
    where = [(e, e) for e in edges] if stems else list(itertools.pairwise(edges))
    rows = tuple(
        Row((fixed(float(a), places + 1), fixed(float(b), places + 1), probability(float(m)) if m else percent(0, 1)))
        for (a, b), m in zip(where, mass, strict=True)
    )
    heads = (Column("from", "number"), Column("to", "number"), Column("share of the null distribution", "number"))
    return Table(key, "Null distribution", heads, rows)


def _draw(
    key: str,
    row: Falsification,
    edges: NDArray[np.float64],
    mass: NDArray[np.float64],
    observed: Number,
    title: str,
    alt: str,
) -> str:
    with drawing(2.1) as canvas:
        axes = canvas.axes(0.15, 0.45, 0.15, 0.25)
        ends = [float(edges.min()), float(edges.max()), row.observed, -row.observed]
        axes.set_xlim(*padded(min(ends), max(ends)))
        axes.set_ylim(0, float(mass.max()) * 1.15)
        axes.set_yticks([])
        if edges.size == mass.size:
            axes.vlines(edges, 0, mass, color=MAIN, linewidth=3)
        else:
            axes.bar(edges[:-1], mass, width=np.diff(edges), align="edge", color=MAIN, alpha=0.55, linewidth=0)
        axes.axvline(row.observed, color=ACCENT, linewidth=1.6)
        axes.axvline(-row.observed, color=MUTED, linewidth=1, linestyle=(0, (4, 2)))
        top = float(mass.max()) * 1.15
        axes.plot([row.observed], [top], marker="v", color=ACCENT, markersize=7, clip_on=False, zorder=4)
        right = row.observed > (ends[0] + max(ends)) / 2
        label = f"observed {observed}, p = {p_value(row.p_value)}"
        side = "right" if right else "left"
        axes.annotate(
            label,
            (row.observed, top),
            (-6 if right else 6, 4),
            textcoords="offset points",
            ha=side,
            color=INK,
            fontsize=8.5,
        )
        axes.set_xlabel(f"{sentence_case(permuted_label(row.statistic))} under permuted labels (probability scale)")
        return to_svg(canvas, key, title, alt)
