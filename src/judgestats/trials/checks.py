"""Checks: what the `validate` command says about a trial table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from judgestats.trials.choice_checks import BlockCount, block_counts, choice_supports, filled
from judgestats.trials.columns import DESIGN, IDENTITY, PROVENANCE, UNLOCKS, WEIGHT, weights
from judgestats.trials.noticing import data_notices
from judgestats.trials.score_checks import (
    UNLOCKING,
    ScoreUse,
    VariantCount,
    count_rows,
    score_supports,
    score_use,
    use_lines,
    variant_counts,
)
from judgestats.trials.status import STATUSES
from judgestats.trials.table import Choice, Notice, Score, SourceFile, TrialTable


@dataclass(frozen=True)
class ColumnFound:
    """One column of the table.

    Parameters
    ----------
    name : str
        Its name.
    role : {"required", "verdict", "design", "provenance", "weight", "passed through"}
        What it is for.
    filled, rows : int
        Rows with an entry, and all rows.
    """

    name: str
    role: str
    filled: int
    rows: int


@dataclass(frozen=True)
class Unlock:
    """A column that the table lacks and what it would make possible."""

    column: str
    gives: str


@dataclass(frozen=True)
class ValidationReport:
    """What a table holds, what it supports and what a reader must know.

    Parameters
    ----------
    files : tuple of SourceFile
        Files read.
    trials, valid, cells, items : int
        Trials (with weights), valid ones, judge x domain cells and items summed over them: an item that two judges
        answered counts twice.
    labels : tuple of str
        Declared response labels.
    columns : tuple of ColumnFound
        Columns found.
    counts : tuple of BlockCount
        Counts by judge x domain x block x status.
    supports : tuple of str
        What can be estimated.
    unlocks : tuple of Unlock
        Columns that would make more possible.
    notices : tuple of Notice
        Named, counted warnings.
    distinct_items : int
        Items by domain and name, whoever answered them.
    items_by_judge : dict of str to int
        Distinct items of each judge.
    scale : Score, optional
        The declared scale where verdicts are scores.
    variants : tuple of VariantCount
        Counts by judge x domain x cue x polarity x status where verdicts are scores.
    scores : tuple of ScoreUse
        What each judge used of the scale in each domain.
    """

    files: tuple[SourceFile, ...]
    trials: int
    valid: int
    cells: int
    items: int
    labels: tuple[str, ...]
    columns: tuple[ColumnFound, ...]
    counts: tuple[BlockCount, ...]
    supports: tuple[str, ...]
    unlocks: tuple[Unlock, ...]
    notices: tuple[Notice, ...]
    distinct_items: int
    items_by_judge: dict[str, int]
    scale: Score | None = None
    variants: tuple[VariantCount, ...] = ()
    scores: tuple[ScoreUse, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        lost = self.trials - self.valid
        out = [
            f"{self.trials} trials in {len(self.files) or 'no'} file{'' if len(self.files) == 1 else 's'}: "
            f"{self.valid} valid, {lost} lost; {self.cells} judge x domain cells, {self._item_words()}",
            "",
            "Columns found",
        ]
        width = max((len(column.name) for column in self.columns), default=0)
        for column in self.columns:
            filled = "" if column.filled == column.rows else f", filled in {column.filled} of {column.rows} rows"
            out.append(f"  {column.name:<{width}}  {column.role}{filled}")
        if self.scale is not None:
            out += ["", "Counts by judge x domain x cue x polarity x status", *_aligned(count_rows(self.variants), 4)]
            scale = f"{self.scale.lowest:g} to {self.scale.highest:g} in steps of {self.scale.step:g}"
            out += ["", f"Scores used, on the declared scale {scale}"]
            out += [f"  {line}" for line in use_lines(self.scale, self.scores)]
        else:
            out += ["", "Counts by judge x domain x block x status", *self._count_lines()]
        out += [
            "",
            "The table supports",
            *(f"  {line}" for line in self.supports or ("nothing that can be estimated",)),
        ]
        if self.unlocks:
            out += ["", "Further columns would unlock", *(f"  {u.column}: {u.gives}" for u in self.unlocks)]
        title = f"Warnings ({len(self.notices)})" if self.notices else "No warnings"
        out += ["", title, *(f"  [{notice.code}] {notice.text}" for notice in self.notices)]
        return out

    def _item_words(self) -> str:
        sizes = sorted(set(self.items_by_judge.values()))
        each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        whom = f"{each} for each of {len(self.items_by_judge)} judges" if len(self.items_by_judge) > 1 else "one judge"
        return f"{self.distinct_items} distinct items ({whom})"

    def _count_lines(self) -> list[str]:
        seen = [status for status in STATUSES if any(row.statuses.get(status) for row in self.counts)]
        header = ["judge", "domain", "block", "asked", *seen]
        body = [
            [row.judge, row.domain, row.block, str(row.asked), *(str(row.statuses.get(s, 0)) for s in seen)]
            for row in self.counts
        ]
        return _aligned([header, *body], 3)


def _aligned(rows: list[list[str]], names: int) -> list[str]:
    """Return rows as lines with aligned columns: the first `names` to the left, numbers to the right."""
    widths = [max(len(line[i]) for line in rows) for i in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            f"{entry:<{w}}" if i < names else f"{entry:>{w}}"
            for i, (entry, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in rows
    ]


def inspect_table(table: TrialTable) -> ValidationReport:
    """Return what the `validate` command prints about a table.

    Parameters
    ----------
    table : TrialTable
        A validated table; words outside the declared ones never come this far.
    """
    frame = table.frame
    counts = block_counts(table)
    scored = isinstance(table.verdict, Score)
    variants = variant_counts(table) if scored else ()
    known = [notice for notice in data_notices(table) if notice not in table.notices]
    return ValidationReport(
        files=table.sources,
        trials=int(weights(frame).sum()),
        valid=sum(row.statuses.get("valid", 0) for row in counts),
        cells=len(table.cells()),
        items=len(frame[list(IDENTITY)].drop_duplicates()),
        labels=table.verdict.labels if isinstance(table.verdict, Choice) else (),
        columns=tuple(
            ColumnFound(str(n), _role(str(n), scored), int(frame[n].notna().sum()), len(frame)) for n in frame.columns
        ),
        counts=counts,
        supports=score_supports(table, variants) if scored else choice_supports(table, counts),
        unlocks=tuple(Unlock(name, gives) for name, gives in UNLOCKS.items() if _unlocks(table, name)),
        notices=(*table.notices, *known),
        distinct_items=len(frame[["domain", "item"]].drop_duplicates()),
        items_by_judge=_items_by_judge(table),
        scale=table.verdict if isinstance(table.verdict, Score) else None,
        variants=variants,
        scores=score_use(table) if scored else (),
    )


def _items_by_judge(table: TrialTable) -> dict[str, int]:
    pairs = table.frame[["judge", "domain", "item"]].drop_duplicates()
    return {str(judge): int(n) for judge, n in pairs.groupby("judge", observed=True).size().items()}


def _unlocks(table: TrialTable, name: str) -> bool:
    return not filled(table, name) and (name in UNLOCKING or not isinstance(table.verdict, Score))


def _role(name: str, scored: bool) -> str:
    if name in (*IDENTITY, "status"):
        return "required"
    if name in (("score",) if scored else ("response", "consistent")):
        return "verdict"
    if name == WEIGHT:
        return "weight"
    if name in DESIGN:
        return "design"
    return "provenance" if name in PROVENANCE else "passed through"
