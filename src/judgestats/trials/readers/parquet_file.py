"""Parquet reader: columns as text; of a very large file only the columns that are asked for."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from judgestats.errors import TrialDataError
from judgestats.trials.columns import KNOWN, TEXT
from judgestats.trials.readers.json_lines import as_text
from judgestats.trials.readers.raw import RawTable, refuse_duplicates, refuse_empty
from judgestats.trials.readers.stream import DEFAULT_LIMIT, GZIP_MAGIC, check_file, oversize, read_bytes
from judgestats.trials.table import Notice
from judgestats.trials.wording import quoted, size

MOST_ROWS = 50_000_000


def read_parquet(path: Path, file: str, limit: int = DEFAULT_LIMIT, wanted: Iterable[str] = ()) -> RawTable:
    """Read a Parquet file.

    Parameters
    ----------
    path : Path
        The file; gzip around it is undone in memory.
    file : str
        Its name in messages.
    limit : int
        Most uncompressed bytes of the columns that are read.
    wanted : iterable of str
        Columns that the analysis maps. When the whole file is above the limit, only these and the columns that bear a
        name of the trial table are read, and a notice names the others.

    Raises
    ------
    TrialDataError
        A truncated file, noise, repeated column names, no row, too many rows or bytes.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_file(path, file)
    with path.open("rb") as handle:
        packed = handle.read(2) == GZIP_MAGIC
    try:
        source: Any = io.BytesIO(read_bytes(path, file, limit)) if packed else str(path)
        with pq.ParquetFile(source) as parquet:
            names = list(parquet.schema_arrow.names)
            refuse_duplicates(names, file)
            _check_rows(parquet.metadata.num_rows, file)
            keep, notices = _columns(parquet.metadata, names, set(wanted) | set(KNOWN), file, limit)
            table = parquet.read(columns=keep)
        frame = pd.DataFrame({i: _text(table.column(name), pa) for i, name in enumerate(keep)})
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, TrialDataError):
            raise
        raise TrialDataError(
            f"{file}: this is not a whole Parquet file ({str(error).splitlines()[0]})",
            allowed="a Parquet file whose footer is intact",
            remedy="copy the file again, or write the table as CSV",
        ) from error
    frame.columns = pd.Index(keep)
    frame.index = pd.RangeIndex(1, len(frame) + 1)
    return RawTable(frame, notices=notices)


def _check_rows(n_rows: int, file: str) -> None:
    refuse_empty(n_rows, file)
    if n_rows > MOST_ROWS:
        raise TrialDataError(
            f"{file}: {n_rows} rows",
            allowed=f"up to {MOST_ROWS} rows a file",
            remedy="aggregate equal trials into one row with a column n",
        )


def _columns(
    metadata: Any, names: list[str], wanted: set[str], file: str, limit: int
) -> tuple[list[str], tuple[Notice, ...]]:
    sizes = dict.fromkeys(names, 0)
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for index in range(row_group.num_columns):
            column = row_group.column(index)
            root = column.path_in_schema.split(".")[0]
            sizes[root] = sizes.get(root, 0) + column.total_uncompressed_size
    if sum(sizes.values()) <= limit:
        return names, ()
    keep = [name for name in names if name in wanted]
    if sum(sizes[name] for name in keep) > limit:
        raise oversize(file, sum(sizes[name] for name in keep), limit)
    left = [name for name in names if name not in wanted]
    text = f"{file} is {size(sum(sizes.values()))}, above {size(limit)}: columns {quoted(left)} were not read"
    return keep, (Notice("columns_unread", text, len(left)),)


def _text(column: Any, pa: Any) -> pd.api.extensions.ExtensionArray:
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind):
        column.validate(full=True)  # a damaged page can hold bytes that are no text
        strings = column.cast(pa.large_string()).to_pandas().astype(TEXT)
        column = strings.mask(strings == "")  # an empty field is a missing one, as in CSV
        packed: pd.api.extensions.ExtensionArray = pd.array(column, dtype=TEXT)
        return packed
    return pd.array(
        [as_text(value if _plain(value) else str(value)) or None for value in column.to_pylist()], dtype=TEXT
    )


def _plain(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list | dict)
