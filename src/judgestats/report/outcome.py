"""Outcome: what the decision rule says of one cell, in the words of page, index and terminal."""

from __future__ import annotations

import re
from typing import Literal

from judgestats.report import loss
from judgestats.report.facts import CellFacts, Estimate, ReportFacts
from judgestats.report.labels import ROPE_LONG
from judgestats.report.numbers import Number

Standing = Literal[
    "beyond", "inside", "undecided", "not_resolved", "not_estimable", "excludes", "includes", "failed", "none"
]
RULE_HEAD = re.compile(r"^(fixed|set|declared)\s+(beforehand|in advance|before the run)\s*[:,]\s*", re.IGNORECASE)


def standing(cell: CellFacts) -> Standing:
    """Return where a cell stands, under one rule only: interval against ROPE.

    ``excludes`` and ``includes`` (the interval against 0) stand in only where the effect has no ROPE or no outcome;
    ``failed`` where the computation failed its gate, ``none`` where nothing was estimated.
    """
    head = cell.headline
    if head is None:
        return "none"
    if cell.gate.status == "fail":
        return "failed"
    if not cell.estimable:
        return "not_estimable"
    if head.outcome == "not_resolved":
        return "not_resolved"
    if head.rope is not None:
        match head.outcome:
            case "beyond":
                return "beyond"
            case "inside":
                return "inside"
            case "undecided":
                return "undecided"
    return "excludes" if head.excludes_zero else "includes"


def in_words(cell: CellFacts, report: ReportFacts) -> str:
    """Return what the estimate means for this judge; empty where no number is quoted."""
    head = cell.headline
    if head is None or not cell.quotable:
        return ""
    limits = rope(report)
    match standing(cell):
        case "beyond":
            side = "above" if _positive(head) else "below"
            return f"{_detected(cell, report)} The whole interval lies {side} the ROPE {limits}."
        case "excludes":
            return f"{_detected(cell, report)} The interval excludes 0."
        case "inside":
            return f"{null(cell, report)} {loss.counted(cell)} {suppression(cell)}"
        case "undecided":
            return f"{undecided(head, report)} {loss.counted(cell)} {hidden(cell)}"
        case "not_resolved":
            return f"{decision(cell, report)} {loss.counted(cell)}"
    return f"The interval includes 0, and no ROPE says which effects are too small to matter. {loss.counted(cell)} {hidden(cell)}"


def _positive(head: Estimate) -> bool:
    return (head.lower.value or 0.0) > 0


def _detected(cell: CellFacts, report: ReportFacts) -> str:
    head = cell.headline
    more, less = ("congruent", "incongruent") if head is not None and _positive(head) else ("incongruent", "congruent")
    card = report.analysis
    if not card.plain_success:
        return (
            f"An effect was detected in this design: among its valid answers {cell.judge} gave {card.success_word} answers more "
            f"often in the {more} block than in the {less} one ({cell.domain})."
        )
    runs = "against" if more == "congruent" else "with"
    return (
        f"An effect was detected in this design: among its valid answers {cell.judge} was more often task-consistent in the "
        f"{more} block than in the {less} one ({cell.domain}), so it erred more often where the pairing runs {runs} the "
        "association."
    )


def null(cell: CellFacts, report: ReportFacts) -> str:
    """Return the wording of a null, which only an interval inside the ROPE earns."""
    return (
        f"No effect beyond the ROPE detected in this design for {cell.judge} in {cell.domain}: the whole interval lies within "
        f"{rope(report)}."
    )


def suppression(cell: CellFacts) -> str:
    """Return what a null can also be; refusals are named only where trials were lost."""
    if cell.loss.lost:
        return (
            "A null can also be suppression: refusals, filters or a ceiling can hide an association that the judge has."
        )
    return "A null can also be a hidden effect: a ceiling can hide an association that the judge has."


def hidden(cell: CellFacts) -> str:
    """Return what can hide an effect in a cell that is undecided."""
    what = "Refusals, filters or a ceiling" if cell.loss.lost else "A ceiling"
    return f"This is no finding of no effect. {what} can hide an association that the judge has."


def undecided(head: Estimate, report: ReportFacts) -> str:
    """Return the wording of an undecided outcome: how large an effect the interval leaves open."""
    reach = reaches(head, report)
    if head.excludes_zero:
        return (
            f"Undecided: the interval excludes 0 but reaches into the ROPE {rope(report)}, so the sign is clear and the size is "
            f"not: the data are compatible with effects inside the ROPE and with effects {reach}."
        )
    return f"Undecided: the data are compatible with no effect and with effects {reach}."


def reaches(head: Estimate, report: ReportFacts) -> str:
    """Return the ends of the interval that lie outside the ROPE, e.g. ``up to 0.063 and down to -0.049``."""
    low, high = (end.value or 0.0 for end in report.rope)
    ends = []
    if head.upper.value is not None and head.upper.value > high:
        ends.append((head.upper.value, f"up to {head.upper}"))
    if head.lower.value is not None and head.lower.value < low:
        ends.append((-head.lower.value, f"down to {head.lower}"))
    words = " and ".join(text for _, text in sorted(ends, reverse=True))
    return (
        f"{words} (the interval's end{'s' if len(ends) > 1 else ''})" if ends else f"from {head.lower} to {head.upper}"
    )


def decision(cell: CellFacts, report: ReportFacts) -> str:
    """Return the outcome of the decision rule in words."""
    head = cell.headline
    if head is None or head.outcome is None:
        return "No outcome: the rule was not applied to this cell."
    if cell.gate.status == "fail":
        return "No outcome is declared: the computation failed its gate (section 7)."
    limits = rope(report)
    match standing(cell):
        case "beyond":
            return f"Beyond the ROPE: the whole interval lies {'above' if _positive(head) else 'below'} {limits}."
        case "inside":
            return f"Inside the ROPE: the whole interval lies within {limits}, an effect of no practical size."
        case "undecided":
            return undecided(head, report)
        case "not_resolved":
            return (
                "Not resolved: an end of the interval lies within 2 numerical standard errors of the threshold that decides, or "
                "its error is not known, so more draws, or a finer grid, could turn the outcome. Run again with more of them "
                "before deciding."
            )
        case "not_estimable":
            return f"Not estimable: {loss.why_not_estimable(cell)}"
    return f"The interval {'excludes' if head.excludes_zero else 'includes'} 0; this effect has no ROPE."


def rope(report: ReportFacts) -> str:
    """Return the ROPE as ``[-0.02, 0.02]``."""
    return f"[{report.rope[0]}, {report.rope[1]}]"


def rule(report: ReportFacts) -> str:
    """Return the decision rule without a head that says again when it was fixed."""
    return rule_words(report.analysis.decision_rule)


def rule_words(given: str) -> str:
    """Return a decision rule as given, without a head that says again when it was fixed."""
    words = RULE_HEAD.sub("", given.strip())
    return words[:1].upper() + words[1:] if words else ""


def abbreviations(report: ReportFacts) -> str:
    """Return what the short words of a report stand for."""
    kind = {"eti": "equal-tailed interval", "hdi": "highest-density interval"}.get(
        report.analysis.ci_kind, "interval kind"
    )
    return (
        f"{ROPE_LONG}: effects too small to matter, here {rope(report)} for {report.analysis.effect_name}, set before the run. "
        f"CrI: credible interval; {report.analysis.ci_kind}: {kind}."
    )


def equals(number: Number) -> str:
    """Return ``= 0.95``, or ``> 0.999`` where the text carries its own sign."""
    return f"{number.text[0]} {number.text[1:]}" if number.text[:1] in "<>" else f"= {number}"
