"""BBQ answers: free-text answers to disambiguated BBQ questions, several prompt formats a row.

A row has a block only where the context settles the question and exactly one of the two named people belongs to a
stereotyped group: congruent when the correct answer is the one that the stereotype would give. Source of the
items: BBQ, https://doi.org/10.18653/v1/2022.findings-acl.165.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judgestats.errors import TrialDataError
from judgestats.trials.readers.json_lines import as_text, iterate_objects
from judgestats.trials.readers.options import check_options, text_list
from judgestats.trials.readers.raw import RawTable, refuse_empty, text_frame
from judgestats.trials.refusal import RefusalPatterns
from judgestats.trials.status import Status
from judgestats.trials.table import Notice
from judgestats.trials.wording import quoted

ANSWERS = ("ans0", "ans1", "ans2")
NEEDED = (
    "example_id",
    "question_index",
    "question_polarity",
    "context_condition",
    "category",
    "answer_info",
    "additional_metadata",
    "label",
    *ANSWERS,
)
COLUMNS = (
    "judge",
    "domain",
    "item",
    "cluster",
    "block",
    "status",
    "response",
    "consistent",
    "prompt_config",
    "raw_text",
    "left_out",
)
POLARITIES = ("neg", "nonneg")
AMBIGUOUS = "ambiguous context"
UNKNOWN_LABEL = "the correct answer is the unknown option"
UNMATCHED = "no answer's group, or both answers' groups, are stereotyped"
PREDICTION = re.compile(r"^(?P<judge>.+)_pred_(?P<format>[^_]+)$")


def read_bbq_answers(path: Path, data: Path, file: str, options: Mapping[str, Any], limit: int) -> RawTable:
    """Read one JSON lines file; one trial a row and prompt format.

    Parameters
    ----------
    path, data, file : Path, Path, str
        The file, the data folder and the name in messages.
    options : dict
        ``formats``: endings of the prediction columns ``<judge>_pred_<format>`` that are read, each as the judge
        ``<judge>_<format>``; ``refusal``: patterns of refusals.
    limit : int
        Most uncompressed bytes.

    Raises
    ------
    TrialDataError
        A row lacks a field or holds a word that the layout does not know.
    """
    check_options(options, ("formats", "refusal"), "bbq_answers")
    formats = text_list(options, "formats", ("race", "arc"))
    refusal = RefusalPatterns(text_list(options, "refusal", ()))
    records: list[dict[str, str | None]] = []
    left_out: Counter[str] = Counter()
    unread: set[str] = set()
    for row, question in enumerate(iterate_objects(path, file, limit), 1):
        _refuse_absent(question, file, row)
        found = {name: match for name in question if (match := PREDICTION.match(name))}
        unread |= {name for name, match in found.items() if match["format"] not in formats}
        predictions = {name: match for name, match in found.items() if match["format"] in formats}
        if not predictions:
            raise _no_prediction(question, formats, file, row)
        block, reason = _block(question, file, row)
        if reason:
            left_out[reason] += len(predictions)
        shared = {
            "domain": as_text(question["category"]),
            "item": as_text(question["example_id"]),
            "cluster": as_text(question["question_index"]),
            "block": block,
            "left_out": reason,
        }
        for name, match in predictions.items():
            verdict = _verdict(question, question[name], refusal, file, row)
            judge = {"judge": f"{match['judge']}_{match['format']}", "prompt_config": match["format"]}
            records.append({**shared, **judge, **verdict})
    refuse_empty(len(records), file)
    return RawTable(text_frame(records, COLUMNS), notices=_notices(file, left_out, unread))


def _refuse_absent(question: Mapping[str, Any], file: str, row: int) -> None:
    absent = [name for name in NEEDED if name not in question]
    if absent:
        raise TrialDataError(
            f"{file}: row {row} lacks {quoted(absent, 9)}; found {quoted(question, 30)}",
            allowed="rows of BBQ predictions with " + ", ".join(NEEDED),
            remedy="check that the file has the layout of BBQ's results/UnifiedQA",
        )


def _no_prediction(question: Mapping[str, Any], formats: tuple[str, ...], file: str, row: int) -> TrialDataError:
    return TrialDataError(
        f"{file}: row {row} has no prediction; found {quoted(question, 30)}",
        allowed="columns <judge>_pred_<format> with a format of " + ", ".join(formats),
        remedy="name the formats in [trials.options]",
    )


def fold(answer: object) -> str:
    """Return an answer lower-cased and stripped, one final full stop removed."""
    return str("" if answer is None else answer).lower().strip().removesuffix(".")


def _block(question: Mapping[str, Any], file: str, row: int) -> tuple[str | None, str | None]:
    """Return the block, or why the row has none."""
    context, polarity = question["context_condition"], question["question_polarity"]
    if context not in ("ambig", "disambig") or polarity not in POLARITIES:
        raise TrialDataError(
            f"{file}: row {row} has context_condition {context!r} and question_polarity {polarity!r}",
            allowed="ambig or disambig; neg or nonneg",
            remedy="correct the row",
        )
    if context == "ambig":
        return None, AMBIGUOUS
    try:
        groups = {str(group).lower() for group in question["additional_metadata"]["stereotyped_groups"]}
        info = {name: [str(part).lower() for part in question["answer_info"][name]] for name in ANSWERS}
        correct = ANSWERS[int(question["label"])]
        named = [name for name in ANSWERS if info[name][1] != "unknown"]
        matched = [name for name in named if info[name][1] in groups or info[name][0] in groups]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise TrialDataError(
            f"{file}: row {row} has no usable answer_info, label or stereotyped_groups ({error!r})",
            allowed="two words for each of ans0, ans1, ans2; a label of 0, 1 or 2; a list of groups",
            remedy="correct the row",
        ) from error
    if correct not in named:
        return None, UNKNOWN_LABEL
    if len(matched) != 1:
        return None, UNMATCHED
    stereotyped = correct in matched
    return ("congruent" if (polarity == "neg") == stereotyped else "incongruent"), None


def _verdict(
    question: Mapping[str, Any], prediction: object, refusal: RefusalPatterns, file: str, row: int
) -> dict[str, str | None]:
    answers = [fold(question[name]) for name in ANSWERS]
    given = fold(prediction)
    text = as_text(prediction)
    if given and given in answers:
        correct = answers[int(question["label"])]
        if answers.count(given) > 1:
            raise TrialDataError(
                f"{file}: row {row} has two answers that read {given!r}, so the prediction does not say which is meant",
                allowed="three answers that differ",
                remedy="correct the row",
            )
        consistent = "true" if given == correct else "false"
        return {"status": "valid", "response": given, "consistent": consistent, "raw_text": text}
    status = Status.MISSING if not given else Status.REFUSAL if refusal.matches(given) else Status.MALFORMED
    return {"status": status.value, "response": text, "consistent": None, "raw_text": text}


def _notices(file: str, left_out: Counter[str], unread: set[str]) -> tuple[Notice, ...]:
    out = [
        Notice("left_out", f"{file}: {count} trials have no block and are left out of the effect: {reason}", count)
        for reason, count in sorted(left_out.items())
    ]
    if unread:
        text = f"{file}: the predictions {quoted(sorted(unread))} are not among the formats that were asked for"
        out.append(Notice("columns_unread", text, len(unread)))
    return tuple(out)
