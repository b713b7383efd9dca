"""Stream: bytes of a file, decompressed and counted, and text that names the byte where decoding fails."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from judgestats.errors import ConfigError, TrialDataError
from judgestats.trials.near_path import near_path
from judgestats.trials.wording import size

DEFAULT_LIMIT = 2 * 1024**3
"""Most uncompressed bytes that are read from one text file."""

GZIP_MAGIC = b"\x1f\x8b"
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
PARQUET_ROUTE = (
    "write the table as Parquet, which is read column by column, or split it into several files; "
    "`max_bytes` in [trials] raises the limit"
)


class CountedBytes(io.BufferedIOBase):
    """Reads decompressed bytes and refuses to go past the limit.

    Parameters
    ----------
    source : binary file
        Open file, or a decompressor around one.
    file : str
        Name for messages.
    limit : int
        Most bytes to read.
    """

    def __init__(self, source: IO[bytes] | gzip.GzipFile, file: str, limit: int) -> None:
        self._source = source
        self._file = file
        self._limit = limit
        self.count = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def read1(self, size_: int = -1, /) -> bytes:
        """Return up to `size_` bytes; TrialDataError on a broken archive or past the limit."""
        try:
            chunk = self._source.read(size_ if size_ and size_ > 0 else 1 << 16)
        except (OSError, EOFError, zlib.error) as error:
            raise TrialDataError(
                f"{self._file}: the gzip data is broken after {self.count} uncompressed bytes ({error})",
                allowed="a whole gzip file",
                remedy="copy or compress the file again",
            ) from error
        self.count += len(chunk)
        if self.count > self._limit:
            raise oversize(self._file, None, self._limit)
        return chunk

    def read(self, size_: int | None = -1, /) -> bytes:
        """Return `size_` bytes, or all that remain."""
        if size_ is not None and size_ >= 0:
            return self.read1(size_) if size_ else b""
        parts = []
        while chunk := self.read1(1 << 20):
            parts.append(chunk)
        return b"".join(parts)


def oversize(file: str, n_bytes: int | None, limit: int) -> TrialDataError:
    """Return the error for a file above the limit; `n_bytes` is None when only the limit is known to be passed."""
    given = f"is {size(n_bytes)}" if n_bytes is not None else f"holds more than {size(limit)} once decompressed"
    return TrialDataError(
        f"{file}: the file {given}, above the limit",
        allowed=f"up to {size(limit)} ({limit} bytes) uncompressed",
        remedy=PARQUET_ROUTE,
    )


@contextmanager
def open_counted(path: Path, file: str, limit: int = DEFAULT_LIMIT) -> Iterator[CountedBytes]:
    """Open a file, plain or gzip (told by its first bytes), as counted bytes."""
    check_file(path, file)
    with path.open("rb") as raw:
        packed = raw.read(2) == GZIP_MAGIC
        raw.seek(0)
        if not packed and (on_disk := path.stat().st_size) > limit:
            raise oversize(file, on_disk, limit)
        if packed:
            with gzip.GzipFile(fileobj=raw) as plain:
                yield CountedBytes(plain, file, limit)
        else:
            yield CountedBytes(raw, file, limit)


@contextmanager
def open_text(path: Path, file: str, limit: int = DEFAULT_LIMIT) -> Iterator[io.TextIOBase]:
    """Open a file as text: UTF-8, or what its byte order mark says; line ends are kept.

    Raises
    ------
    TrialDataError
        Empty, binary, broken or oversized file, and bytes that do not decode, with their offset in the uncompressed
        file.
    """
    with open_counted(path, file, limit) as counted:
        head = counted.read1(1 << 13)
        if not head.strip():
            raise TrialDataError(
                f"{file}: the file is empty", allowed="a table of trials", remedy="check the run that wrote it"
            )
        encoding, skip = _encoding(head, file)
        replay = _Replay(head[skip:], counted)
        text = io.TextIOWrapper(cast(IO[bytes], replay), encoding=encoding, errors="strict", newline="")
        try:
            yield text
        except UnicodeDecodeError as error:
            offset = counted.count - len(replay.pending) - len(error.object) + error.start
            raise TrialDataError(
                f"{file}: the bytes from offset {offset} (0x{error.object[error.start]:02x}) are not {error.encoding}",
                allowed="UTF-8, or UTF-16 or UTF-32 with a byte order mark",
                remedy="save the file as UTF-8 (a Latin-1 or Windows-1252 file: iconv -f WINDOWS-1252 -t UTF-8)",
            ) from error
        finally:
            text.detach()


class _Replay(io.BufferedIOBase):
    """Gives back the head that was read to find the encoding, then the rest."""

    def __init__(self, head: bytes, rest: CountedBytes) -> None:
        self.pending = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def read1(self, size_: int = -1, /) -> bytes:
        if self.pending:
            out, self.pending = self.pending, b""
            return out
        return self._rest.read1(size_)

    def read(self, size_: int | None = -1, /) -> bytes:
        if size_ is None or size_ < 0:
            out, self.pending = self.pending, b""
            return out + self._rest.read(-1)
        return self.read1(size_)


def _encoding(head: bytes, file: str) -> tuple[str, int]:
    for mark, name in BOMS:
        if head.startswith(mark):
            return name, len(mark)
    if b"\x00" in head:
        raise binary_noise(file)
    return "utf-8", 0


def binary_noise(file: str) -> TrialDataError:
    """Return the error for a file that is not text."""
    return TrialDataError(
        f"{file}: the file is binary, not a table in text form",
        allowed=".csv, .tsv, .jsonl, .json, .parquet, .eval, each also with .gz",
        remedy="check that the ending says what the file is",
    )


def check_file(path: Path, file: str) -> None:
    """Raise ConfigError when `path` is not a readable file."""
    if path.is_dir():
        raise ConfigError(f"{file} is a folder", allowed="one file", remedy="name a file in it, or an analysis")
    if not path.is_file():
        raise ConfigError(
            f"{file}: no such file", allowed="a file that exists", remedy=near_path(path) or "check the path"
        )
    if not os.access(path, os.R_OK):
        raise ConfigError(f"{file}: the file may not be read", allowed="a readable file", remedy="change its mode")


def digest(path: Path) -> str:
    """Return the SHA-256 of the bytes on disk."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def read_bytes(path: Path, file: str, limit: int) -> bytes:
    """Return a whole file, decompressed."""
    with open_counted(path, file, limit) as counted:
        return counted.read(-1)
