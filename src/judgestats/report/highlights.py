"""Highlights: the sentences at the top of the index."""

from __future__ import annotations

from judgestats.report import sentences
from judgestats.report.facts import ReportFacts
from judgestats.report.labels import OUTCOME_WORDS


def stands_out(report: ReportFacts) -> tuple[str, ...]:
    """Return the sentences at the top of the index: who lost trials, who shows an effect, what cannot be said."""
    return (*loss_highlights(report), *effect_highlights(report))


def loss_highlights(report: ReportFacts) -> tuple[str, ...]:
    """Return who lost trials, and whether the loss depends on the block."""
    lost = [c for c in report.cells if c.loss.lost]
    if not lost:
        return ("Loss: none; every answer of every judge was valid.",)
    out = [
        f"Loss depends on the block: {c.judge}, {c.domain}. {sentences.loss(c)}"
        for c in lost
        if c.loss.dependence == "depends"
    ]
    rest = [c for c in lost if c.loss.dependence != "depends"]
    if rest:
        shares = ", ".join(f"{c.judge} in {c.domain} ({c.loss.loss})" for c in rest)
        out.append(f"Loss without a clear dependence on the block: {shares}.")
    return tuple(out)


def effect_highlights(report: ReportFacts) -> tuple[str, ...]:
    """Return who shows an effect, who does not, and what is not quoted; every cell once."""
    name = report.analysis.effect_name
    detected = [c for c in report.cells if c.quotable and c.headline is not None and c.headline.excludes_zero]
    out = []
    for c in detected:
        if c.headline is not None:
            word = OUTCOME_WORDS.get(c.headline.outcome or "", "")
            tail = f"; {word}" if word else ""
            out.append(
                f"Effect detected: {c.judge}, {c.domain}. {name} = {sentences.value_and_interval(c.headline)}{tail}."
            )
    quiet = [c for c in report.cells if c.quotable and c not in detected]
    if quiet:
        names = ", ".join(f"{c.judge} in {c.domain}" for c in quiet)
        out.append(
            f"No effect detected in this design: {names}. A null can also be a suppressed effect, so read it beside the loss."
        )
    out += [f"Not quoted: {c.judge}, {c.domain}. {sentences.no_answer(c)}" for c in report.cells if not c.quotable]
    return tuple(out)
