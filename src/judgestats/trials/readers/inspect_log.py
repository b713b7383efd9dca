"""Inspect log: one trial a sample, epoch and score, from ``.eval`` archives and ``.json`` logs.

Reads the log with its own unzip-and-JSON code, so Inspect AI need not be installed. Samples are read one at a time and
their events and messages are dropped at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judgestats.errors import TrialDataError, near_match
from judgestats.trials.columns import DESIGN, IDENTITY
from judgestats.trials.readers.inspect_archive import open_log
from judgestats.trials.readers.inspect_sample import BASE_COLUMNS, trials
from judgestats.trials.readers.inspect_score import REASONS, ScoreWords
from judgestats.trials.readers.options import flag, text_list
from judgestats.trials.readers.raw import RawTable, refuse_empty, text_frame
from judgestats.trials.status import Status
from judgestats.trials.table import Notice
from judgestats.trials.wording import quoted

INSPECT_OPTIONS: tuple[str, ...] = ("scorer", "consistent", "inconsistent", "token_limit_is_loss")
DEFAULTS: dict[str, str] = {
    "judge": "model",
    "domain": "task",
    "item": "id",
    "repeat": "epoch",
    "response": "value",
    "raw_text": "completion",
}
ADOPTED = tuple(dict.fromkeys((*IDENTITY, *DESIGN)))
"""Metadata keys that bear a name of the trial table become that column unless the analysis says otherwise."""


def read_inspect(
    path: Path, file: str, limit: int, options: Mapping[str, Any] | None = None, by_value: bool = True
) -> RawTable:
    """Read an Inspect log.

    Parameters
    ----------
    path, file : Path, str
        The log and its name in messages.
    limit : int
        Most uncompressed bytes of all samples.
    options : dict
        ``scorer``: the one scorer to read; ``consistent`` and ``inconsistent``: score values that decide, beside C, I,
        true, false, 1 and 0; ``token_limit_is_loss``: false keeps scored answers that stopped at the token limit.
    by_value : bool
        Whether the score's value decides; False when a coding rule of the analysis does.

    Returns
    -------
    RawTable
        Columns `BASE_COLUMNS` and ``metadata.<key>``; its defaults make judge the model, domain the task, item the
        sample id, repeat the epoch.

    Raises
    ------
    TrialDataError
        A broken log, no sample, no score at all, an unknown scorer, or values that no declared word covers at all.
    """
    options = options or {}
    words = _words(options)
    head, samples = open_log(path, file, limit)
    rows: list[dict[str, str | None]] = []
    seen: Counter[str] = Counter()
    n_samples = 0
    for sample in samples:
        n_samples += 1
        rows += trials(sample, head, words, by_value, file, n_samples, seen)
    refuse_empty(n_samples, file)
    rows = _per_scorer(rows, str(options.get("scorer", "")), file, by_value)
    notices = _notices(rows, head, n_samples, seen, file, by_value)
    names = [*BASE_COLUMNS, *sorted({key for row in rows for key in row if key.startswith("metadata.")})]
    adopted = {name: f"metadata.{name}" for name in ADOPTED if f"metadata.{name}" in names}
    frame = text_frame(rows, names)
    if not by_value:
        frame = frame.drop(columns=["consistent"])
    return RawTable(frame, {**DEFAULTS, **adopted}, notices)


def _words(options: Mapping[str, Any]) -> ScoreWords:
    return ScoreWords(
        text_list(options, "consistent", ()),
        text_list(options, "inconsistent", ()),
        flag(options, "token_limit_is_loss", True),
    )


def _per_scorer(
    rows: list[dict[str, str | None]], wanted: str, file: str, by_value: bool
) -> list[dict[str, str | None]]:
    """Return the rows of the wanted scorer; a sample that no scorer saw is a trial of every scorer."""
    scorers = sorted({str(row["scorer"]) for row in rows if row.get("scorer")})
    if by_value and not scorers and not any(row["status"] == Status.ERROR.value for row in rows):
        raise TrialDataError(
            f"{file}: no sample of the log has a score",
            allowed="a log whose task has a scorer",
            remedy="score it with `inspect score`, or map `response` to the answer and declare [trials.coding]",
        )
    if wanted and scorers and wanted not in scorers:
        hint = near_match(wanted, scorers)
        raise TrialDataError(
            f"{file}: no score is by the scorer {wanted!r}" + (f"; {hint}" if hint else ""),
            allowed=", ".join(scorers),
            remedy="correct `scorer` in [trials.options]",
        )
    kept = [wanted] if wanted else scorers
    out: list[dict[str, str | None]] = []
    for row in rows:
        if row.get("scorer"):
            out += [row] if row["scorer"] in kept else []
        else:
            out += [{**row, "scorer": scorer} for scorer in kept] or [row]
    return out


def _notices(
    rows: list[dict[str, str | None]],
    head: Mapping[str, Any],
    n_samples: int,
    seen: Counter[str],
    file: str,
    by_value: bool,
) -> tuple[Notice, ...]:
    out: list[Notice] = []
    undecided = Counter(str(row["value"]) for row in rows if row.get("undecided"))
    if undecided and by_value:
        shown = quoted([f"{word}: {count}" for word, count in undecided.most_common()])
        total = sum(undecided.values())
        if not any(row["status"] == Status.VALID.value for row in rows):
            raise TrialDataError(
                f"{file}: no score value is a verdict; found {shown}",
                allowed="C, I, true, false, 1, 0, or what [trials.options] declares as consistent and inconsistent",
                remedy="declare the values, or map `response` and declare [trials.coding]",
            )
        text = (
            f"{file}: {total} scores have a value that no declared word covers ({shown}): malformed, the text is kept"
        )
        out.append(Notice("undecided", text, total))
    scorers = sorted({str(row["scorer"]) for row in rows if row.get("scorer")})
    if len(scorers) > 1:
        text = f"{file}: {len(scorers)} scorers ({quoted(scorers)}); each score is a trial: choose one with `scorer`"
        out.append(Notice("scorers", text, len(scorers)))
    status = str(head.get("status", "success"))
    if status != "success":
        out.append(Notice("log_status", f"{file}: the log's status is {status!r}; {n_samples} samples are in it", 1))
    if seen["unscored"]:
        text = f"{file}: {seen['unscored']} samples have no score; each is malformed, truncated or missing, as it shows"
        out.append(Notice("unscored", text, seen["unscored"]))
    for name, count in sorted(seen.items()):
        if name.startswith("reason "):
            text = f"{file}: {count} scores have the unknown reason {name[7:]!r} (known: {', '.join(REASONS)})"
            out.append(Notice("unknown_reason", text, count))
    truncated = [row for row in rows if row["status"] == Status.TRUNCATED.value and row.get("value") is not None]
    if truncated:
        text = f"{file}: {len(truncated)} scored answers were cut off by the token limit; they count as truncated"
        out.append(Notice("truncated", text, len(truncated)))
    return tuple(out)
