"""Raw table: what a reader found in one file, before any column got a meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from judgestats.errors import TrialDataError
from judgestats.trials.columns import TEXT
from judgestats.trials.table import Notice
from judgestats.trials.wording import quoted

CHUNK_ROWS = 50_000


@dataclass(frozen=True)
class RawTable:
    """Rows of one file.

    Parameters
    ----------
    frame : pandas.DataFrame
        Text columns under the names of the file; the index counts rows from 1; an empty entry is NaN.
    defaults : dict of str to str
        Where the format itself says which of its columns is which of ours (ours -> theirs); an analysis overrides it.
    notices : tuple of Notice
        What the reader noticed.
    """

    frame: pd.DataFrame
    defaults: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


class RowBuffer:
    """Collects rows of text and packs them into Arrow-backed columns, chunk by chunk, to bound the memory."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._rows: list[Sequence[str | None]] = []
        self._chunks: list[pd.DataFrame] = []

    def add(self, row: Sequence[str | None]) -> None:
        """Append one row, in the order of the column names."""
        self._rows.append(row)
        if len(self._rows) >= CHUNK_ROWS:
            self._pack()

    def _pack(self) -> None:
        columns = list(zip(*self._rows, strict=True)) if self._rows else [()] * len(self.names)
        data = {i: _pack_column(column) for i, column in enumerate(columns)}
        self._chunks.append(pd.DataFrame(data))
        self._rows = []

    def frame(self) -> pd.DataFrame:
        """Return all rows; the index counts from 1."""
        if self._rows or not self._chunks:
            self._pack()
        frame = pd.concat(self._chunks, ignore_index=True) if len(self._chunks) > 1 else self._chunks[0]
        frame.columns = pd.Index(self.names)
        frame.index = pd.RangeIndex(1, len(frame) + 1)
        return frame


def _pack_column(values: Sequence[str | None]) -> pd.api.extensions.ExtensionArray:
    entries = [value if value != "" else None for value in values]
    try:
        packed: pd.api.extensions.ExtensionArray = pd.array(entries, dtype=TEXT)
    except UnicodeEncodeError:
        # JSON can spell half a surrogate pair, which no encoding can store; it becomes U+FFFD, as in a text viewer.
        whole = [None if entry is None else _without_surrogates(entry) for entry in entries]
        packed = pd.array(whole, dtype=TEXT)
    return packed


def _without_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def text_frame(records: Iterable[Mapping[str, str | None]], names: Sequence[str]) -> pd.DataFrame:
    """Return records as text columns `names`; a key that a record lacks is NaN."""
    buffer = RowBuffer(names)
    for record in records:
        buffer.add([record.get(name) for name in names])
    return buffer.frame()


def score_frame(records: Sequence[Mapping[str, str | None]], names: Sequence[str]) -> pd.DataFrame:
    """Return scored records as text columns `names`, without those that are empty throughout.

    A column that the layout does not fill, such as a domain, can then come from elsewhere or be asked for.
    """
    seen = {name for record in records for name, value in record.items() if value is not None}
    return text_frame(records, [name for name in names if name in seen or name in ("status", "score")])


def refuse_duplicates(names: Sequence[str], file: str) -> None:
    """Raise TrialDataError when two columns bear one name."""
    counts = pd.Series(list(names), dtype=object).value_counts()
    twice = sorted(str(name) for name in counts.index[np.asarray(counts) > 1])
    if twice:
        raise TrialDataError(
            f"{file}: more than one column is called {quoted(twice)}",
            allowed="column names that are all different",
            remedy="rename or remove the repeated columns",
        )


def refuse_empty(rows: int, file: str) -> None:
    """Raise TrialDataError when a file holds no trial."""
    if rows == 0:
        raise TrialDataError(
            f"{file}: the file holds no trial",
            allowed="at least one row below the column names",
            remedy="check that the run that wrote it finished",
        )
