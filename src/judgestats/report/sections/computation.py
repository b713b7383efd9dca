"""Section 7: whether the computation can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgestats.draws.gate import GateRow
from judgestats.report import sentences
from judgestats.report.document import Block, Listing, Paragraph, Section, TableBlock
from judgestats.report.facts import CellFacts, GateFacts, ReportFacts
from judgestats.report.labels import STAGE_WORDS, criterion_label, sentence_case
from judgestats.report.numbers import ABSENT, count, significant
from judgestats.report.tables import Column, Row, Table

LOW_IS_BAD = ("ess", "ebfmi")


def section(cell: CellFacts, report: ReportFacts) -> Section:
    """Return the engine and why, the worst value of every criterion, failures with the next action, all rows folded."""
    blocks: list[Block] = []
    tone = {"pass": "lead", "warn": "warn", "fail": "fail"}.get(cell.gate.status, "warn")
    blocks.append(Paragraph(verdict(cell.gate), tone))  # type: ignore[arg-type]
    red = sentences.red_gate(cell)
    if red:
        blocks.append(Listing(red))
    blocks.append(Listing(_engines(report)))
    if cell.gate.rows:
        blocks.append(TableBlock(worst_rows(cell.gate.rows)))
        table = gate_table("gate-rows", "Every criterion applied to every quantity", cell.gate.rows)
        blocks.append(TableBlock(table, folded=True, summary=f"All {len(cell.gate.rows)} criteria"))
    blocks.append(Paragraph(_ranks(report)))
    return Section(7, "computation", "Can the computation be trusted?", tuple(blocks))


def verdict(gate: GateFacts) -> str:
    """Return how many criteria passed."""
    rows = gate.rows
    passed = sum(row.status == "pass" for row in rows)
    undefined = sum(row.status == "undefined" for row in rows)
    failing = len(gate.failing)
    tail = f"{passed} of {len(rows)} criteria passed, {failing} did not, {undefined} are undefined (a constant has no R-hat)."
    return f"{gate.words}. {tail}" if rows else "No criterion was computed, so nothing vouches for these numbers."


def _engines(report: ReportFacts) -> tuple[str, ...]:
    card = report.analysis
    return tuple(
        f"{sentence_case(STAGE_WORDS.get(stage, stage))}: engine {engine}. {as_sentence(card.engine_why.get(stage, ''))}".strip()
        for stage, engine in card.engine.items()
    )


def as_sentence(text: str) -> str:
    """Return text as a sentence, empty where there is none."""
    return sentence_case(text.strip().rstrip(".")) + "." if text.strip() else ""


def worst_rows(rows: Sequence[GateRow], stages: Mapping[str, str] = STAGE_WORDS) -> Table:
    """Return the worst row of each stage and criterion."""
    groups: dict[tuple[str, str], list[GateRow]] = {}
    for row in rows:
        groups.setdefault((row.stage, row.criterion), []).append(row)
    picked = [min(group, key=_rank) for group in groups.values()]
    return gate_table("gate", "The worst value of each criterion", picked, stages)


def _rank(row: GateRow) -> tuple[int, float]:
    severity = {"fail": 0, "warn": 1, "pass": 2, "undefined": 3}[row.status]
    if row.value is None:
        return severity, 0.0
    low_is_bad = any(row.criterion.startswith(stem) for stem in LOW_IS_BAD)
    return severity, row.value if low_is_bad else -row.value


def gate_table(key: str, caption: str, rows: Sequence[GateRow], stages: Mapping[str, str] = STAGE_WORDS) -> Table:
    """Return gate rows as a table; a row that did not pass says what to do. `stages` are the words for stages."""
    heads = ("stage", "criterion", "quantity", "value", "limit", "result", "what to do")
    cells = tuple(
        Row(
            (
                stages.get(r.stage, r.stage),
                criterion_label(r.criterion),
                r.quantity,
                count(r.value) if r.criterion.startswith("ess") else significant(r.value, 3),
                significant(r.threshold, 3),
                r.status,
                r.action or ABSENT,
            ),
            r.status if r.status in ("fail", "warn") else "",
        )
        for r in rows
    )
    columns = tuple(Column(h, "number" if h in ("value", "limit") else "text") for h in heads)
    return Table(key, caption, columns, cells).without_empty_columns()


def _ranks(report: ReportFacts) -> str:
    engines = set(report.analysis.engine.values())
    if engines <= {"exact"}:
        return "Rank plots: the exact engine has no chains, so there is nothing to rank; its gate doubles grid and nodes instead."
    return "Rank plots: the chains are in draws.nc, in the groups that ArviZ's plot_rank reads."
