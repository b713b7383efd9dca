"""Guessing: which column of a foreign table may be one of ours; a question to the reader, never a decision."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

import pandas as pd

from judgestats.trials.columns import BLOCKS, KNOWN, OTHER_NAMES


def likely_column(ours: str, frame: pd.DataFrame) -> str:
    """Return the column of the file that may be ours, or an empty string.

    A column that holds nothing but the declared words of a block is taken for the block before any name is; then come
    the names that others use, and last the names that are spelled nearly alike. A column that bears a name of ours is
    that column.

    Parameters
    ----------
    ours : str
        Our column, which the table lacks.
    frame : pandas.DataFrame
        The table.
    """
    others = OTHER_NAMES.get(ours, ())
    # `score` is ours where verdicts are scores; where they are choices it may be what others call the verdict.
    names = [str(name) for name in frame.columns if str(name) not in KNOWN or (name == "score" and name in others)]
    if ours == "block":
        by_words = [name for name in names if _holds_blocks(frame[name])]
        if by_words:
            return by_words[0]
    folded = {_fold(name): name for name in reversed(names)}
    for other in others:
        if _fold(other) in folded:
            return folded[_fold(other)]
    close = difflib.get_close_matches(_fold(ours), folded, n=1, cutoff=0.7)
    return folded[close[0]] if close else ""


def likely_columns(names: Iterable[str], frame: pd.DataFrame) -> dict[str, str]:
    """Return the likely columns of several of ours; no column of the file is offered twice."""
    out: dict[str, str] = {}
    left = frame
    for ours in names:
        found = likely_column(ours, left)
        if found:
            out[ours] = found
            left = left.drop(columns=found)
    return out


def map_lines(columns: dict[str, str]) -> str:
    """Return the section of an analysis that maps the columns, on one line."""
    return "[trials.columns] " + "; ".join(f'{ours} = "{theirs}"' for ours, theirs in columns.items())


def question(columns: dict[str, str], frame: pd.DataFrame) -> str:
    """Return the question whether these columns are ours, with the lines that would say so."""
    asked = " and ".join(f"is {theirs!r}{_words(ours, frame[theirs])} the {ours}" for ours, theirs in columns.items())
    return f"{asked}? Then add to an analysis.toml: {map_lines(columns)}"


def _words(ours: str, column: pd.Series) -> str:
    return f" (it holds {' and '.join(_seen(column))})" if ours == "block" and _holds_blocks(column) else ""


def _holds_blocks(column: pd.Series) -> bool:
    seen = _seen(column)
    return bool(seen) and set(seen) <= set(BLOCKS)


def _seen(column: pd.Series) -> Sequence[str]:
    words = column.dropna().drop_duplicates()
    if len(words) > 20:  # no column of block words, whatever its spelling
        return ("",)
    return sorted({str(word).strip().lower() for word in words} - {""})


def _fold(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_").replace(".", "_")
