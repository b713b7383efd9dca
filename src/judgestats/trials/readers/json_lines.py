"""JSON reader: one object a line, or one list of objects."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judgestats.errors import TrialDataError
from judgestats.trials.readers.raw import RawTable, refuse_empty, text_frame
from judgestats.trials.readers.stream import DEFAULT_LIMIT, open_text, oversize

WHOLE_LIMIT = 256 * 1024**2
"""Most bytes of a JSON file that has to be parsed as a whole (a list), since objects take about ten times as much."""


def read_json(path: Path, file: str, limit: int = DEFAULT_LIMIT) -> RawTable:
    """Read JSON lines, or one JSON list of objects, as text columns.

    Numbers keep the file's spelling of their value, true and false become ``true`` and ``false``, null and NaN become
    empty, nested values become JSON text.

    Raises
    ------
    TrialDataError
        Text that is not JSON (with its line), rows that are not objects, a key that stands twice in one object.
    """
    records = []
    names: dict[str, None] = {}
    for record in iterate_objects(path, file, limit):
        row = {str(key): as_text(value) for key, value in record.items()}
        names.update(dict.fromkeys(row))
        records.append(row)
    refuse_empty(len(records), file)
    return RawTable(text_frame(records, list(names)))


def iterate_objects(path: Path, file: str, limit: int = DEFAULT_LIMIT) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON lines file or of a JSON list."""
    with open_text(path, file, limit) as text:
        first = ""
        number = 0
        for number, line in enumerate(text, 1):  # noqa: B007
            first = line.strip()
            if first:
                break
        if first.startswith("["):
            yield from _list_items(first + text.read(WHOLE_LIMIT + 1), file)
            return
        row = 1
        yield _object(parse(first, file, f"line {number}"), file, row)
        for line_number, line in enumerate(text, number + 1):
            if line.strip():
                row += 1
                yield _object(parse(line, file, f"line {line_number}"), file, row)


def _list_items(text: str, file: str) -> Iterator[dict[str, Any]]:
    if len(text) > WHOLE_LIMIT:
        raise oversize(file, None, WHOLE_LIMIT)
    for row, item in enumerate(parse(text, file, "the list"), 1):
        yield _object(item, file, row)


def _object(value: object, file: str, row: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TrialDataError(
            f"{file}: row {row} is a JSON {type(value).__name__}, not an object",
            allowed="one JSON object a line, or a list of objects",
            remedy="write each trial as an object whose keys are the columns",
        )
    return value


def parse(text: str | bytes, file: str, where: str) -> Any:
    """Parse JSON; TrialDataError names the file and the place."""
    try:
        return json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise TrialDataError(
            f"{file}: {where} is not JSON ({error.msg} at character {error.pos + 1})",
            allowed="one JSON object a line, or one list of objects",
            remedy="check that the file is whole and ends in .jsonl or .json rightly",
        ) from error
    except _RepeatedKeyError as error:
        raise TrialDataError(
            f"{file}: {where} holds the key {error.args[0]!r} twice", allowed="column names that are all different"
        ) from error
    except RecursionError as error:
        raise TrialDataError(f"{file}: {where} is nested too deeply to be a trial") from error
    except ValueError as error:  # digits beyond the interpreter's limit, lone surrogates in bytes
        raise TrialDataError(f"{file}: {where} is not JSON ({error})") from error


class _RepeatedKeyError(Exception):
    """A key stands twice in one object."""


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedKeyError(next(key for key in keys if keys.count(key) > 1))
    return out


def as_text(value: object) -> str | None:
    """Return a JSON value as the text of one field; None when it is empty."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
