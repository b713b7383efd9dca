"""Inspect sample: the trials of one sample, one a score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from judgestats.trials.readers.inspect_archive import not_a_log
from judgestats.trials.readers.inspect_score import ScoreWords, decide, unknown_reason, value_text
from judgestats.trials.readers.json_lines import as_text
from judgestats.trials.status import Status

BASE_COLUMNS: tuple[str, ...] = (
    "model",
    "task",
    "id",
    "epoch",
    "scorer",
    "score_key",
    "status",
    "consistent",
    "value",
    "answer",
    "explanation",
    "reason",
    "stop_reason",
    "error",
    "completion",
    "target",
    "input",
    "prompt_tokens",
    "completion_tokens",
    "latency_s",
)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def trials(
    sample: object,
    head: Mapping[str, Any],
    words: ScoreWords,
    by_value: bool,
    file: str,
    number: int,
    seen: Counter[str],
) -> Iterator[dict[str, str | None]]:
    """Yield one row a score of the sample, or one row without a scorer when it has none."""
    if not isinstance(sample, Mapping) or "id" not in sample:
        raise not_a_log(file, f"sample {number} has no id")
    base, stop, text = _sample_columns(sample, head)
    error = base["error"] is not None
    scores = _mapping(sample.get("scores")) or ({"score": sample["score"]} if sample.get("score") else {})
    if not scores:
        decision = decide({}, None, error, stop, text, words, by_value)
        status = decision.status
        if status is None and not text.strip():
            status = Status.MISSING.value
        elif status == Status.MALFORMED.value and sample.get("limit"):
            status = Status.TRUNCATED.value  # the sample ran into a limit before it could be scored
        seen["unscored"] += not error
        yield {**base, "status": status}
        return
    for scorer, logged in scores.items():
        score = _mapping(logged)
        value = score.get("value")
        parts = list(value.items()) if isinstance(value, Mapping) else [(None, value)]
        if reason := unknown_reason(score):
            seen[f"reason {reason}"] += len(parts)
        for key, part in parts:
            decision = decide(score, part, error, stop, text, words, by_value)
            yield {
                **base,
                "scorer": str(scorer),
                "score_key": None if key is None else str(key),
                "status": decision.status,
                "consistent": decision.consistent,
                "value": value_text(part) if not isinstance(part, list | dict) else as_text(part),
                "answer": as_text(score.get("answer")),
                "explanation": as_text(score.get("explanation")),
                "reason": as_text(score.get("reason")),
                "undecided": "1" if decision.undecided else None,
            }


def _sample_columns(sample: Mapping[str, Any], head: Mapping[str, Any]) -> tuple[dict[str, str | None], str, str]:
    """Return the columns that all scores of a sample share, why its output stopped, and what was written."""
    output = _mapping(sample.get("output"))
    evaluation = _mapping(head.get("eval"))
    choices = output.get("choices")
    first = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    stop = str(output.get("stop_reason") or first.get("stop_reason") or "")
    text = output.get("completion")
    text = text if isinstance(text, str) else as_text(_mapping(first.get("message")).get("content")) or ""
    error = sample.get("error")
    message = _mapping(error).get("message", error)
    usage = _mapping(output.get("usage"))
    base = {
        "model": as_text(evaluation.get("model")),
        "task": as_text(evaluation.get("task")),
        "id": as_text(sample["id"]),
        "epoch": as_text(sample.get("epoch", 1)),
        "stop_reason": stop or None,
        "error": (as_text(message) or "error") if error else None,
        "completion": text or None,
        "target": as_text(sample.get("target")),
        "input": as_text(sample.get("input")),
        "prompt_tokens": as_text(usage.get("input_tokens")),
        "completion_tokens": as_text(usage.get("output_tokens")),
        "latency_s": as_text(output.get("time")),
    }
    base.update({f"metadata.{key}": as_text(value) for key, value in _mapping(sample.get("metadata")).items()})
    return base, stop, text
