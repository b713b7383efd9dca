"""Section 9 of scores: the same statistic where the cue can have done nothing."""

from __future__ import annotations

from judgestats.report.document import Block, Listing, Paragraph, Section, TableBlock
from judgestats.report.figures import cue_null
from judgestats.report.labels import visible
from judgestats.report.numbers import count, fixed, p_value
from judgestats.report.score_facts import ScoreCellFacts
from judgestats.report.tables import Column, Row, Table

STATISTIC_WORDS = {"raw_difference": "raw mean difference", "posterior_mean": "posterior mean shift"}


def section(cell: ScoreCellFacts) -> Section:
    """Return the permutation falsification of every variant."""
    tested = [v for v in cell.shifted if v.falsification is not None]
    title = "Falsification: what if the cue did nothing?"
    if not tested:
        said = Paragraph("Labels were not permuted in this run (`judgestats falsify`).", "warn")
        return Section(9, "falsification", title, (said,))
    blocks: list[Block] = [
        Paragraph(
            "Variant and base labels were swapped within items: if the cue does nothing, the observed difference looks like any "
            "other of these."
        )
    ]
    panel = cue_null.panel(cell)
    if panel is not None:
        blocks.append(panel)
    blocks.append(TableBlock(_table(cell)))
    notes = dict.fromkeys(visible(n) for v in tested if v.falsification is not None for n in v.falsification.notes)
    if notes:
        blocks.append(Listing(tuple(notes)))
    return Section(9, "falsification", title, tuple(blocks))


def _table(cell: ScoreCellFacts) -> Table:
    heads = (
        "observed (points)",
        "p",
        "smallest p possible",
        "p over all variants and cells",
        "permutations",
        "distinct",
    )
    columns = (Column("variant"), Column("statistic"), *(Column(h, "number") for h in heads))
    rows = []
    for v in cell.shifted:
        f = v.falsification
        if f is None:
            continue
        numbers = (fixed(f.observed, 3), p_value(f.p_value), p_value(f.smallest_p), p_value(f.p_max))
        words = STATISTIC_WORDS.get(f.statistic, f.statistic.replace("_", " "))
        rows.append(Row((v.name, words, *numbers, count(f.permutations), count(f.distinct))))
    note = (
        "Two-sided p. 0 permutations: every distinct outcome was enumerated. p over all: p of the smallest p over all "
        "variants and cells together."
    )
    return Table("permutation", "Permutation of cue labels", columns, tuple(rows), note).without_empty_columns()
