"""Dispatch: which reader a file goes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from judgestats.errors import ConfigError, near_match
from judgestats.trials.readers.csv_file import read_csv
from judgestats.trials.readers.inspect_archive import is_inspect_json
from judgestats.trials.readers.inspect_log import INSPECT_OPTIONS, read_inspect
from judgestats.trials.readers.json_lines import read_json
from judgestats.trials.readers.parquet_file import read_parquet
from judgestats.trials.readers.raw import RawTable

ENDING_FORMATS: dict[str, str] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".eval": "inspect",
}
OPTIONS: dict[str, tuple[str, ...]] = {
    "csv": ("delimiter",),
    "parquet": (),
    "jsonl": (),
    "inspect": INSPECT_OPTIONS,
}


def format_of(path: Path, file: str) -> str:
    """Return the format that a file's ending names; a ``.json`` file is looked into.

    Raises
    ------
    ConfigError
        The ending names no format.
    """
    name = path.name.lower()
    name = name[:-3] if name.endswith(".gz") else name
    ending = Path(name).suffix
    if ending not in ENDING_FORMATS:
        hint = near_match(ending, ENDING_FORMATS)
        raise ConfigError(
            f"{file}: the ending {ending!r} names no known format" + (f"; {hint}" if hint else ""),
            allowed=", ".join(ENDING_FORMATS) + ", each also with .gz",
            remedy="rename the file, or set `format` in [trials]",
        )
    if ending == ".json" and is_inspect_json(path, file):
        return "inspect"
    return ENDING_FORMATS[ending]


def read_format(
    kind: str,
    path: Path,
    file: str,
    limit: int,
    options: Mapping[str, Any],
    wanted: Sequence[str] = (),
    coded: bool = False,
) -> RawTable:
    """Read one file of a known format.

    Parameters
    ----------
    kind : str
        ``csv``, ``parquet``, ``jsonl`` or ``inspect``.
    path, file : Path, str
        The file and its name in messages.
    limit : int
        Most uncompressed bytes.
    options : dict
        Options of the format.
    wanted : sequence of str
        Columns that the analysis maps.
    coded : bool
        Whether a coding rule of the analysis decides status and verdict.
    """
    for key in options:
        if key not in OPTIONS[kind]:
            hint = near_match(key, OPTIONS[kind])
            raise ConfigError(
                f"[trials.options]: key {key!r} is unknown for the format {kind}" + (f"; {hint}" if hint else ""),
                allowed=", ".join(OPTIONS[kind]) or "no option",
                remedy="correct the spelling or remove it",
            )
    if kind == "csv":
        return read_csv(path, file, limit, str(options.get("delimiter", "")))
    if kind == "parquet":
        return read_parquet(path, file, limit, wanted)
    if kind == "inspect":
        return read_inspect(path, file, limit, options, by_value=not coded)
    return read_json(path, file, limit)
