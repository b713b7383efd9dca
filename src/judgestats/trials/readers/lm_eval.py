"""lm-eval samples: the per-sample log of the LM Evaluation Harness, one object a document and filter.

Layout of ``--log_samples`` in https://github.com/EleutherAI/lm-evaluation-harness: files ``samples_<task>_<time>.jsonl`` in a
folder named after the judge, with ``doc_id, filter, target, resps, filtered_resps`` and one key a metric.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from judgestats.errors import ConfigError, TrialDataError, near_match
from judgestats.trials.layout import stem
from judgestats.trials.readers.json_lines import as_text, iterate_objects
from judgestats.trials.readers.options import check_options
from judgestats.trials.readers.raw import RawTable, refuse_empty, score_frame
from judgestats.trials.status import Status
from judgestats.trials.wording import quoted

COLUMNS = ("judge", "domain", "item", "status", "consistent", "score", "response", "raw_text", "target", "prompt_hash")
FIELDS = ("doc_id", "filtered_resps", "resps")
NOT_METRICS = (*FIELDS, "doc", "target", "arguments", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash")
INVALID = "[invalid]"
"""What the harness writes where its filter found no answer."""
NAME = re.compile(r"^samples_(?P<task>.+?)(?:_\d{4}-\d{2}-\d{2}T[\d.:-]+)?$")


def read_lm_eval(path: Path, data: Path, file: str, options: Mapping[str, Any], limit: int) -> RawTable:
    """Read one file of samples; one trial a document.

    The metric is ``consistent`` where it is 0 or 1, and ``score`` as it is; the analysis says which of them is the verdict.
    The item is ``doc_id``, the domain the task and the judge the folder, both from the path. An answer in which the filter
    found nothing is malformed and has no verdict, although the harness counts it as wrong.

    Parameters
    ----------
    path, data, file : Path, Path, str
        The file, the data folder and the name in messages.
    options : dict
        ``metric``: key of the metric, needed where a sample holds several; ``filter``: name of the filter, needed where the
        file holds several.
    limit : int
        Most uncompressed bytes.

    Raises
    ------
    ConfigError
        An option names a metric or filter that is not there, or none is named where there are several.
    TrialDataError
        A sample lacks a field.
    """
    check_options(options, ("metric", "filter"), "lm_eval")
    samples = list(enumerate(iterate_objects(path, file, limit), 1))
    for row, sample in samples:
        absent = [name for name in FIELDS if name not in sample]
        if absent:
            raise TrialDataError(
                f"{file}: row {row} lacks {quoted(absent)}; found {quoted(sample, 30)}",
                allowed=", ".join(FIELDS) + " and a metric",
                remedy="check that the file was written with --log_samples",
            )
    filters = list(dict.fromkeys(str(sample.get("filter", "none")) for _, sample in samples))
    chosen = _chosen(options, "filter", filters, file)
    kept = [(row, sample) for row, sample in samples if str(sample.get("filter", "none")) == chosen]
    refuse_empty(len(kept), file)
    metric = _chosen(options, "metric", _metrics(kept[0][1]), file)
    shared = _from_path(file)
    records = [{**shared, **_trial(sample, metric, file, row)} for row, sample in kept]
    return RawTable(score_frame(records, COLUMNS))


def _metrics(sample: Mapping[str, Any]) -> list[str]:
    named = sample.get("metrics")
    if isinstance(named, list) and named:
        return [str(name) for name in named if name in sample]
    return [name for name, value in sample.items() if name not in NOT_METRICS and isinstance(value, int | float)]


def _chosen(options: Mapping[str, Any], key: str, found: list[str], file: str) -> str:
    """Return the option, or the only thing there is; ConfigError where that leaves a choice."""
    wanted = options.get(key)
    if wanted is None and len(found) == 1:
        return found[0]
    if wanted in found:
        return str(wanted)
    hint = near_match(str(wanted), found) if wanted is not None else ""
    given = f"{wanted!r} is not a {key} of the file" if wanted is not None else f"the file holds {len(found)} of {key}"
    raise ConfigError(
        f"{file}: {given}" + (f"; {hint}" if hint else ""),
        allowed=", ".join(found) or f"a file with a {key}",
        remedy=f"name one with `{key}` in [trials.options]",
    )


def _from_path(file: str) -> dict[str, str | None]:
    pure = PurePosixPath(file)
    match = NAME.match(stem(pure.name))
    return {"judge": pure.parent.name or None, "domain": match["task"] if match else stem(pure.name)}


def _trial(sample: Mapping[str, Any], metric: str, file: str, row: int) -> dict[str, str | None]:
    answer = _first(sample["filtered_resps"])
    raw = _first(sample["resps"])
    out = {
        "item": as_text(sample["doc_id"]),
        "response": as_text(answer) if isinstance(answer, str) else None,  # log-likelihoods of choices are no answer
        "raw_text": as_text(raw) if isinstance(raw, str) else None,
        "target": as_text(sample.get("target")),
        "prompt_hash": as_text(sample.get("prompt_hash")),
    }
    if answer is None or (isinstance(answer, str) and answer.strip() in ("", INVALID)):
        empty = not (raw.strip() if isinstance(raw, str) else raw)
        return {**out, "status": (Status.MISSING if empty else Status.MALFORMED).value, "score": None}
    value = sample.get(metric)
    if isinstance(value, list | dict):
        raise TrialDataError(
            f"{file}: row {row} holds a {type(value).__name__} for the metric {metric!r}",
            allowed="a number a sample",
            remedy="choose another metric with `metric` in [trials.options]",
        )
    if value is None:
        return {**out, "status": Status.MISSING.value, "score": None}
    consistent = as_text(bool(value)) if value in (0, 1) else None
    return {**out, "status": Status.VALID.value, "score": as_text(float(value)), "consistent": consistent}


def _first(responses: object) -> object:
    """Return the first response of a list of lists; the harness nests them by request and repeat."""
    while isinstance(responses, list) and len(responses) == 1:
        responses = responses[0]
    if isinstance(responses, list) and responses and isinstance(responses[0], str):
        return responses[0]
    return responses or None
