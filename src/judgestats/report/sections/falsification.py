"""Section 10: whether the analysis would find the effect in permuted labels too."""

from __future__ import annotations

from judgestats.checks.falsification import Falsification
from judgestats.report.document import Block, Listing, Paragraph, Section, TableBlock
from judgestats.report.facts import CellFacts, ReportFacts
from judgestats.report.figures import null_histogram
from judgestats.report.labels import SCHEME_WORDS, permuted_label
from judgestats.report.numbers import ABSENT, Number, count, fixed, p_value
from judgestats.report.tables import Column, Row, Table

NOT_CENTRED = (
    "p is two-sided: twice the smaller of the two tails that begin at the observed value. The null distribution need not be "
    "centred on 0, since items answered in one block only have no label to exchange and keep theirs in every permutation."
)


def section(cell: CellFacts, report: ReportFacts) -> Section:
    """Return the permutation distributions with the observed value, and where interval and p disagree, why."""
    blocks: list[Block] = []
    if not cell.falsification:
        blocks.append(Paragraph("Labels were not permuted in this run.", "warn"))
    else:
        blocks.append(Listing(tuple(_in_words(row) for row in cell.falsification)))
        blocks.append(Paragraph(NOT_CENTRED))
    for index, row in enumerate(cell.falsification):
        said = disagreement(cell, row, report)
        if said:
            blocks.append(Paragraph(said, "note"))
        blocks.extend(Paragraph(note, "note") for note in row.notes)
        panel = null_histogram.panel(row, index, cell.places)
        if panel is not None:
            blocks.append(panel)
    if cell.falsification:
        blocks.append(TableBlock(_table(cell)))
    blocks.append(
        Paragraph(
            "Calibration of this model and engine by simulation (SBC) belongs to the package and is not repeated per run; "
            "its figures are in the documentation."
        )
    )
    return Section(10, "falsification", "Falsification", tuple(blocks))


def _in_words(row: Falsification) -> str:
    scheme = SCHEME_WORDS.get(row.scheme, row.scheme.replace("_", " "))
    if row.statistic == "none":
        return f"Labels permuted {scheme}: not possible in this cell, so there is no p."
    how = "all distinct outcomes enumerated" if row.enumerated else f"{count(row.permutations)} permutations"
    return (
        f"Labels permuted {scheme}: p = {p_value(row.p_value)} (two-sided, {how}, {count(row.distinct)} distinct data sets; "
        f"smallest p that {_what(row)} can reach {p_value(row.smallest_p)})."
    )


def disagreement(cell: CellFacts, row: Falsification, report: ReportFacts) -> str:
    """Return why interval and permutation p disagree, empty where they agree."""
    head = cell.headline
    if head is None or head.excludes_zero is None or cell.gate.status == "fail" or row.distinct < 2:
        return ""  # where no label can move there is no p to disagree with
    level = 1 - report.analysis.ci_prob
    small = row.p_value <= level + 1e-12
    if head.excludes_zero == small:
        return ""
    scheme = SCHEME_WORDS.get(row.scheme, row.scheme)
    if head.excludes_zero:
        return (
            f"Interval and permutation disagree ({scheme}): the interval excludes 0, p is {p_value(row.p_value)}. The interval "
            f"rests on the model, its prior and every answer; the permutation on the labels that this scheme moves"
            f"{_coarse(row, level)}."
        )
    apart = ", and this scheme takes answers to one item as unrelated" if row.scheme == "within_judge" else ""
    return (
        f"Interval and permutation disagree ({scheme}): p is {p_value(row.p_value)}, the interval includes 0. The interval "
        "rests on the model and on a prior that pulls the effect towards 0 (section 9 shows how far); p ranks the observed data "
        f"among permuted data{apart}."
    )


def _p(row: Falsification, value: float) -> Number:
    """Return a p as printed; none where no label could be permuted, since a p of 1 would read as a result."""
    return p_value(None if row.statistic == "none" else value)


def _what(row: Falsification) -> str:
    """Return what limits the smallest p: the design where all outcomes are known, else also how many were drawn."""
    return "this design" if row.enumerated else f"these {count(row.permutations)} permutations"


def _coarse(row: Falsification, level: float) -> str:
    """Return what keeps p from being small, where something does: its smallest value, or steps wider than half the level."""
    if row.smallest_p > level:
        return f", and no p that {_what(row)} can reach lies below {p_value(row.smallest_p)}"
    if row.distinct * level < 2:
        return f", which make {count(row.distinct)} distinct data sets only, so p moves in steps"
    return ""


def _table(cell: CellFacts) -> Table:
    heads = (
        "scheme",
        "statistic",
        "observed",
        "raw difference",
        "p",
        "95 % Monte Carlo interval of p",
        "permutations",
        "distinct",
        "failed",
        "smallest p",
        "max-statistic p",
    )
    rows = tuple(
        Row(
            (
                SCHEME_WORDS.get(r.scheme, r.scheme),
                permuted_label(r.statistic),
                fixed(r.observed, cell.places),
                fixed(r.raw_observed, cell.places),
                _p(r, r.p_value),
                ABSENT if r.enumerated or r.statistic == "none" else f"{p_value(r.p_lower)} to {p_value(r.p_upper)}",
                "enumerated" if r.enumerated else count(r.permutations),
                count(r.distinct),
                count(r.failed),
                _p(r, r.smallest_p),
                p_value(r.p_max),
            )
        )
        for r in cell.falsification
    )
    columns = tuple(Column(h, "number" if i > 1 else "text") for i, h in enumerate(heads))
    note = (
        "The max-statistic p is adjusted over all cells of the report (smallest p over cells). "
        "A failed refit is counted as at least as extreme."
    )
    return Table("permutation", "Permutation of block labels among valid trials", columns, rows, note)
