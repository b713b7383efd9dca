"""Inspect archive: the header and the samples of a log, from ``.eval`` archives and ``.json`` logs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judgestats.errors import TrialDataError
from judgestats.trials.readers.json_lines import WHOLE_LIMIT
from judgestats.trials.readers.stream import open_text, oversize
from judgestats.trials.readers.zip_members import open_zip
from judgestats.trials.wording import quoted

LOG_HEAD = re.compile(r'^\s*\{\s*"(version|status|eval)"\s*:')
HEAD_MEMBERS = ("header.json", "_journal/start.json")


def is_inspect_json(path: Path, file: str) -> bool:
    """Return whether a ``.json`` file is an Inspect log, told by its first keys."""
    with open_text(path, file) as text:
        head = text.read(1 << 16)
    return bool(LOG_HEAD.match(head)) and '"eval"' in head


def open_log(path: Path, file: str, limit: int) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    """Return the log's header and its samples, one at a time where the log is an archive."""
    if ".json" not in path.name.lower():
        return _archive_head(path, file, limit), _archive_samples(path, file, limit)
    with open_text(path, file, min(limit, WHOLE_LIMIT)) as text:
        whole = _parse(text.read(), file, "the log")
    samples = whole.pop("samples", None) or []
    if not isinstance(samples, list):
        raise not_a_log(file, "its samples are no list")
    return whole, iter(samples)


def _archive_head(path: Path, file: str, limit: int) -> dict[str, Any]:
    with open_zip(path, file, limit) as archive:
        names = archive.names()
        for name in HEAD_MEMBERS:
            if name in names:
                return _parse(archive.read(name), file, name)
    raise not_a_log(file, f"it holds neither {' nor '.join(HEAD_MEMBERS)}, only {quoted(names) or 'nothing'}")


def _archive_samples(path: Path, file: str, limit: int) -> Iterator[dict[str, Any]]:
    with open_zip(path, file, limit) as archive:
        names = [name for name in archive.names() if name.startswith("samples/") and name.endswith(".json")]
        total = sum(archive.sizes()[name] for name in names)
        if total > limit:
            raise oversize(file, total, limit)
        for name in names:
            yield _parse(archive.read(name), file, name)


def _parse(data: str | bytes, file: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise not_a_log(file, f"{where} is not JSON: {str(error)[:200]}") from error
    if not isinstance(value, dict):
        raise not_a_log(file, f"{where} is no JSON object")
    return value


def not_a_log(file: str, why: str) -> TrialDataError:
    """Return the error for a file that is no whole Inspect log."""
    return TrialDataError(
        f"{file}: this is not a whole Inspect log ({why})",
        allowed=".eval archives and .json logs as Inspect AI writes them",
        remedy="copy the log again, or convert it with `inspect log convert`",
    )
