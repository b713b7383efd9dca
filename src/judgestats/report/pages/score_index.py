"""The index of a report on scores: every judge and cue side by side, what was lost first."""

from __future__ import annotations

from judgestats.report import outcome, score_words
from judgestats.report.barg import item_table
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
from judgestats.report.labels import GATE_SHORT, GATE_WORDS, STATUS_WORDS
from judgestats.report.numbers import NOTHING, count, percent
from judgestats.report.score_barg import score_checklist
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts
from judgestats.report.sections import score_across, score_heat
from judgestats.report.sections.reproduce import reproduction
from judgestats.report.sections.score_validity import triple
from judgestats.report.tables import Column, Row, Table, Tag

MOST_CELLS = 8  # with more, the overview speaks of judges
FILES = (
    "results.json",
    "report.md",
    "methods.md",
    "methods.tex",
    "methods.txt",
    "references.bib",
    "provenance.json",
    "draws.nc",
)


def page(report: ScoreReportFacts) -> Page:
    """Return the index page."""
    card = report.analysis
    files = tuple(Download(name, name, href=name) for name in FILES)
    return Page(
        path="index.html",
        title=card.title or card.name,
        lead=(card.name, report.date, f"judgestats {report.version}"),
        pills=_pills(report),
        links=tuple(Link(f"{c.judge} × {c.domain}", c.path) for c in report.cells),
        downloads=files,
        sections=(
            _overview(report),
            _lost(report),
            score_heat.by_judge(report),
            score_heat.by_domain(report),
            score_across.ranking(report),
            score_across.between(report),
            _checklist(report),
            Section(8, "reproduce", "Reproduce", (Downloads(files), *reproduction(report))),
        ),
    )


def _pills(report: ScoreReportFacts) -> tuple[Pill, ...]:
    asked, lost = sum(c.asked for c in report.cells), sum(c.lost for c in report.cells)
    unequal = any(c.unequal for c in report.cells)
    out = [Pill(f"Lost {percent(lost, asked)} of trials", "warn" if unequal else "plain")]
    for status in ("fail", "warn", "undefined", "pass"):
        n = sum(c.gate.status == status for c in report.cells)
        if n:
            out.append(Pill(f"{GATE_WORDS[status]}, {n} of {len(report.cells)}", status))
    return tuple(out)


def _overview(report: ScoreReportFacts) -> Section:
    card = report.analysis
    blocks: list[Block] = [Paragraph(card.question, "lead")] if card.question else []
    if card.design:
        blocks.append(Paragraph(card.design))
    if card.simulated:
        blocks.append(Paragraph("The judges are simulated: the planted shift stands beside the estimates.", "note"))
    blocks.append(Listing(_losses(report), "Lost answers first"))
    blocks.append(Listing(_answers(report), "Which cues move the score"))
    blocks.append(Listing(score_words.legend(report), "What the words mean"))
    blocks.append(Paragraph(score_words.INFORMATION, "note"))
    blocks.append(
        Paragraph(f"Decision rule, fixed before the run: {outcome.rule_words(card.decision_rule) or 'none was given.'}")
    )
    return Section(1, "overview", "What stands out", tuple(blocks))


def _losses(report: ScoreReportFacts) -> tuple[str, ...]:
    """Return who lost trials: cell by cell where there are few, else only where the loss depends on the cue."""
    out = []
    for c in report.cells:
        if c.unequal:
            names = "; ".join(v.name for v in c.unequal)
            out.append(f"{c.judge}, {c.domain}. {score_words.counted(c)} The loss depends on the cue: {names}.")
        elif c.lost and len(report.cells) <= MOST_CELLS:
            out.append(f"{c.judge}, {c.domain}. {score_words.counted(c)}")
    rest = [c for c in report.cells if c.lost and not c.unequal]
    if rest and len(report.cells) > MOST_CELLS:
        shares = "; ".join(f"{c.judge} in {c.domain} ({percent(c.lost, c.asked)})" for c in rest)
        out.append(f"Loss without a clear dependence on a cue: {shares}.")
    none = [f"{c.judge} in {c.domain}" for c in report.cells if not c.lost]
    if none:
        out.append("No trial was lost." if len(none) == len(report.cells) else f"No trial lost: {'; '.join(none)}.")
    return tuple(out)


def _answers(report: ScoreReportFacts) -> tuple[str, ...]:
    """Return the answer of every cell where there are few, else one line a judge."""
    if len(report.cells) <= MOST_CELLS:
        return tuple(_answer(c, report) for c in report.cells)
    out = []
    for judge in dict.fromkeys(c.judge for c in report.cells):
        mine = [c for c in report.cells if c.judge == judge and c.quotable]
        cues = [(c, v) for c in mine for v in c.cues]
        moved = [(c, v) for c, v in cues if v.standing in ("beyond", "excludes")]
        null = [v for _, v in cues if v.standing == "inside"]
        text = f"{judge}: {len(moved)} of {len(cues)} cue variants x domains lie beyond the ROPE"
        if moved:
            c, v = max(moved, key=lambda pair: abs(0.0 if pair[1].shift is None else pair[1].shift.median.value or 0.0))
            text += f"; the largest is {v.name} in {c.domain} ({'' if v.shift is None else score_words.bracket(v.shift)} points)"
        text += "."
        if null:
            lost = percent(sum(v.lost for v in null), sum(v.asked for v in null))
            text += f" No effect detected in this design beyond the ROPE in {len(null)} (lost {lost})"
            text += "; a null can also be suppression."
        red = sum(c.gate.status == "fail" for c in report.cells if c.judge == judge)
        out.append(text + (f" {red} domains are not quoted, their computation failed its gate." if red else ""))
    return tuple(out)


def _answer(cell: ScoreCellFacts, report: ScoreReportFacts) -> str:
    if cell.gate.status == "fail":
        return f"{cell.judge}, {cell.domain}: not quoted, the computation failed its gate."
    if not cell.quotable:
        return f"{cell.judge}, {cell.domain}: no shift could be estimated."
    head = score_words.headline(cell, report)
    null = [v for v in cell.cues if v.standing == "inside"]
    tail = ""
    if null:
        names = ", ".join(f"{v.name} (lost {v.loss})" for v in null)
        tail = f" No effect detected in this design beyond the ROPE: {names}; a null can also be suppression."
    return f"{cell.judge}, {cell.domain}: {head}.{tail}"


def _lost(report: ScoreReportFacts) -> Section:
    blocks: list[Block] = [TableBlock(cell_table(report))]
    few = [f"{c.judge} in {c.domain}" for c in report.cells if score_words.few(c.base)]
    if few:
        blocks.append(Paragraph(f"Fewer than {score_words.FEW_ITEMS} valid base scores: {'; '.join(few)}.", "note"))
    return Section(2, "lost", "What each judge lost", tuple(blocks))


def cell_table(report: ScoreReportFacts) -> Table:
    """Return one row a cell: trials asked, valid and lost to what, the largest difference in validity, the gate."""
    present = {s for c in report.cells for v in c.variants for s in v.lost_to}
    statuses = [s for s in STATUS_WORDS if s in present or s == "refusal"]
    statuses += sorted(present - set(statuses))
    share = report.interval_words
    heads = (
        "asked",
        "valid",
        *(STATUS_WORDS.get(s, s) for s in statuses),
        "lost %",
        "lost %, base",
        "lost %, with a cue",
    )
    difference = (f"lower {share}", f"upper {share}")
    columns = (
        Column("judge"),
        Column("domain"),
        *(Column(h, "number") for h in heads),
        Column("largest difference in P(valid)", "number"),
        *(Column(h, "number") for h in difference),
        Column("under"),
        Column("computation"),
    )
    rows = tuple(_row(c, statuses) for c in report.cells)
    note = (
        "Largest difference in P(valid): of the variant named under it, minus the base; posterior median and interval."
    )
    return Table("cells", "Every judge and domain: trials asked and lost", columns, rows, note).without_empty_columns()


def _row(cell: ScoreCellFacts, statuses: list[str]) -> Row:
    by = [count(sum(v.lost_to.get(s, 0) for v in cell.variants)) for s in statuses]
    with_cue = [v for v in cell.shifted if v.asked]
    known = [(v, v.effects["validity_difference"]) for v in cell.shifted if "validity_difference" in v.effects]
    far = max(known, key=lambda pair: abs(pair[1].median.value or 0.0), default=None)
    return Row(
        (
            cell.judge,
            cell.domain,
            count(cell.asked),
            count(cell.valid),
            *by,
            percent(cell.lost, cell.asked),
            NOTHING if cell.base is None else cell.base.loss,
            percent(sum(v.lost for v in with_cue), sum(v.asked for v in with_cue)),
            *triple(None if far is None or not cell.lost else far[1]),
            "" if far is None or not cell.lost else far[0].name,
            Tag(GATE_SHORT[cell.gate.status], cell.gate.status),
        ),
        "fail" if cell.gate.status == "fail" else "warn" if cell.unequal else "",
    )


def _checklist(report: ScoreReportFacts) -> Section:
    items = score_checklist(report)
    missing = [item for item in items if item.state == "missing"]
    said = Paragraph(f"All {len(items)} items are there or do not apply.")
    if missing:
        text = f"{len(missing)} of {len(items)} items are missing: {', '.join(i.code for i in missing)}."
        said = Paragraph(text, "warn")
    return Section(7, "barg", "Reporting checklist (BARG)", (said, TableBlock(item_table(items))))
