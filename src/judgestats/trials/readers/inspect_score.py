"""Inspect score: what one score of one sample says about status and verdict.

Sources, in the order in which they decide: an error of the sample; the score's reason; why the output stopped; the
score's value. Vocabulary of Inspect AI (https://inspect.aisi.org.uk).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgestats.trials.status import Status

REASONS: dict[str, Status] = {
    "refusal": Status.REFUSAL,
    "invalid_response_format": Status.MALFORMED,
    "no_response": Status.MISSING,
    "grader_failed": Status.ERROR,
    "scoring_failed": Status.ERROR,
}
STOPS: dict[str, Status] = {
    "content_filter": Status.FILTERED,
    "max_tokens": Status.TRUNCATED,
    "model_length": Status.TRUNCATED,
}
REFINED_BY_STOP = ("invalid_response_format", "no_response")
"""Reasons that say that something is lacking; why the output stopped, where known, says what happened."""

VALUES: dict[str, str] = {"c": "true", "i": "false", "true": "true", "false": "false", "1": "true", "0": "false"}


@dataclass(frozen=True)
class ScoreWords:
    """Which score values count as consistent and as inconsistent.

    Parameters
    ----------
    consistent, inconsistent : tuple of str
        Declared values, compared in lower case; Inspect's own C, I, true, false, 1 and 0 are always known.
    token_limit_is_loss : bool
        Whether an answer that stopped at the token limit is lost although its score decides; False for judges that are
        asked for one token only.
    """

    consistent: tuple[str, ...] = ()
    inconsistent: tuple[str, ...] = ()
    token_limit_is_loss: bool = True

    def verdict(self, value: object) -> str | None:
        """Return ``true`` or ``false``, or None when the value does not decide."""
        word = value_text(value)
        if word is None:
            return None
        folded = word.strip().lower()
        if folded in {entry.lower() for entry in self.consistent}:
            return "true"
        if folded in {entry.lower() for entry in self.inconsistent}:
            return "false"
        return VALUES.get(folded)


@dataclass(frozen=True)
class Decision:
    """Status and verdict of one score.

    Parameters
    ----------
    status : str or None
        A status; None when only a coding rule can say.
    consistent : str or None
        ``true`` or ``false`` where the status is valid.
    undecided : bool
        Whether the score has a value that no declared word covers.
    """

    status: str | None
    consistent: str | None = None
    undecided: bool = False


def value_text(value: object) -> str | None:
    """Return a score value as text; None for none and NaN. Whole numbers lose their decimal point."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def decide(
    score: Mapping[str, Any], value: object, error: bool, stop: str, text: str, words: ScoreWords, by_value: bool
) -> Decision:
    """Return what a score says.

    Parameters
    ----------
    score : dict
        The score as logged; empty when the sample has none.
    value : object
        Its value, or one entry of it.
    error : bool
        Whether the sample ended in an error.
    stop : str
        Why the output stopped.
    text : str
        What the judge wrote.
    words : ScoreWords
        The declared values.
    by_value : bool
        Whether the value decides; False when a coding rule of the analysis does.

    Returns
    -------
    Decision
        An answer whose value is not declared (P, N, other numbers, free text) is malformed, its text is kept; without
        a value and without text it is missing.
    """
    kept = not words.token_limit_is_loss and STOPS.get(stop) is Status.TRUNCATED and words.verdict(value) is not None
    event = _event(score, error, "" if kept else stop)
    if event is not None:
        return Decision(event.value)
    if not by_value:
        return Decision(None)
    verdict = words.verdict(value)
    if verdict is not None:
        return Decision(Status.VALID.value, verdict)
    if not text.strip() and value_text(value) in (None, "", "N"):
        return Decision(Status.MISSING.value)
    return Decision(Status.MALFORMED.value, undecided=value_text(value) is not None)


def _event(score: Mapping[str, Any], error: bool, stop: str) -> Status | None:
    """Return the status that an event decides, whatever the value is."""
    if error:
        return Status.ERROR
    reason = str(score.get("reason") or "")
    if reason in REASONS and not (reason in REFINED_BY_STOP and stop in STOPS):
        return REASONS[reason]
    return STOPS.get(stop)


def unknown_reason(score: Mapping[str, Any]) -> str:
    """Return the score's reason when it is none of the known ones, else an empty string."""
    reason = str(score.get("reason") or "")
    return "" if reason in REASONS else reason
