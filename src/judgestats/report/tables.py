"""Table: rows of printed cells, the same for HTML, Markdown and CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Literal

from judgestats.report.numbers import ABSENT, Number

MOST_TINT = 34  # percent; the contrast of text on it is tested

ColumnKind = Literal["text", "number", "code", "estimate"]


@dataclass(frozen=True)
class Tag:
    """A status in a cell: words, with a tone that HTML repeats by shape and colour."""

    text: str
    tone: Literal["pass", "warn", "fail", "undefined"]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Heat:
    """A number in a cell with a tint that repeats its size and sign.

    Parameters
    ----------
    text : str
        What is printed, the interval included.
    value : float or None
        The unrounded value.
    share : float
        Value as a share of the largest in the table, in [-1, 1]; strength of the tint, its sign the colour.
    """

    text: str
    value: float | None
    share: float

    def __str__(self) -> str:
        return self.text

    @property
    def strength(self) -> int:
        """Opacity of the tint in percent; little enough for the text to stand out from it."""
        return round(MOST_TINT * min(1.0, abs(self.share)))

    @property
    def up(self) -> bool:
        """Whether the value is positive."""
        return self.share > 0


Cellular = str | Number | Tag | Heat


@dataclass(frozen=True)
class Column:
    """One column: its head and what it holds.

    ``number`` columns are set right; ``estimate`` columns too, with the interval below the number where room is short.
    """

    head: str
    kind: ColumnKind = "text"


@dataclass(frozen=True)
class Row:
    """One row of a table.

    Parameters
    ----------
    cells : tuple of str or Number
        As many as the table has columns.
    mark : str
        ``fail``, ``warn``, ``main`` or empty: how the row is set off, always along with words in the row itself.
    """

    cells: tuple[Cellular, ...]
    mark: str = ""


@dataclass(frozen=True)
class Table:
    """A table of printed cells.

    Parameters
    ----------
    key : str
        Stable name, unique on a page.
    caption : str
        What the table holds.
    columns : tuple of Column
        Heads.
    rows : tuple of Row
        Rows in printing order.
    note : str
        A sentence below the table, e.g. how many rows are left out and where they are.
    """

    key: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""

    def __post_init__(self) -> None:
        wrong = [row for row in self.rows if len(row.cells) != len(self.columns)]
        if wrong:
            raise ValueError(f"table {self.key!r} has {len(self.columns)} columns; a row has {len(wrong[0].cells)}")

    def without_empty_columns(self) -> Table:
        """Return the table without the columns in which no row has anything."""
        keep = [i for i in range(len(self.columns)) if any(not _empty(row.cells[i]) for row in self.rows)]
        rows = tuple(Row(tuple(row.cells[i] for i in keep), row.mark) for row in self.rows)
        return Table(self.key, self.caption, tuple(self.columns[i] for i in keep), rows, self.note)

    def to_csv(self) -> str:
        """Return the table as CSV with unrounded numbers.

        A text that a spreadsheet would run as a formula is preceded by an apostrophe.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([column.head for column in self.columns])
        for row in self.rows:
            writer.writerow([_csv_cell(cell) for cell in row.cells])
        return out.getvalue()


def _empty(cell: Cellular) -> bool:
    return str(cell) in ("", ABSENT) and (not isinstance(cell, Number | Heat) or cell.value is None)


def _csv_cell(cell: Cellular) -> str:
    if isinstance(cell, Number | Heat):
        return "" if cell.value is None else repr(float(cell.value))
    return inert(str(cell))


def inert(text: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
