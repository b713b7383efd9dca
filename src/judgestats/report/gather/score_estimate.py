"""Score record to estimate: rounded as every record, with the words of scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from judgestats.draws.record import Record
from judgestats.report.facts import Estimate
from judgestats.report.gather.estimate import estimate
from judgestats.report.labels import visible
from judgestats.report.score_labels import POLARITY_WORDS, aggregate_words, score_estimand_label
from judgestats.trials.variant import Variant


def score_estimate(record: Record) -> Estimate:
    """Return `record` rounded once, labelled by its estimand."""
    label = score_estimand_label(record.estimand)
    if record.estimand in ("contrast", "rank") and record.target:
        label += f" of the {score_estimand_label(record.target)}"
    return replace(estimate(record), label=label)


def variant_of(record: Record) -> Variant:
    """Return the variant that a record is about."""
    return Variant(record.cue or "base", record.polarity or "")


def variant_name(variant: Variant) -> str:
    """Return the printable name of a variant, e.g. ``authority positive``."""
    if variant.is_base:
        return "base"
    if aggregate_words(variant.cue):
        return aggregate_words(variant.cue)
    cue, sign = visible(variant.cue, 60), POLARITY_WORDS.get(variant.polarity, visible(variant.polarity, 20))
    return f"{cue} {sign}" if sign else cue


def pooled(record: Record) -> bool:
    """Whether a record comes from partially pooled cells."""
    return record.setting is not None and "pooled" in record.setting and "unpooled" not in record.setting


def main_of(records: Iterable[Record], *, partial: bool) -> Record | None:
    """Return the record of the main setting among records of one estimand and place.

    Parameters
    ----------
    records : iterable of Record
        Same judge, domain, cue, polarity and estimand.
    partial : bool
        Whether the main analysis pools.
    """
    found = [r for r in records if r.prompt_config is None and r.cue_strength is None]
    marginal = [r for r in found if r.version in (None, "marginal")]
    found = marginal or found
    return next((r for r in found if pooled(r) == partial), None)
