"""Section 9: whether the result depends on our choices."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.checks.finding import SensitivityRow
from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.facts import CellFacts, ReportFacts
from judgestats.report.figures import sensitivity_forest
from judgestats.report.labels import OUTCOME_WORDS, SENSITIVITY_WORDS, estimand_label, outcome_key, outcome_label
from judgestats.report.numbers import fixed, probability
from judgestats.report.tables import Column, Row, Table

EXPECTED = ("prior", "power_scaling", "loss_rule", "leave_one_out", "pooling")
EFFECT, VALIDITY = "delta_p", "validity_difference"
NOT_RUN = {
    "prior": "Refits under other priors were not run.",
    "power_scaling": "Power-scaling was not run.",
    "loss_rule": "Other treatments of lost trials were not run.",
    "leave_one_out": "The range over refits without one item was not computed.",
    "pooling": "The partially pooled refit was not run.",
}


def section(cell: CellFacts, report: ReportFacts) -> Section:
    """Return alternatives by kind; a kind that was not run says so."""
    blocks: list[Block] = []
    if cell.sensitivity:
        blocks.append(Paragraph(_flips(cell), "lead"))
    panel = sensitivity_forest.panel(cell, report)
    if panel is not None:
        blocks.append(panel)
    present = dict.fromkeys(row.kind for row in cell.sensitivity)
    for kind in [k for k in EXPECTED if k in present] + [k for k in present if k not in EXPECTED]:
        for about in (EFFECT, VALIDITY):
            rows = [
                row
                for row in cell.sensitivity
                if row.kind == kind and (row.estimand == VALIDITY) == (about == VALIDITY)
            ]
            if rows:
                table = _table(kind, about, rows, cell.places, report)
                blocks.append(TableBlock(table, about == VALIDITY, table.caption))
    for kind in EXPECTED:
        if kind not in present:
            blocks.append(Paragraph(NOT_RUN[kind], "warn" if kind in ("prior", "loss_rule") else "plain"))
    return Section(9, "sensitivity", "Does it depend on our choices?", tuple(blocks))


def _flips(cell: CellFacts) -> str:
    head = cell.headline
    decided = [row for row in cell.sensitivity if row.outcome is not None and row.estimand != VALIDITY]
    if head is None or head.outcome is None or not decided:
        return "Alternatives beside the main analysis:"
    other = [row for row in decided if outcome_key(row.outcome) != head.outcome]
    word = OUTCOME_WORDS.get(head.outcome, head.outcome)
    if not other:
        return f"The outcome ({word}) is the same under all {len(decided)} alternatives that the rule applies to."
    names = "; ".join(
        f"{row.setting}: {OUTCOME_WORDS.get(outcome_key(row.outcome) or '', row.outcome)}" for row in other
    )
    return f"The outcome ({word}) changes under {len(other)} of {len(decided)} alternatives: {names}."


def _table(kind: str, about: str, rows: Sequence[SensitivityRow], places: int, report: ReportFacts) -> Table:
    share = f"{100 * report.analysis.ci_prob:g} % ({report.analysis.ci_kind})"
    heads = ("setting", "quantity", "mean", f"lower {share}", f"upper {share}", "P(>0)", "index", "outcome", "remark")
    columns = tuple(Column(h, "number" if 2 <= i <= 6 else "text") for i, h in enumerate(heads))
    caption = SENSITIVITY_WORDS.get(kind, kind.replace("_", " ").capitalize())
    caption += f": {estimand_label(about)}" if about == VALIDITY else ""
    table = Table(
        f"sensitivity-{kind}" + ("-validity" if about == VALIDITY else ""),
        caption,
        columns,
        tuple(_row(row, places) for row in rows),
    )
    return table.without_empty_columns()


def _row(row: SensitivityRow, places: int) -> Row:
    quantity = estimand_label(row.estimand) + (f", {row.version.replace('_', ' ')}" if row.version else "")
    return Row(
        (
            row.setting,
            quantity,
            fixed(row.mean, places),
            fixed(row.lower, places),
            fixed(row.upper, places),
            probability(row.p_gt_0),
            fixed(row.value, 3),
            outcome_label(outcome_key(row.outcome), has_rope=row.estimand != VALIDITY),
            row.note,
        )
    )
