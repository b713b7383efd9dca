"""Zip members: reads the members of a zip whose data are stored, deflated or zstd-compressed.

The central directory is the standard library's; members of method 93 (zstandard, APPNOTE.TXT 6.3.8), which the standard
library of Python 3.12 cannot unpack, are decoded here.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from judgestats.errors import TrialDataError
from judgestats.trials.readers.stream import GZIP_MAGIC, check_file, oversize, read_bytes
from judgestats.trials.wording import size

ZSTANDARD = 93
LOCAL_HEADER = struct.Struct("<4s5H3I2H")
LOCAL_MAGIC = b"PK\x03\x04"
MEMBER_LIMIT = 256 * 1024**2
"""Most uncompressed bytes of one member, which is parsed as a whole."""


class ZipMembers:
    """The members of one open archive.

    Parameters
    ----------
    archive : zipfile.ZipFile
        The open archive.
    file : str
        Its name in messages.
    """

    def __init__(self, archive: zipfile.ZipFile, file: str) -> None:
        self._archive = archive
        self._file = file
        self._members = {info.filename: info for info in archive.infolist()}

    def names(self) -> list[str]:
        """Return the names of all members, sorted."""
        return sorted(self._members)

    def sizes(self) -> dict[str, int]:
        """Return the uncompressed size that the central directory declares for each member."""
        return {name: info.file_size for name, info in self._members.items()}

    def read(self, name: str) -> bytes:
        """Return the bytes of one member.

        Raises
        ------
        TrialDataError
            Broken or encrypted data, an unknown method, more bytes than declared or than the limit.
        """
        info = self._members[name]
        if info.file_size > MEMBER_LIMIT:
            raise oversize(f"{self._file}: {name}", info.file_size, MEMBER_LIMIT)
        try:
            if info.compress_type == ZSTANDARD:
                data = self._zstandard(info)
            else:
                with self._archive.open(info) as handle:
                    data = handle.read(info.file_size + 1)
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, ValueError) as error:
            raise self._broken(name, str(error)) from error
        if len(data) != info.file_size:
            raise self._broken(name, f"{len(data)} bytes where {info.file_size} are declared")
        return data

    def _zstandard(self, info: zipfile.ZipInfo) -> bytes:
        import zstandard

        if info.flag_bits & 0x1:
            raise self._broken(info.filename, "it is encrypted")
        handle = self._archive.fp
        if handle is None:
            raise self._broken(info.filename, "the archive is closed")
        handle.seek(info.header_offset)
        header = handle.read(LOCAL_HEADER.size)
        if len(header) != LOCAL_HEADER.size or not header.startswith(LOCAL_MAGIC):
            raise self._broken(info.filename, "its local header is not there")
        # Name and extra field are repeated before the data and may differ in length from the central directory's.
        name_length, extra_length = LOCAL_HEADER.unpack(header)[-2:]
        handle.seek(name_length + extra_length, io.SEEK_CUR)
        packed = io.BytesIO(handle.read(info.compress_size))
        try:
            with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
                data = reader.read(info.file_size + 1)
        except (zstandard.ZstdError, MemoryError) as error:
            raise self._broken(info.filename, str(error)) from error
        if zlib.crc32(data) != info.CRC and len(data) == info.file_size:
            raise self._broken(info.filename, "its checksum differs")
        return bytes(data)

    def _broken(self, name: str, why: str) -> TrialDataError:
        return TrialDataError(
            f"{self._file}: the member {name!r} cannot be unpacked ({why})",
            allowed="members that are stored, deflated or zstd-compressed, and whole",
            remedy="copy the log again",
        )


@contextmanager
def open_zip(path: Path, file: str, limit: int) -> Iterator[ZipMembers]:
    """Open a zip, itself plain or gzip; TrialDataError when it is broken."""
    check_file(path, file)
    with path.open("rb") as handle:
        packed = handle.read(2) == GZIP_MAGIC
    source = io.BytesIO(read_bytes(path, file, limit)) if packed else path
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, struct.error, NotImplementedError) as error:
        on_disk = path.stat().st_size
        raise TrialDataError(
            f"{file}: this is not a whole zip archive ({error}; {size(on_disk)})",
            allowed="an Inspect log (.eval), which is a zip of JSON files",
            remedy="copy the log again; an empty or cut-off file cannot be read",
        ) from error
    with archive:
        yield ZipMembers(archive, file)
