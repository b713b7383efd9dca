"""CSV reader: comma- or tab-separated text, every field kept as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from judgestats.errors import TrialDataError
from judgestats.trials.readers.raw import RawTable, RowBuffer, refuse_duplicates, refuse_empty
from judgestats.trials.readers.stream import DEFAULT_LIMIT, binary_noise, open_text

LONGEST_FIELD = 1 << 27


def read_csv(path: Path, file: str, limit: int = DEFAULT_LIMIT, delimiter: str = "") -> RawTable:
    """Read a CSV or TSV file, plain or gzip, in bounded memory.

    Parameters
    ----------
    path : Path
        The file.
    file : str
        Its name in messages.
    limit : int
        Most uncompressed bytes.
    delimiter : str
        Field separator; by default a tab for ``.tsv`` and a comma otherwise.

    Raises
    ------
    TrialDataError
        Empty or binary file, repeated column names, a row with too many or too few fields, bytes that do not decode.
    """
    separator = delimiter or ("\t" if ".tsv" in path.name else ",")
    with _long_fields(), open_text(path, file, limit) as text:
        reader = csv.reader(text, delimiter=separator, strict=True)
        try:
            names = _header(reader, file, separator)
            buffer = RowBuffer(names)
            rows = 0
            for row in reader:
                if not row:
                    continue
                rows += 1
                if len(row) != len(names):
                    raise _ragged(file, rows, reader.line_num, len(row), len(names))
                buffer.add(row)
        except csv.Error as error:
            raise TrialDataError(
                f"{file}: line {reader.line_num} is not CSV ({error})",
                allowed="fields separated by commas, quotes doubled inside quoted fields",
                remedy="write the file again with a CSV library",
            ) from error
    refuse_empty(rows, file)
    return RawTable(buffer.frame())


def _header(reader: Iterator[list[str]], file: str, separator: str) -> list[str]:
    names = [name.strip() for name in next(reader, [])]
    if any("\x00" in name for name in names):
        raise binary_noise(file)
    if len(names) == 1:
        for other in (";", "\t", "|", ","):
            if other != separator and other in names[0]:
                raise TrialDataError(
                    f"{file}: the header is one column, {names[0]!r}, which looks separated by {other!r}",
                    allowed=f"columns separated by {separator!r}",
                    remedy=f'set delimiter = "{other}" in [trials.options], or write the file with commas',
                )
    refuse_duplicates(names, file)
    return names


def _ragged(file: str, row: int, line: int, found: int, expected: int) -> TrialDataError:
    return TrialDataError(
        f"{file}: row {row} (ends on line {line}) has {found} fields and the header {expected}",
        allowed=f"{expected} fields in every row",
        remedy="quote fields that hold commas or line breaks, and complete short rows",
    )


@contextmanager
def _long_fields() -> Iterator[None]:
    # Chains of thought exceed the module's default of 128 KiB a field.
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def parse_csv_text(text: str) -> list[dict[str, str]]:
    """Return the rows of a small CSV text as dictionaries."""
    return list(csv.DictReader(io.StringIO(text, newline="")))
