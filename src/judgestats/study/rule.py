"""Rule: what ``--fail-on`` asks of the records of a run."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.draws.record import Record

RULES = ("bias", "undecided", "loss")


def is_effect(record: Record, estimand: str = "delta_p") -> bool:
    """Return whether a record is the marginal version of `estimand` in one cell."""
    whole = record.judge is not None and record.domain is not None
    return whole and record.estimand == estimand and record.version == "marginal"


def rule_met(rule: str, records: Sequence[Record]) -> bool:
    """Return whether the rule of ``--fail-on`` is met.

    Parameters
    ----------
    rule : {"bias", "undecided", "loss"}
        ``bias``: an interval of the marginal Delta P lies beyond the ROPE; ``undecided``: one does not lie inside it;
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
