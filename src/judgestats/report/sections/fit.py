"""Section 8: whether the model fits."""

from __future__ import annotations

from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.facts import CellFacts
from judgestats.report.figures import predictive
from judgestats.report.labels import STAGE_WORDS, statistic_label
from judgestats.report.numbers import fixed, probability
from judgestats.report.tables import Column, Row, Table


def section(cell: CellFacts) -> Section:
    """Return posterior predictive checks and leave-one-item-out cross-validation, with what good looks like."""
    blocks: list[Block] = []
    panel = predictive.panel(cell)
    if panel is None:
        blocks.append(Paragraph("Posterior predictive checks were not computed in this run.", "warn"))
    else:
        blocks.append(Paragraph(_verdict(cell)))
        blocks.append(panel)
    if cell.loo:
        blocks.append(
            Paragraph(
                "Leave-one-item-out: the unit is the item, its effect integrated out. Good: no Pareto k above 0.7, and the "
                "exact value, where it was computed, within a standard error of the PSIS value."
            )
        )
        blocks.append(TableBlock(_loo(cell)))
    else:
        blocks.append(Paragraph("Leave-one-item-out cross-validation was not computed in this run."))
    return Section(8, "fit", "Does it fit?", tuple(blocks))


def _verdict(cell: CellFacts) -> str:
    rows = [r for r in cell.predictive if r.source == "posterior" and r.observed is not None]
    out = [r for r in rows if not r.lower <= (r.observed or 0.0) <= r.upper]
    good = "Good: the observed value lies inside its 95 % predictive interval."
    if not out:
        return f"{good} All {len(rows)} checks do."
    names = ", ".join(f"{statistic_label(r.statistic)} ({r.block or 'both blocks'}, {r.stage})" for r in out)
    return f"{good} {len(out)} of {len(rows)} checks do not: {names}."


def _loo(cell: CellFacts) -> Table:
    heads = (
        "stage",
        "items",
        "elpd (nats)",
        "se",
        "p_loo",
        "largest Pareto k",
        "share above 0.7",
        "elpd by exact refits",
    )
    rows = tuple(
        Row(
            (
                STAGE_WORDS.get(r.stage, r.stage),
                f"{r.n_items}",
                fixed(r.elpd, 1),
                fixed(r.se, 1),
                fixed(r.p_loo, 2),
                fixed(r.pareto_k_max, 2),
                probability(r.share_k_over_07) if r.share_k_over_07 else fixed(r.share_k_over_07, 0),
                fixed(r.elpd_exact, 1),
            )
        )
        for r in cell.loo
    )
    columns = tuple(Column(h, "number" if i else "text") for i, h in enumerate(heads))
    return Table("loo", "Leave-one-item-out cross-validation", columns, rows).without_empty_columns()
