"""Section 3 of scores: every cue and polarity with all that is known of its effect."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.facts import Estimate
from judgestats.report.labels import outcome_label, visible
from judgestats.report.numbers import NOTHING, Number, p_value
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts, VariantFacts
from judgestats.report.score_labels import EFFECTS, aggregate_words, score_estimand_label, with_unit
from judgestats.report.score_words import bracket
from judgestats.report.sections.score_validity import triple
from judgestats.report.tables import Cellular, Column, Row, Table

SHORT = {"drop_1": "P(falls by 1)", "drop_2": "P(falls by 2)", "wasserstein1": "W1 (points)", "cohens_d": "d (sd)"}


def section(cell: ScoreCellFacts, report: ScoreReportFacts) -> Section:
    """Return the cue x polarity grid, asymmetries, aggregates and the full table of estimates."""
    if not any(v.effects for v in cell.shifted):
        return Section(3, "cues", "Every cue and polarity", (Paragraph("No estimates were made for this cell."),))
    blocks: list[Block] = []
    if cell.gate.status == "fail":
        blocks.append(
            Paragraph("The gate failed: these numbers are here to find the fault and are not to be quoted.", "fail")
        )
    blocks.append(TableBlock(grid(cell, report)))
    if cell.asymmetries:
        blocks.append(TableBlock(_asymmetry(cell, report)))
    if cell.aggregates:
        blocks.append(TableBlock(_aggregates(cell, report)))
    full = _full(cell, report)
    blocks.append(TableBlock(full, True, f"All {len(full.rows)} estimates with diagnostics"))
    return Section(3, "cues", "Every cue and polarity", tuple(blocks))


def grid(cell: ScoreCellFacts, report: ScoreReportFacts) -> Table:
    """Return one row a variant: every effect with its interval, outcome and permutation p."""
    names = [name for name in EFFECTS if any(name in v.effects for v in cell.shifted)]
    heads = [Column(SHORT.get(name, with_unit(name)), "estimate") for name in names]
    columns = [Column("variant"), Column("planted (points)", "number"), *heads[:1], Column("outcome")]
    columns += [Column("lost %", "number"), Column("permutation p", "number"), *heads[1:]]
    rows = tuple(_row(v, names) for v in cell.shifted)
    note = (
        f"Posterior median [{report.interval_words} interval], variant minus base. Permutation p: variant and base labels "
        "swapped within items."
    )
    return Table("cues", "Cue by polarity", tuple(columns), rows, note).without_empty_columns()


def _row(v: VariantFacts, names: Sequence[str]) -> Row:
    shift = v.shift
    p = NOTHING if v.falsification is None else p_value(v.falsification.p_value)
    outcome = "" if shift is None else outcome_label(shift.outcome, has_rope=shift.rope is not None)
    name = v.name + (" (placebo)" if v.placebo else "")
    mark = "main" if v.standing in ("beyond", "excludes") and not v.placebo else ""
    effects = tuple(_effect(v.effects.get(estimand)) for estimand in names)
    planted = NOTHING if shift is None else shift.planted
    return Row((name, planted, *effects[:1], outcome, v.loss, p, *effects[1:]), mark)


def _effect(e: Estimate | None) -> Number:
    return NOTHING if e is None or e.median.value is None else Number(e.median.value, bracket(e))


def _interval_columns(report: ScoreReportFacts) -> tuple[Column, ...]:
    share = report.interval_words
    heads = ("median (points)", f"lower {share}", f"upper {share}", "P(> 0)")
    return tuple(Column(h, "number") for h in heads)


def _asymmetry(cell: ScoreCellFacts, report: ScoreReportFacts) -> Table:
    rows = tuple(Row((visible(e.factor or ""), *triple(e), e.p_gt_0)) for e in cell.asymmetries)
    note = (
        "Shift under the positive plus shift under the negative polarity: 0 when both pull equally hard, negative when blame "
        "costs more than praise gains. An end of the scale can make one: see the section on room."
    )
    return Table("asymmetry", "Asymmetry of the polarities", (Column("cue"), *_interval_columns(report)), rows, note)


def _aggregates(cell: ScoreCellFacts, report: ScoreReportFacts) -> Table:
    rows = tuple(Row((aggregate_words(e.factor or ""), *triple(e), e.p_gt_0)) for e in cell.aggregates)
    columns = (Column("mean shift over cues"), *_interval_columns(report))
    note = "Aggregates over different sets of cues answer different questions and are not mixed."
    return Table("aggregates", "Aggregates over cues", columns, rows, note)


def _full(cell: ScoreCellFacts, report: ScoreReportFacts) -> Table:
    share = report.interval_words
    heads: tuple[str, ...] = (
        "median",
        "mean",
        "sd",
        f"lower {share}",
        f"upper {share}",
        "P(> 0)",
        "P(in ROPE)",
        "prior P(in ROPE)",
    )
    heads += ("R-hat", "ESS bulk", "ESS tail", "MCSE")
    columns = (Column("variant"), Column("estimand"), *(Column(h, "number") for h in heads))
    named: list[tuple[str, Sequence[Estimate]]] = [(v.name, tuple(v.effects.values())) for v in cell.variants]
    named.append(("both polarities", cell.asymmetries))
    rows = tuple(Row((name, *_numbers(e))) for name, estimates in named for e in estimates)
    caption = "Every estimate, in the unit of its row"
    return Table("estimates", caption, columns, rows).without_empty_columns()


def _numbers(e: Estimate) -> tuple[Cellular, ...]:
    label = with_unit(e.estimand)
    if e.estimand == "asymmetry":
        label = f"{score_estimand_label(e.estimand)} of {visible(e.factor or '')} (points)"
    numbers: tuple[Number, ...] = (e.median, e.mean, e.sd, e.lower, e.upper, e.p_gt_0, e.p_rope, e.p_rope_prior)
    return (label, *numbers, e.rhat, e.ess_bulk, e.ess_tail, e.mcse)
