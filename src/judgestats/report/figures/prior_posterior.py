"""Prior against posterior: how much the data moved each quantity."""

from __future__ import annotations

from dataclasses import dataclass

from judgestats.report.document import Panel
from judgestats.report.facts import CellFacts, Estimate, ReportFacts
from judgestats.report.figures.canvas import INK, MAIN, MUTED, drawing, to_svg
from judgestats.report.figures.marks import Interval, bare_rows, intervals, right_labels, row_labels
from judgestats.report.labels import estimand_label
from judgestats.report.numbers import Number, fixed
from judgestats.report.tables import Column, Row, Table

KEY = "prior-posterior"
RATES = {"validity": ("validity",), "shift": ("consistency", "accuracy")}


@dataclass(frozen=True)
class Pair:
    """A quantity before and after the data: mean and 95 % interval of either, probability scale."""

    label: str
    prior: tuple[Number, Number, Number]
    posterior: tuple[Number, Number, Number]


def panel(cell: CellFacts, report: ReportFacts) -> Panel | None:
    """Return prior and posterior intervals of the block probabilities and the effect, None without a common quantity."""
    pairs = _pairs(cell)
    if not pairs:
        return None
    alt = "; ".join(f"{p.label}: prior {_words(p.prior)}, posterior {_words(p.posterior)}" for p in pairs) + "."
    title = f"Prior and posterior of {cell.judge} in {cell.domain}"
    caption = (
        "Upper line of each pair, hollow: prior. Lower line, filled: posterior. Means with 95 % equal-tailed intervals."
    )
    heads = (
        "quantity",
        "prior mean",
        "prior lower",
        "prior upper",
        "posterior mean",
        "posterior lower",
        "posterior upper",
    )
    columns = tuple(Column(h, "number" if i else "text") for i, h in enumerate(heads))
    rows = tuple(Row((p.label, *p.prior, *p.posterior)) for p in pairs)
    table = Table(KEY, "Prior and posterior (probability scale, 95 % eti)", columns, rows)
    return Panel(KEY, title, caption, alt, table, lambda: _draw(pairs, title, alt))


def _words(triple: tuple[Number, Number, Number]) -> str:
    return f"{triple[0]} [{triple[1]}, {triple[2]}]"


def _pairs(cell: CellFacts) -> tuple[Pair, ...]:
    out = []
    for row in cell.predictive:
        if row.source != "prior":
            continue
        after = _posterior(cell, row.stage, row.block, row.statistic)
        if after is None or after.lower.value is None:
            continue
        before = (fixed(row.mean, 3), fixed(row.lower, 3), fixed(row.upper, 3))
        label = after.label if row.block is None else f"{estimand_label(after.estimand, cell.success)}, {row.block}"
        label += " (prior only)" if after.prior_only else ""
        out.append(Pair(label, before, (after.mean, after.lower, after.upper)))
    return tuple(out)


def _posterior(cell: CellFacts, stage: str, block: str | None, statistic: str) -> Estimate | None:
    if statistic.startswith("delta_p"):
        return cell.headline
    if statistic != "rate" or block is None:
        return None
    names = RATES.get(stage, ())
    found = [e for e in cell.estimates if e.estimand in names and e.block == block and e.version in (None, "marginal")]
    return found[0] if found else None


def _draw(pairs: tuple[Pair, ...], title: str, alt: str) -> str:
    with drawing(0.7 + 0.42 * len(pairs)) as canvas:
        axes = canvas.axes(2.2, 0.45, 1.6, 0.1)
        bare_rows(axes, len(pairs))
        axes.axvline(0, color=INK, linewidth=0.9, zorder=1)
        intervals(axes, _rows([p.prior for p in pairs], -0.16), colour=MUTED, hollow=True)
        intervals(axes, _rows([p.posterior for p in pairs], 0.16), colour=MAIN)
        row_labels(axes, [p.label for p in pairs], size=8.5)
        right_labels(axes, [_words(p.posterior) for p in pairs], size=8)
        axes.set_xlabel("probability, or difference of probabilities")
        return to_svg(canvas, KEY, title, alt)


def _rows(triples: list[tuple[Number, Number, Number]], shift: float) -> list[Interval]:
    return [
        Interval(y + shift, lower.value, upper.value, mean.value)
        for y, (mean, lower, upper) in enumerate(triples)
        if lower.value is not None and upper.value is not None
    ]
