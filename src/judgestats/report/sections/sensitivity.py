"""Section 9: whether the result depends on our choices."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.checks.finding import SensitivityRow
from judgestats.report import loss
from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.facts import CellFacts, ReportFacts
from judgestats.report.figures import sensitivity_forest
from judgestats.report.labels import SENSITIVITY_WORDS, estimand_label, outcome_key, outcome_label
from judgestats.report.numbers import NOTHING, Number, fixed, interval_end, probability
from judgestats.report.tables import Cellular, Column, Row, Table

EXPECTED = ("prior", "power_scaling", "loss_rule", "leave_one_out", "pooling")
POWER_LIMIT = 0.05  # Kallioinen et al. 2024, doi 10.1007/s11222-023-10366-5
EFFECT, VALIDITY = "delta_p", "validity_difference"
NOT_RUN = {
    "prior": "Refits under other priors were not run.",
    "power_scaling": "Power-scaling was not run.",
    "loss_rule": "Other treatments of lost trials were not run.",
    "leave_one_out": "The range over refits without one item was not computed.",
    "pooling": "No refit that pools the cells otherwise than the main analysis was run.",
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
                table = (
                    _power(about, rows) if kind == "power_scaling" else _table(kind, about, rows, cell.places, report)
                )
                blocks.append(TableBlock(table, about == VALIDITY, table.caption))
        if kind == "loss_rule" and cell.loss.lost and cell.loss.naive is not None:
            blocks.append(Paragraph(loss.two_naive(cell)))
    for kind in EXPECTED:
        if kind not in present:
            blocks.append(Paragraph(NOT_RUN[kind], "warn" if kind in ("prior", "loss_rule") else "plain"))
    return Section(9, "sensitivity", "Does it depend on our choices?", tuple(blocks))


def _flips(cell: CellFacts) -> str:
    head = cell.headline
    decided = [
        row
        for row in cell.sensitivity
        # Other estimands (lost trials counted, joint rates) answer other questions: their outcomes are no flips of this one.
        if row.outcome is not None and row.estimand == EFFECT and not sensitivity_forest.same_fit(row)
    ]
    if head is None or head.outcome is None or not decided:
        return "Alternatives beside the main analysis:"
    other = [row for row in decided if outcome_key(row.outcome) != head.outcome]
    word = outcome_label(head.outcome, has_rope=True)
    if not other:
        return f"The outcome ({word}) is the same under all {len(decided)} alternatives that the rule applies to."
    names = "; ".join(f"{row.setting}: {outcome_label(outcome_key(row.outcome), has_rope=True)}" for row in other)
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


def _power(about: str, rows: Sequence[SensitivityRow]) -> Table:
    """Return one row a quantity: the indices of prior and likelihood side by side, one remark for the pair."""
    settings = list(dict.fromkeys(row.setting for row in rows))
    pairs: dict[tuple[str, str], dict[str, SensitivityRow]] = {}
    for row in rows:
        pairs.setdefault((row.estimand, row.version), {})[row.setting] = row
    body = []
    for pair in pairs.values():
        name = _quantity(next(iter(pair.values())))
        indices = [fixed(pair[s].value, 3) if s in pair else NOTHING for s in settings]
        remarks = dict.fromkeys(row.note for row in pair.values() if row.note)
        cells: tuple[Cellular, ...] = (name, *indices, Number(POWER_LIMIT, f"{POWER_LIMIT:g}"), "; ".join(remarks))
        body.append(Row(cells))
    columns = (
        Column("quantity"),
        *(Column(f"index, {s}", "number") for s in settings),
        Column("threshold", "number"),
        Column("remark on the pair"),
    )
    caption = SENSITIVITY_WORDS["power_scaling"] + (f": {estimand_label(about)}" if about == VALIDITY else "")
    note = (
        f"An index above {POWER_LIMIT:g} says that the posterior moves when that part is strengthened or weakened: the "
        "prior's above "
        "beside the likelihood's below means that the prior dominates; both above, that prior and data disagree."
    )
    key = "sensitivity-power_scaling" + ("-validity" if about == VALIDITY else "")
    return Table(key, caption, columns, tuple(body), note)


def _quantity(row: SensitivityRow) -> str:
    """Return what a row is about; the two naive effects, of a refit and from both stages, have names of their own."""
    naive = {"delta_p_naive": "Naive Delta P, refit", "valid_and_consistent": "Naive Delta P, from both stages"}
    words = naive.get(row.estimand) if row.kind == "loss_rule" else None
    return (words or estimand_label(row.estimand)) + (f", {row.version.replace('_', ' ')}" if row.version else "")


def _row(row: SensitivityRow, places: int) -> Row:
    quantity = _quantity(row)
    return Row(
        (
            row.setting,
            quantity,
            fixed(row.mean, places),
            interval_end(row.lower, places),
            interval_end(row.upper, places),
            probability(row.p_gt_0),
            fixed(row.value, 3),
            outcome_label(outcome_key(row.outcome), has_rope=row.estimand != VALIDITY),
            row.note,
        )
    )
