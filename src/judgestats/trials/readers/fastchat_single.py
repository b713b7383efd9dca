"""FastChat single judgments: one score an answer, with the prompt of the judge beside its name.

Layout of ``llm_judge`` in https://github.com/lm-sys/FastChat, arXiv 2306.05685.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judgestats.errors import ConfigError, TrialDataError
from judgestats.trials.readers.json_lines import as_text, iterate_objects
from judgestats.trials.readers.options import check_options
from judgestats.trials.readers.raw import RawTable, refuse_empty, score_frame
from judgestats.trials.status import Status
from judgestats.trials.wording import quoted

NEEDED = ("question_id", "model", "judge", "score", "turn")
COLUMNS = (
    "judge",
    "domain",
    "item",
    "generator",
    "prompt_config",
    "repeat",
    "status",
    "score",
    "raw_text",
    "question_id",
    "turn",
    "tstamp",
)
FAILED_SCORE, FAILED_TEXT = -1, "$ERROR$"


def read_fastchat_single(path: Path, data: Path, file: str, options: Mapping[str, Any], limit: int) -> RawTable:
    """Read one JSON lines file; one trial a row.

    The item is the question and its turn, the judge the first of the pair ``judge``, its prompt the second
    (``prompt_config``), ``model`` the generator of the answer. ``-1`` is no score: the status is error where the judgment is
    ``$ERROR$`` or empty, malformed where it is a text in which no score was found. Rows of one generator, judge, prompt,
    question and turn are repeats, numbered by their time.

    Parameters
    ----------
    path, data, file : Path, Path, str
        The file, the data folder and the name in messages.
    options : dict
        ``questions``: JSON lines file below the data folder with ``question_id`` and ``category``, which becomes the domain.
    limit : int
        Most uncompressed bytes.

    Raises
    ------
    ConfigError
        The file of questions is not there.
    TrialDataError
        A row lacks a field, or its question has no category.
    """
    check_options(options, ("questions",), "fastchat_single")
    categories = read_categories(options, data, limit)
    records = []
    for row, entry in enumerate(iterate_objects(path, file, limit), 1):
        absent = [name for name in NEEDED if name not in entry]
        if absent:
            raise TrialDataError(
                f"{file}: row {row} lacks {quoted(absent)}; found {quoted(entry, 30)}",
                allowed=", ".join(NEEDED),
                remedy="check that the file holds single judgments of FastChat",
            )
        judge, prompt = judge_and_prompt(entry["judge"], file, row)
        question = str(as_text(entry["question_id"]))
        records.append(
            {
                "judge": judge,
                "domain": category_of(question, categories, file, row),
                "item": f"{question} turn {as_text(entry['turn'])}",
                "generator": as_text(entry["model"]),
                "prompt_config": prompt,
                **_verdict(entry["score"], entry.get("judgment")),
                "question_id": question,
                "turn": as_text(entry["turn"]),
                "tstamp": as_text(entry.get("tstamp")),
            }
        )
    refuse_empty(len(records), file)
    _number_repeats(records)
    return RawTable(score_frame(records, COLUMNS))


def read_categories(options: Mapping[str, Any], data: Path, limit: int) -> dict[str, str] | None:
    """Return the category of each question, or None where the analysis names no file of questions."""
    name = options.get("questions")
    if name is None:
        return None
    if not isinstance(name, str) or not (data / name).is_file():
        raise ConfigError(
            f"the file of questions {name!r} is not in the data folder {data}",
            allowed="a JSON lines file with question_id and category",
            remedy="correct `questions` in [trials.options], or leave it out and give the domain as a constant",
        )
    entries = iterate_objects(data / name, name, limit)
    return {str(as_text(entry.get("question_id"))): str(as_text(entry.get("category"))) for entry in entries}


def category_of(question: str, categories: Mapping[str, str] | None, file: str, row: int) -> str | None:
    """Return the category of a question; None where no file of questions was named."""
    if categories is None:
        return None
    if question not in categories:
        raise TrialDataError(
            f"{file}: row {row} is of question {question}, which the file of questions does not hold",
            allowed=f"one of its {len(categories)} questions",
            remedy="name the file of questions that the judgments were made with",
        )
    return categories[question]


def judge_and_prompt(judge: object, file: str, row: int) -> tuple[str, str | None]:
    """Return the two parts of the field ``judge``: the judge's name and its prompt's."""
    if isinstance(judge, list) and len(judge) == 2 and all(isinstance(part, str) for part in judge):
        return judge[0], judge[1]
    if isinstance(judge, str) and judge:
        return judge, None
    raise TrialDataError(
        f"{file}: row {row} holds {judge!r} for judge",
        allowed='a pair such as ["gpt-4", "single-v1"]',
        remedy="check that the file holds judgments of FastChat",
    )


def _verdict(score: object, judgment: object) -> dict[str, str | None]:
    text = as_text(judgment)
    bare = (text or "").strip()
    if bare == FAILED_TEXT or (score == FAILED_SCORE and not bare):
        return {"status": Status.ERROR.value, "score": None, "raw_text": text}
    if score == FAILED_SCORE:
        return {"status": Status.MALFORMED.value, "score": None, "raw_text": text}
    status = Status.MISSING if score is None else Status.VALID
    return {"status": status.value, "score": as_text(score), "raw_text": text}


def _number_repeats(records: list[dict[str, str | None]]) -> None:
    """Give the rows that were judged more than once a number, by time; a row that stands alone gets none."""
    same: dict[tuple[str | None, ...], list[dict[str, str | None]]] = defaultdict(list)
    for record in records:
        same[tuple(record[name] for name in ("judge", "prompt_config", "generator", "item"))].append(record)
    for group in same.values():
        if len(group) > 1:
            ordered = sorted(group, key=lambda r: (_time(r["tstamp"]), r["status"] or "", r["score"] or ""))
            for number, record in enumerate(ordered, 1):
                record["repeat"] = str(number)


def _time(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
