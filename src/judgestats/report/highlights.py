"""Highlights: the sentences at the top of the index."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.report import loss, outcome, sentences
from judgestats.report.facts import BlockLoss, CellFacts, ReportFacts
from judgestats.report.numbers import count


def stands_out(report: ReportFacts) -> tuple[str, ...]:
    """Return the sentences at the top of the index: who lost trials, who shows an effect, what cannot be said."""
    return (*loss_highlights(report), *effect_highlights(report))


def loss_highlights(report: ReportFacts) -> tuple[str, ...]:
    """Return who lost trials, whether the loss depends on the block, and what it could hide."""
    out = [
        f"Loss depends on the block: {c.judge}, {c.domain}. {loss.in_short(c)}"
        for c in report.cells
        if c.loss.dependence == "depends"
    ]
    rest = [c for c in report.cells if c.loss.lost and c.loss.dependence not in ("depends", "one_block")]
    if rest:
        shares = ", ".join(f"{c.judge} in {c.domain} ({c.loss.loss})" for c in rest)
        out.append(f"Loss without a clear dependence on the block: {shares}.")
    apart = [(c, none) for c in report.cells if (none := c.loss.block("none")) is not None and none.asked]
    if not any(c.loss.lost for c in report.cells):
        where = " in a block" if apart else ""
        out.append(f"Loss: none; every answer{where} of every judge was valid.")
    if apart:
        which = ", ".join(f"{c.judge} in {c.domain} ({count(none.asked)}{_lost_of(none)})" for c, none in apart)
        out.append(f"Trials without a block, which enter neither stage: {which}.")
    out += [
        f"One block only: {c.judge}, {c.domain}. {loss.counted(c) + ' ' if c.loss.lost else ''}{loss.dependence(c)}"
        for c in report.cells
        if c.loss.unasked
    ]
    return tuple(out)


def _lost_of(block: BlockLoss) -> str:
    return f", {count(block.lost)} of them lost" if block.lost else ""


def effect_highlights(report: ReportFacts) -> tuple[str, ...]:
    """Return the outcomes, one bullet each; every cell once."""
    name, limits = report.analysis.effect_name, outcome.rope(report)
    by: dict[str, list[CellFacts]] = {}
    for c in report.cells:
        by.setdefault(outcome.standing(c), []).append(c)
    out = []
    for key, said in (
        ("beyond", f"Beyond the ROPE (the whole interval of {name} lies outside {limits})"),
        ("excludes", f"Interval excludes 0 ({name}; no ROPE)"),
        ("inside", f"Inside the ROPE: no effect beyond {limits} detected in this design"),
        (
            "undecided",
            "Undecided: compatible with no effect, or one too small to matter, and with effects beyond the ROPE",
        ),
        ("includes", f"Interval includes 0 ({name}; no ROPE)"),
        ("not_resolved", "Not resolved: more draws, or a finer grid, could turn the outcome"),
    ):
        if by.get(key):
            out.append(f"{said}. {_listed(by[key])}.{_tail(key, by[key])}")
    out += [f"{c.judge}, {c.domain}: {_first_small(sentences.no_answer(c))}" for c in by.get("not_estimable", ())]
    out += [
        f"Not quoted: {c.judge}, {c.domain}. {sentences.no_answer(c)}"
        for k in ("failed", "none")
        for c in by.get(k, ())
    ]
    return tuple(out)


def _listed(cells: Sequence[CellFacts]) -> str:
    parts = []
    for c in cells:
        head = c.headline
        if head is None:
            continue
        sign = "; excludes 0" if head.excludes_zero and outcome.standing(c) == "undecided" else ""
        parts.append(f"{c.judge} in {c.domain} ({head.mean} [{head.lower}, {head.upper}]{sign})")
    return "; ".join(parts)


def _tail(key: str, cells: Sequence[CellFacts]) -> str:
    if key == "undecided":
        return " This is no finding of no effect."
    if key not in ("inside", "includes"):
        return ""
    if any(c.loss.lost for c in cells):
        return " A null can also be suppression, so read it beside the loss."
    return " A ceiling can hide an effect."


def _first_small(text: str) -> str:
    return text[:1].lower() + text[1:]
