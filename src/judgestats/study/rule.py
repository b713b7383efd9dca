"""Rule: what ``--fail-on`` asks of the records of a run."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.draws.record import Record

RULES = ("bias", "undecided", "loss")


EFFECTS = ("delta_p", "score_shift")
"""Headline estimands; a run has one of them."""


def is_effect(record: Record, *estimands: str) -> bool:
    """Return whether a record is the marginal version, in one cell, of one of `estimands`; of a headline one by default."""
    whole = record.judge is not None and record.domain is not None
    return whole and record.estimand in (estimands or EFFECTS) and record.version == "marginal"


def rule_met(rule: str, records: Sequence[Record]) -> bool:
    """Return whether the rule of ``--fail-on`` is met.

    Parameters
    ----------
    rule : {"bias", "undecided", "loss"}
        ``bias``: an interval of the marginal effect lies beyond the ROPE; ``undecided``: one does not lie inside it;
        ``loss``: the interval of a validity difference leaves zero out.
    records : sequence of Record
        Records of the run.
    """
    effects = [r for r in records if is_effect(r)]
    if rule == "bias":
        return any(r.outcome == "beyond" for r in effects)
    if rule == "undecided":
        return any(r.outcome != "inside" for r in effects)
    losses = [r for r in records if is_effect(r, "validity_difference")]
    return any(r.lower is not None and r.upper is not None and (r.lower > 0 or r.upper < 0) for r in losses)
