"""Prometheus: answers to rubric questions, each scored several times by one judge.

Layout of https://github.com/prometheus-eval/prometheus-eval: ``idx, response_source, category, <judge>_score`` (a list of
repeats) and ``<judge>_feedback`` (their texts).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judgestats.errors import TrialDataError
from judgestats.trials.readers.json_lines import as_text, iterate_objects
from judgestats.trials.readers.options import check_options
from judgestats.trials.readers.raw import RawTable, refuse_empty, score_frame
from judgestats.trials.status import Status
from judgestats.trials.wording import quoted

NEEDED = ("idx", "response_source", "category")
COLUMNS = ("judge", "domain", "item", "generator", "repeat", "status", "score", "raw_text")
SCORES = re.compile(r"^(?P<judge>.+)_score$")


def read_prometheus(path: Path, data: Path, file: str, options: Mapping[str, Any], limit: int) -> RawTable:
    """Read one JSON list or JSON lines file; one trial a question, generator and repeat.

    The judge is the first part of ``<judge>_score``, the domain the category, the item ``idx``. A null score is the status
    missing.

    Parameters
    ----------
    path, data, file : Path, Path, str
        The file, the data folder and the name in messages.
    options : dict
        None.
    limit : int
        Most uncompressed bytes.

    Raises
    ------
    TrialDataError
        A row lacks a field, or its scores are no list.
    """
    check_options(options, (), "prometheus")
    records: list[dict[str, str | None]] = []
    for row, answer in enumerate(iterate_objects(path, file, limit), 1):
        judges = {name: match["judge"] for name in answer if (match := SCORES.match(name))}
        absent = [name for name in NEEDED if name not in answer] + ([] if judges else ["<judge>_score"])
        if absent:
            raise TrialDataError(
                f"{file}: row {row} lacks {quoted(absent)}; found {quoted(answer, 30)}",
                allowed=", ".join((*NEEDED, "<judge>_score")),
                remedy="check that the file has the layout of the benchmark",
            )
        shared = {
            "item": as_text(answer["idx"]),
            "domain": as_text(answer["category"]),
            "generator": as_text(answer["response_source"]),
        }
        for name, judge in judges.items():
            texts = answer.get(f"{judge}_feedback")
            records += [{**shared, "judge": judge, **trial} for trial in _repeats(answer[name], texts, name, file, row)]
    refuse_empty(len(records), file)
    return RawTable(score_frame(records, COLUMNS))


def _repeats(scores: object, texts: object, name: str, file: str, row: int) -> list[dict[str, str | None]]:
    if not isinstance(scores, list):
        raise TrialDataError(
            f"{file}: row {row} holds a {type(scores).__name__} for {name}",
            allowed="a list of scores, one a repeat",
            remedy="put a single score into a list",
        )
    raw = texts if isinstance(texts, list) and len(texts) == len(scores) else [None] * len(scores)
    return [
        {
            "repeat": str(number),
            "score": as_text(score),
            "status": Status.MISSING.value if score is None else Status.VALID.value,
            "raw_text": as_text(text),
        }
        for number, (score, text) in enumerate(zip(scores, raw, strict=True), 1)
    ]
