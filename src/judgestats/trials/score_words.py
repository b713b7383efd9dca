"""Score words: from the spellings of scores, cues and polarities in a file to those of the trial table."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from judgestats.errors import TrialDataError
from judgestats.trials.columns import TEXT
from judgestats.trials.score_source import ScoreSource
from judgestats.trials.status import Status
from judgestats.trials.table import Notice, Score
from judgestats.trials.variant import BASE_CUE
from judgestats.trials.wording import quoted, row_list
from judgestats.trials.words import named, tidy

COMMA = re.compile(r"[+-]?\d+,\d+$")
FRACTION = re.compile(r"[+-]?\d+(?:\.\d+)?\s*/\s*\d+$")
LEADING = re.compile(r"\W*(\d+)")
"""First whole number of an answer, whatever marks stand before it."""


def spell_scores(frame: pd.DataFrame, file: str, source: ScoreSource) -> tuple[pd.DataFrame, tuple[Notice, ...]]:
    """Return the frame with ``score`` as float64 and ``cue`` and ``polarity`` in the words of the trial table.

    A score that is text is read whole, so ``10`` is never 1. A declared error code empties the score and makes the status
    error, unless the file names another reason for the loss. An empty cue is the word ``base``.

    Raises
    ------
    TrialDataError
        A score that is no number, with its rows and what it looks like.
    """
    out = frame.copy()
    notices: list[Notice] = []
    if "score" in out:
        out["score"] = score_numbers(out["score"], file)
        if source.error_codes:
            notices += _error_codes(out, file, source)
        notices += _first_digit(out, file, source.scale)
    if "cue" in out:
        cue = named(out["cue"])
        out["cue"] = cue.mask(cue.isna() | (cue.str.lower() == BASE_CUE), BASE_CUE)
    if "polarity" in out:
        out["polarity"] = tidy(out["polarity"], lower=True)
    return out, tuple(notices)


def score_numbers(column: pd.Series, file: str) -> pd.Series:
    """Return scores as float64, NaN where there is none; TrialDataError names what is no number."""
    text = tidy(column)
    out = pd.to_numeric(text, errors="coerce").astype("float64")
    bad = text[(out.isna() & text.notna()) | np.isinf(out)]
    if not len(bad):
        return out
    looks = []
    if bad.str.match(COMMA).any():
        looks.append("write a decimal point for a decimal comma")
    if bad.str.match(FRACTION).any():
        looks.append("write 7 for 7/10: the scale is declared in [trials.score]")
    looks.append("empty the score of an answer that held none, and give the status that says so")
    raise TrialDataError(
        f"{file}: column 'score' holds {len(bad)} entries that are not numbers: {quoted(bad.unique())} "
        f"({row_list(bad.index.tolist(), file)})",
        allowed="one number a row, or an empty field where the answer was lost",
        remedy="; ".join(looks) + "; or map the words in [trials.values.score]",
    )


def _error_codes(out: pd.DataFrame, file: str, source: ScoreSource) -> list[Notice]:
    hit = out["score"].isin(source.error_codes)
    if not hit.any():
        return []
    out["score"] = out["score"].mask(hit)
    status = tidy(out["status"], lower=True) if "status" in out else pd.Series(np.nan, index=out.index, dtype=TEXT)
    answered = status.isna() | (status == Status.VALID.value)
    out["status"] = status.mask(hit & answered, Status.ERROR.value)
    codes = " or ".join(f"{code:g}" for code in source.error_codes)
    text = f"{file}: {int(hit.sum())} rows hold the declared error code {codes} for a score: status error, no score"
    return [Notice("error_code", text, int(hit.sum()))]


def _first_digit(out: pd.DataFrame, file: str, scale: Score) -> list[Notice]:
    """Notice answers whose first number begins with the score and goes on: a 10 that was read as 1."""
    if "raw_text" not in out:
        return []
    first = out["raw_text"].astype(TEXT).str.extract("^" + LEADING.pattern, expand=False)
    score = out["score"]
    whole = pd.to_numeric(first.where(first.str.len() <= 15), errors="coerce")
    digits = score.where(score % 1 == 0).map(lambda value: f"{value:.0f}", na_action="ignore")
    longer = [
        isinstance(a, str) and isinstance(b, str) and len(a) > len(b) and a.startswith(b)
        for a, b in zip(first, digits, strict=True)
    ]
    rows = out.index[np.array(longer, dtype=bool) & np.asarray(whole <= scale.highest)]
    if not len(rows):
        return []
    seen = [f"{first[row]} beside the score {score[row]:g}" for row in rows[:3]]
    text = (
        f"{file}: the answers of {len(rows)} rows begin with a longer number than the score ({quoted(seen, 3)}; "
        f"{row_list(rows.tolist(), file)}): whoever wrote the file may have read the first digit only"
    )
    return [Notice("first_digit", text, len(rows))]
