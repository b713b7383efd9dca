"""The index: every judge and domain side by side."""

from __future__ import annotations

from dataclasses import replace

from judgestats.report import barg, highlights, loss, outcome, sentences
from judgestats.report.document import (
    Block,
    Download,
    Downloads,
    Link,
    Listing,
    Page,
    Paragraph,
    Pill,
    Section,
    TableBlock,
)
from judgestats.report.facts import CellFacts, Estimate, ReportFacts
from judgestats.report.figures import index_forest
from judgestats.report.labels import GATE_SHORT, GATE_WORDS, estimand_label, outcome_label, visible
from judgestats.report.numbers import NOTHING, Number, count, fixed
from judgestats.report.sections.columns import estimate_table, informed
from judgestats.report.sections.reproduce import reproduction
from judgestats.report.tables import Column, Row, Table, Tag

MOST_OPEN = 12  # rows of contrasts; more are folded away


def page(report: ReportFacts) -> Page:
    """Return the index page."""
    card = report.analysis
    return Page(
        path="index.html",
        title=card.title or card.name,
        lead=(card.name, report.date, f"judgestats {report.version}"),
        pills=_pills(report),
        links=tuple(Link(f"{c.judge} × {c.domain}", c.path) for c in report.cells),
        downloads=_downloads(),
        sections=(
            _overview(report),
            _comparison(report),
            _between(report),
            _checklist(report),
            Section(5, "reproduce", "Reproduce", (Downloads(_downloads()), *reproduction(report))),
        ),
    )


def _pills(report: ReportFacts) -> tuple[Pill, ...]:
    counts = {status: sum(c.gate.status == status for c in report.cells) for status in GATE_WORDS}
    tones = ("fail", "warn", "undefined", "pass")
    return tuple(
        Pill(f"{GATE_WORDS[tone]}, {counts[tone]} of {len(report.cells)}", tone)  # type: ignore[arg-type]
        for tone in tones
        if counts[tone]
    )


def _downloads() -> tuple[Download, ...]:
    names = (
        "results.json",
        "report.md",
        "methods.md",
        "methods.tex",
        "methods.txt",
        "references.bib",
        "provenance.json",
        "draws.nc",
    )
    return tuple(Download(name, name, href=name) for name in names)


def _overview(report: ReportFacts) -> Section:
    card = report.analysis
    blocks: list[Block] = [Paragraph(card.question, "lead")] if card.question else []
    if card.design:
        blocks.append(Paragraph(card.design))
    if card.simulated:
        blocks.append(Paragraph("The judges are simulated: the planted effect stands beside every estimate.", "note"))
    blocks.append(Paragraph(f"{card.effect_name} is {card.effect_definition}, on the probability scale."))
    if sentences.success(report):
        blocks.append(Paragraph(sentences.success(report), "note"))
    blocks.append(
        Paragraph(
            f"{outcome.abbreviations(report)} "
            f"Numbers in brackets below are the posterior mean and its {100 * card.ci_prob:g} % CrI."
        )
    )
    blocks.append(Listing(highlights.stands_out(report)))
    blocks.append(Paragraph(f"Decision rule, fixed before the run: {outcome.rule(report) or 'none was given.'}"))
    return Section(1, "overview", "What stands out", tuple(blocks))


def _comparison(report: ReportFacts) -> Section:
    blocks: list[Block] = []
    panel = index_forest.panel(report)
    if panel is not None:
        blocks.append(panel)
    blocks.append(TableBlock(cell_table(report)))
    bounds = loss.bounds_table(report)
    if bounds.rows:
        blocks.append(TableBlock(bounds))
    few = [c for c in report.cells if c.n_items is not None and c.n_items < sentences.FEW_ITEMS]
    if few:
        names = ", ".join(f"{c.judge} in {c.domain} ({c.n_items})" for c in few)
        blocks.append(Paragraph(f"Fewer than {sentences.FEW_ITEMS} items: {names}.", "note"))
    blocks.append(Paragraph(" ".join((_multiplicity(report), *report.joint_claims)), "note"))
    return Section(2, "comparison", "Judges and domains", tuple(blocks))


def cell_table(report: ReportFacts) -> Table:
    """Return one row a cell: the loss beside the effect, the outcome, the gate."""
    card = report.analysis
    share = f"{100 * card.ci_prob:g} % ({card.ci_kind})"
    columns = (
        Column("judge"),
        Column("domain"),
        Column("planted", "number"),
        Column(f"{card.effect_name}, mean", "number"),
        Column(f"lower {share}", "number"),
        Column(f"upper {share}", "number"),
        Column("P(>0)", "number"),
        Column("P(in ROPE)", "number"),
        Column("outcome"),
        Column("lost, congruent", "number"),
        Column("lost, incongruent", "number"),
        Column("refused", "number"),
        Column("valid of asked", "number"),
        Column("computation"),
    )
    return Table(
        "cells", "Every judge and domain", columns, tuple(_row(c) for c in report.cells)
    ).without_empty_columns()


def _row(cell: CellFacts) -> Row:
    head = cell.headline if cell.quotable else None
    numbers = (NOTHING,) * 5 if head is None else (head.mean, head.lower, head.upper, head.p_gt_0, head.p_rope)
    refused = sum(block.lost_to.get("refusal", 0) for block in cell.loss.blocks)
    words = "" if head is None else outcome_label(head.outcome, has_rope=head.rope is not None)
    if head is None:
        words = "none: computation failed" if cell.gate.status == "fail" else "not estimable"
    return Row(
        (
            cell.judge,
            cell.domain,
            NOTHING if cell.headline is None else cell.headline.planted,
            *numbers,
            words,
            loss.lost_share(cell.loss.block("congruent")),
            loss.lost_share(cell.loss.block("incongruent")),
            count(refused),
            Number(cell.loss.valid, f"{count(cell.loss.valid)}/{count(cell.loss.asked)}"),
            Tag(GATE_SHORT[cell.gate.status], cell.gate.status),
        ),
        "fail" if cell.gate.status == "fail" else "",
    )


def _multiplicity(report: ReportFacts) -> str:
    n = len(report.cells)
    if report.analysis.pooling == "partial":
        how = "Cells are partially pooled, which pulls extreme cells towards the rest."
    else:
        how = "Cells are not pooled, so the most extreme of them is expected to overstate its effect."
    p_max = [r.p_max for c in report.cells for r in c.falsification if r.p_max is not None]
    adjusted = " The max-statistic p in section 10 of each page is adjusted over all cells." if p_max else ""
    return f"{n} cells are compared. {how} Ranks below carry their uncertainty.{adjusted}"


def _between(report: ReportFacts) -> Section:
    blocks: list[Block] = []
    for i, target in enumerate(dict.fromkeys(e.target for e in report.ranks)):
        blocks.append(TableBlock(_ranks(f"ranks-{i}", [e for e in report.ranks if e.target == target], report)))
    if not report.ranks:
        blocks.append(Paragraph("Ranks were not computed in this run."))
    for factor, other in (("judge", "domain"), ("domain", "judge"), (None, "domain")):
        rows = [e for e in report.contrasts if e.factor == factor]
        if rows:
            caption = f"Contrasts between {factor or 'cell'}s within a {other}"
            inner = _between_table(f"contrasts-{factor or 'cell'}", caption, rows, other, report)
            blocks.append(TableBlock(inner, len(rows) > MOST_OPEN, f"{caption} ({len(rows)} rows)"))
    if not report.contrasts:
        blocks.append(Paragraph("Contrasts between judges and domains were not computed in this run."))
    if report.averages:
        blocks.append(TableBlock(_averages(report)))
    return Section(3, "between", "Ranks and contrasts", tuple(blocks))


def _ranks(key: str, ranks: list[Estimate], report: ReportFacts) -> Table:
    last = float("inf")
    rows = sorted(ranks, key=lambda e: (e.domain, last if e.mean.value is None else e.mean.value, e.judge))
    share = f"{100 * report.analysis.ci_prob:g} % ({report.analysis.ci_kind})"
    numbers = ("rank, mean", "median", f"lower {share}", f"upper {share}", "planted rank")
    columns = (Column("domain"), Column("judge"), *(Column(head, "number") for head in numbers))
    cells = tuple(
        Row(
            (
                visible(e.domain),
                visible(e.judge),
                *_rank_numbers(e),
                e.planted,
            )
        )
        for e in rows
    )
    caption = f"{rows[0].label} within a domain (1 is the largest)"
    return Table(key, caption, columns, cells, _unranked(ranks)).without_empty_columns()


def _rank_numbers(e: Estimate) -> tuple[Number, ...]:
    if e.prior_only:
        return (NOTHING,) * 4
    return (e.mean, fixed(e.median.value, 0), fixed(e.lower.value, 0), fixed(e.upper.value, 0))


def _unranked(ranks: list[Estimate]) -> str:
    """Return in which domains nothing can be ranked: every interval spans all ranks; empty where there are none."""
    domains = list(dict.fromkeys(e.domain for e in ranks))
    flat = []
    for domain in domains:
        mine = [e for e in ranks if e.domain == domain]
        spans = [(e.lower.value, e.upper.value) for e in mine]
        if len(mine) > 1 and all(
            low is not None and high is not None and round(low) <= 1 and round(high) >= len(mine) for low, high in spans
        ):
            flat.append(visible(domain))
    if not flat:
        return ""
    where = "" if len(flat) == len(domains) else f" in {', '.join(flat)}"
    return f"Nothing can be ranked{where}: every interval spans all ranks."


def _averages(report: ReportFacts) -> Table:
    """Return the averages over domains; what they average over stands in the caption where all rows share it."""
    over = list(dict.fromkeys(e.target for e in report.averages))
    rows = list(report.averages)
    caption = "Averages over domains"
    if len(over) == 1 and over[0]:
        caption = f"Averages over {visible(over[0])}"
        success = report.analysis.success_word
        rows = [replace(e, label=estimand_label(e.estimand, success)) for e in rows]
    return _between_table("averages", caption, rows, "judge", report)


def _between_table(key: str, caption: str, rows: list[Estimate], within: str, report: ReportFacts) -> Table:
    planted = any(e.planted.value is not None for e in rows)
    inner = estimate_table(key, caption, rows, report.analysis.ci_kind, report.analysis.ci_prob, planted=planted)
    inner = informed(inner, rows)
    columns = (Column(within), *inner.columns)
    cells = (Row((visible(getattr(e, within)), *row.cells), row.mark) for e, row in zip(rows, inner.rows, strict=True))
    return Table(key, caption, columns, tuple(cells), inner.note).without_empty_columns()


def _checklist(report: ReportFacts) -> Section:
    items = barg.checklist(report)
    missing = [item for item in items if item.state == "missing"]
    if missing:
        said = Paragraph(
            f"{len(missing)} of {len(items)} items are missing: {', '.join(i.code for i in missing)}.", "warn"
        )
    else:
        said = Paragraph(f"All {len(items)} items are there or do not apply.")
    return Section(4, "barg", "Reporting checklist (BARG)", (said, TableBlock(barg.table(report))))
