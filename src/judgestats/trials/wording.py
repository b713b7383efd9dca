"""Wording: how lists of words, row numbers and sizes are put into messages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import pandas as pd

from judgestats.errors import near_match

SHOWN = 5


def quoted(words: Iterable[object], shown: int = SHOWN) -> str:
    """Return the first `shown` words quoted and the number of further ones.

    Parameters
    ----------
    words : iterable
        Words to list; a word longer than 60 characters is cut.
    shown : int
        How many to list.

    Returns
    -------
    str
        For example ``'a', 'b' and 3 more``.
    """
    names = [str(word) for word in words]
    cut = [repr(name if len(name) <= 60 else name[:57] + "...") for name in names[:shown]]
    rest = len(names) - len(cut)
    return ", ".join(cut) + (f" and {rest} more" if rest else "")


def row_list(rows: Sequence[Hashable], file: str = "", shown: int = SHOWN) -> str:
    """Return row numbers as words, e.g. ``row 3`` or ``rows 3, 9, 12 and 40 more; row 1 is line 2 of the file``.

    Parameters
    ----------
    rows : sequence
        Row numbers, counted from 1.
    file : str
        Name of the file, where the words are to say which line of it a row is.
    shown : int
        How many to list.
    """
    head = ", ".join(str(row) for row in rows[:shown])
    rest = len(rows) - min(shown, len(rows))
    return f"row{'' if len(rows) == 1 else 's'} {head}" + (f" and {rest} more" if rest else "") + first_line(file)


def first_line(file: str) -> str:
    """Return which line of a delimited file its first row is, since an editor counts the column names; else nothing."""
    base = file.lower().removesuffix(".gz")
    return "; row 1 is line 2 of the file" if base.endswith((".csv", ".tsv")) else ""


def offending(column: pd.Series, allowed: Iterable[str], file: str = "") -> str:
    """Return the words of `column` with counts, rows and near matches, most frequent first.

    Parameters
    ----------
    column : pandas.Series
        The offending entries only; its index holds the row numbers.
    allowed : iterable of str
        The declared words.
    file : str
        Name of the file, where the words are to say which line of it a row is.

    Returns
    -------
    str
        For example ``'congruant' (2 trials, rows 1, 4; did you mean 'congruent'?)``.
    """
    options = list(allowed)
    parts = []
    counts = column.value_counts()
    for word, count in list(counts.items())[:SHOWN]:
        rows = list(column.index[column == word])
        hint = near_match(str(word), options)
        parts.append(
            f"{quoted([word])} ({count} row{'' if count == 1 else 's'}: {row_list(rows)}{'; ' + hint if hint else ''})"
        )
    rest = len(counts) - len(parts)
    return ", ".join(parts) + (f" and {rest} more words" if rest else "") + first_line(file)


def size(n_bytes: int) -> str:
    """Return a size in words, e.g. ``2 GiB``."""
    value, units = float(n_bytes), ("bytes", "KiB", "MiB", "GiB", "TiB")
    for unit in units:
        if value < 1024 or unit == units[-1]:
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
        value /= 1024
    raise AssertionError("unreachable")
