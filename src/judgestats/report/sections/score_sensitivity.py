"""Section 7 of scores: whether the result depends on our choices."""

from __future__ import annotations

from judgestats.checks.score_finding import ScoreSensitivity
from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.labels import outcome_key, outcome_label, visible
from judgestats.report.numbers import NOTHING, Number, fixed, interval_end, probability
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts, VariantFacts
from judgestats.report.score_labels import SCORE_SENSITIVITY_WORDS, places, with_unit
from judgestats.report.tables import Column, Row, Table

KINDS = ("prior", "pooling", "model", "loss_rule")
NOT_RUN = {
    "prior": "Refits under other priors were not run.",
    "pooling": "No refit that pools the cells otherwise than the main analysis was run.",
    "model": "No other model of the scores was fitted.",
    "loss_rule": "Other treatments of lost trials were not run.",
}
MOST_NAMED = 6  # alternatives named in the sentence on top
OPEN = 12  # rows of a table; longer ones are folded


def section(cell: ScoreCellFacts, report: ScoreReportFacts) -> Section:
    """Return the alternatives by kind; a kind that was not run says so."""
    blocks: list[Block] = []
    flips = _flips(cell)
    if flips:
        blocks.append(Paragraph(flips, "lead"))
    missing = []
    for kind in KINDS:
        table = _table(kind, cell, report)
        if table.rows:
            blocks.append(TableBlock(table, len(table.rows) > OPEN, f"{table.caption} ({len(table.rows)} rows)"))
        else:
            missing.append(NOT_RUN[kind])
    blocks += [Paragraph(text, "warn" if text == NOT_RUN["prior"] else "plain") for text in missing]
    return Section(7, "sensitivity", "Does it depend on our choices?", tuple(blocks))


def _flips(cell: ScoreCellFacts) -> str:
    decided = [(v, r) for v in cell.shifted for r in v.sensitivity if r.outcome is not None and r.kind in KINDS]
    other = [(v, r) for v, r in decided if v.shift is not None and outcome_key(r.outcome) != v.shift.outcome]
    if not decided:
        return ""
    if not other:
        return f"All {len(decided)} alternatives with an outcome agree with the main analysis."
    named = list(dict.fromkeys(f"{v.name} ({visible(r.setting)})" for v, r in other))
    more = f"; {len(named) - MOST_NAMED} more are marked below" if len(named) > MOST_NAMED else ""
    words = f"{'; '.join(named[:MOST_NAMED])}{more}"
    return f"{len(other)} of {len(decided)} alternatives give another outcome than the main analysis: {words}."


def numbers(row: ScoreSensitivity, digits: int) -> tuple[Number, Number, Number]:
    """Return mean and interval with the decimals of the main estimate."""
    return fixed(row.mean, digits), interval_end(row.lower, digits), interval_end(row.upper, digits)


def _table(kind: str, cell: ScoreCellFacts, report: ScoreReportFacts) -> Table:
    share = report.interval_words
    heads = ("main, median", "mean", f"lower {share}", f"upper {share}", "P(> 0)")
    columns = (Column("variant"), Column("setting"), Column("estimand"), *(Column(h, "number") for h in heads))
    columns += (Column("outcome"), Column("note"))
    rows = tuple(_row(v, r) for v in cell.shifted for r in v.sensitivity if r.kind == kind)
    caption = SCORE_SENSITIVITY_WORDS[kind]
    return Table(f"sensitivity-{kind}", caption, columns, rows).without_empty_columns()


def _row(v: VariantFacts, r: ScoreSensitivity) -> Row:
    main = v.effects.get(r.estimand)
    digits = 2 if main is None or main.median is NOTHING else places(main.median.text)
    changed = main is not None and r.outcome is not None and outcome_key(r.outcome) != main.outcome
    has_rope = main is None or main.rope is not None
    return Row(
        (
            v.name,
            visible(r.setting),
            with_unit(r.estimand),
            NOTHING if main is None else main.median,
            *numbers(r, digits),
            probability(r.p_gt_0),
            outcome_label(outcome_key(r.outcome), has_rope=has_rope),
            visible(r.note),
        ),
        "warn" if changed else "",
    )
