"""Index forest: the effect of every judge and domain on one axis, what each judge lost beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgestats.report import loss, sentences
from judgestats.report.document import Panel
from judgestats.report.facts import CellFacts, ReportFacts
from judgestats.report.figures.canvas import ACCENT, GRID, INK, MUTED, PAPER, drawing, to_svg
from judgestats.report.figures.marks import (
    Interval,
    bare_rows,
    intervals,
    padded,
    rope_band,
    row_labels,
    shorten,
    zero_line,
)
from judgestats.report.numbers import NOTHING
from judgestats.report.tables import Column, Row, Table

KEY = "index-forest"
LONGEST_LABEL = 26


def panel(report: ReportFacts) -> Panel | None:
    """Return the judge x domain forest, None where there is no cell."""
    if not report.cells:
        return None
    name = report.analysis.effect_name
    title = f"{name} and lost trials of {len(report.cells)} judge x domain cells"
    alt = "; ".join(_words(cell) for cell in report.cells) + "."
    simulated = " Open diamond: planted value." if report.analysis.simulated else ""
    share = f"{100 * report.analysis.ci_prob:g} % interval ({report.analysis.ci_kind})"
    caption = (
        f"Left: posterior mean of {name} and its {share}; shaded: ROPE; vertical line: no effect.{simulated} "
        "Right: share of trials lost, circle congruent, square incongruent."
    )
    heads = ("judge", "domain", "mean", "lower", "upper", "planted", "lost, congruent", "lost, incongruent")
    columns = tuple(Column(h, "number" if i > 1 else "text") for i, h in enumerate(heads))
    rows = tuple(_row(cell) for cell in report.cells)
    table = Table(KEY, f"{name} (probability scale) and share of lost trials", columns, rows).without_empty_columns()
    return Panel(KEY, title, caption, alt, table, lambda: _draw(report, title, alt))


def _words(cell: CellFacts) -> str:
    lost = ", ".join(f"{b.loss} lost in {b.block}" for b in cell.loss.blocks if b.block != "none")
    head = cell.headline
    value = (
        sentences.no_answer(cell).rstrip(".")
        if head is None or not cell.quotable
        else f"{head.mean} [{head.lower}, {head.upper}]"
    )
    return f"{cell.judge}, {cell.domain}: {value}; {lost}"


def _row(cell: CellFacts) -> Row:
    head = cell.headline if cell.quotable else None
    numbers = (NOTHING,) * 3 if head is None else (head.mean, head.lower, head.upper)
    planted = cell.headline.planted if cell.headline is not None else NOTHING
    lost = (loss.lost_share(cell.loss.block("congruent")), loss.lost_share(cell.loss.block("incongruent")))
    return Row((cell.judge, cell.domain, *numbers, planted, *lost))


def _draw(report: ReportFacts, title: str, alt: str) -> str:
    domains = list(dict.fromkeys(c.domain for c in report.cells))
    rows: list[CellFacts | str] = []
    for domain in domains:
        rows.append(domain)
        rows.extend(c for c in report.cells if c.domain == domain)
    with drawing(0.75 + 0.25 * len(rows)) as canvas:
        left = canvas.axes(1.75, 0.45, 2.5, 0.1)
        right = canvas.axes(5.15, 0.45, 0.95, 0.1)
        for axes in (left, right):
            bare_rows(axes, len(rows))
        _effects(left, rows, report)
        _losses(right, rows)
        return to_svg(canvas, KEY, title, alt)


def _effects(axes: Any, rows: Sequence[CellFacts | str], report: ReportFacts) -> None:
    rope_band(axes, (report.rope[0].value, report.rope[1].value))
    zero_line(axes)
    ends = [0.0, *(e.value for e in report.rope if e.value is not None)]
    drawn: list[Interval] = []
    transform = axes.get_yaxis_transform()
    for y, row in enumerate(rows):
        if isinstance(row, str):
            axes.text(
                -0.42, y, shorten(row, LONGEST_LABEL), transform=transform, va="center", fontsize=9, fontweight="bold"
            )
            continue
        head = row.headline
        if head is None or not row.quotable or head.lower.value is None or head.upper.value is None:
            word = "gate failed: not shown" if row.gate.status == "fail" else "not estimable"
            axes.text(0.98, y, word, transform=transform, ha="right", va="center", fontsize=8.5, color=MUTED)
        else:
            drawn.append(Interval(y, head.lower.value, head.upper.value, head.mean.value))
            ends += [head.lower.value, head.upper.value]
        if head is not None and head.planted.value is not None:
            axes.plot(
                [head.planted.value], [y], marker="D", color=ACCENT, markerfacecolor="none", markersize=6.5, zorder=4
            )
            ends.append(head.planted.value)
    intervals(axes, drawn)
    axes.set_xlim(*padded(min(ends), max(ends)))
    row_labels(axes, ["" if isinstance(r, str) else shorten(r.judge, LONGEST_LABEL) for r in rows])
    axes.set_xlabel(f"{report.analysis.effect_name} (probability scale)")


def _losses(axes: Any, rows: Sequence[CellFacts | str]) -> None:
    most = 5.0
    for y, row in enumerate(rows):
        if isinstance(row, str):
            continue
        axes.axhline(y, color=GRID, linewidth=0.7, zorder=0)
        shares = []
        for block, marker in (("congruent", "o"), ("incongruent", "s")):
            fact = loss.lost_share(row.loss.block(block))
            share = fact.value
            if share is None:
                continue
            shares.append(fact.text.removesuffix(" %"))
            most = max(most, 100 * share)
            face = PAPER if block == "congruent" else ACCENT
            edge = INK if block == "congruent" else ACCENT
            axes.plot(
                [100 * share],
                [y],
                color=edge,
                marker=marker,
                markersize=5,
                markerfacecolor=face,
                markeredgecolor=edge,
                clip_on=False,
                zorder=3,
            )
        label = " · ".join(shares) + " %"
        axes.text(1.1, y, label, transform=axes.get_yaxis_transform(), va="center", fontsize=8.5, color=MUTED)
    axes.set_xlim(0, min(100.0, most * 1.1))
    axes.set_xlabel("lost (%)")
