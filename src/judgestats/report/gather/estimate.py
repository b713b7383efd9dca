"""Record to estimate: the one place where a reported quantity is rounded."""

from __future__ import annotations

from judgestats.draws.record import Record
from judgestats.report.facts import Estimate
from judgestats.report.labels import estimand_label, outcome_key, visible
from judgestats.report.numbers import (
    as_given,
    count,
    credible_interval,
    decimals,
    fixed,
    interval_end,
    probability,
    significant,
)


def estimate(record: Record, success: str = "consistent") -> Estimate:
    """Return `record` rounded: one number of decimals for the whole row, from its sd and MCSE.

    Parameters
    ----------
    record : Record
        The record.
    success : str
        What a success of the consistency stage is called (see `AnalysisCard.success_word`).
    """
    places = decimals(_spread(record), record.mcse)
    if record.scale == "rank":
        places = min(places, 1)
    lower, upper = (interval_end(value, places, record.mcse) for value in (record.lower, record.upper))
    ends = None if record.rope is None else (as_given(record.rope[0]), as_given(record.rope[1]))
    return Estimate(
        judge=record.judge or "",
        domain=record.domain or "",
        estimand=record.estimand,
        version=record.version,
        block=record.block,
        stage=record.stage,
        scale=record.scale,
        setting=record.setting,
        reference=None if record.reference is None else visible(record.reference),
        target=record.target,
        factor=record.cue,
        label=_label(record, success),
        median=fixed(record.median, places),
        mean=fixed(record.mean, places),
        sd=fixed(record.sd, places),
        lower=lower,
        upper=upper,
        interval=credible_interval(lower, upper, record.ci_prob, record.ci_kind),
        ci_prob=record.ci_prob,
        p_gt_0=probability(record.p_gt_0),
        p_rope=probability(record.p_rope),
        p_rope_prior=probability(record.p_rope_prior),
        rope=ends,
        rhat=fixed(record.rhat, 3),
        ess_bulk=count(record.ess_bulk),
        ess_tail=count(record.ess_tail),
        mcse=significant(record.mcse, 1),
        n_asked=count(record.n_asked),
        n_valid=count(record.n_valid),
        planted=as_given(record.planted),
        outcome=outcome_key(record.outcome),
        gate=record.gate,
        engine=record.engine,
    )


def _spread(record: Record) -> float | None:
    """Return the posterior sd, or the shorter arm of the interval where a long tail blows the sd up (ratios)."""
    arms = [record.sd] if record.sd is not None else []
    if record.scale == "ratio" and None not in (record.lower, record.median, record.upper):
        arms.append((record.median or 0.0) - (record.lower or 0.0))
    positive = [arm for arm in arms if arm > 0]
    return min(positive) if positive else record.sd


def _label(record: Record, success: str) -> str:
    """Return what a record is about, without its version and without what stands in columns of their own."""
    words = estimand_label(record.estimand, success)
    if record.estimand == "contrast":
        first = record.domain if record.cue == "domain" else record.judge
        of = estimand_label(record.target, success) if record.target else words
        return f"{of}: {visible(first or '')} minus {visible(record.reference or 'reference')}"
    if record.estimand == "rank":
        return f"{words} by {estimand_label(record.target or 'delta_p', success)}"
    if record.estimand == "valid_and_consistent" and record.block is None:
        words += ", congruent minus incongruent"
    parts = [words, record.block or ""]
    if record.domain is None and record.target:
        parts.append(visible(record.target))
    return ", ".join(part for part in parts if part)
