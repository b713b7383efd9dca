"""Score words: what was lost and what moved, in sentences that claim no more than the facts."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.report.facts import Estimate
from judgestats.report.labels import ROPE_LONG, STATUS_WORDS
from judgestats.report.numbers import count, percent
from judgestats.report.outcome import equals
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts, VariantFacts

FEW_ITEMS = 100
INFORMATION = (
    "A cue can be information under some rubrics: a rubric that asks for what reviewers think makes their votes evidence. An "
    "effect is a bias only where the rubric makes the cue irrelevant and people who rate the same answers would not shift."
)
SUPPRESSION = (
    "A null can also be suppression: an answer that was refused, filtered or cut off has no score that could move."
)


def legend(report: ScoreReportFacts) -> tuple[str, ...]:
    """Return what the numbers mean, words first."""
    scale = report.scale
    share = f"{100 / scale.width:.1f}".rstrip("0").rstrip(".")
    return (
        f"Score shift: how many points the mean score of a judge changes when a cue is added to an answer that is otherwise the "
        f"same. Scores run from {report.range_words}; a shift of 1 point is one point on this scale, {share} % of its range. "
        "Positive: the judge scores higher with the cue.",
        "Positive and negative: the two polarities of a cue (praise or blame, experts for or against). Base: the same answer "
        "without a cue.",
        f"{ROPE_LONG}: shifts too small to matter, here {report.rope_words}, set before the run. CrI: credible interval.",
        "Spread shift: change of the standard deviation of the scores. d: the shift in standard deviations of the scores. "
        "W1 (Wasserstein-1): how far the whole distribution of scores moved, whatever the direction, in points; it cannot be "
        "negative. P(falls by 1), P(falls by 2): share of answers that lose 1 or 2 points or more. Asymmetry: shift under the "
        "positive plus shift under the negative polarity, 0 when both pull equally hard.",
    )


def counted(cell: ScoreCellFacts) -> str:
    """Return the loss of a cell in one sentence."""
    if not cell.asked:
        return "No trials were counted."
    if not cell.lost:
        return f"No trial was lost: all {count(cell.asked)} were answered validly."
    by: dict[str, int] = {}
    for v in cell.variants:
        for status, n in v.lost_to.items():
            by[status] = by.get(status, 0) + n
    what = ", ".join(f"{count(n)} {STATUS_WORDS.get(s, s)}" for s, n in by.items())
    base = cell.base
    beside = "" if base is None else f" The base lost {base.lost} of {count(base.asked)} ({base.loss})."
    return f"Lost trials: {count(cell.lost)} of {count(cell.asked)} ({percent(cell.lost, cell.asked)}): {what}.{beside}"


def dependence(cell: ScoreCellFacts) -> str:
    """Return whether the loss depends on the variant."""
    if not cell.lost:
        return "Nothing was lost, so the data show no dependence of the loss on a cue."
    unequal = cell.unequal
    if not unequal:
        return (
            "No variant's difference in P(valid) to the base excludes 0. That is no proof that the loss is the same: see the "
            "intervals."
        )
    parts = []
    for v in unequal:
        e = v.effects["validity_difference"]
        parts.append(f"{v.name} (lost {v.loss}; difference in P(valid) {bracket(e)})")
    return (
        f"The loss depends on the cue: {'; '.join(parts)}. The scores that remain under these cues are a selected set, so read "
        "the worst-case bounds beside the shift; losing more answers under a cue is unequal treatment in itself."
    )


def how_sure(e: Estimate) -> str:
    """Return the probability of the direction of a shift."""
    if e.p_gt_0.value is None:
        return ""
    if (e.median.value or 0.0) >= 0:
        return f"P(shift > 0) {equals(e.p_gt_0)}"
    below = 1 - e.p_gt_0.value
    text = "> 0.999" if below > 0.999 else "< 0.001" if below < 0.001 else f"= {below:.3f}"
    return f"P(shift < 0) {text}"


def bracket(e: Estimate) -> str:
    """Return median and interval, e.g. ``0.41 [0.27, 0.55]``; a line may break before the interval, not inside it."""
    return f"{e.median} [{e.lower},\u00a0{e.upper}]"


def said(v: VariantFacts) -> str:
    """Return a variant with direction, size, interval and certainty."""
    e = v.shift
    if e is None:
        return v.name
    way = "up" if v.up else "down"
    sure = how_sure(e)
    return f"{v.name}: {way} by {str(e.median).lstrip('-')} points, {e.interval}{', ' + sure if sure else ''}"


def short(v: VariantFacts) -> str:
    """Return a variant with its shift and loss."""
    return f"{v.name} ({'' if v.shift is None else bracket(v.shift) + '; '}lost {v.loss})"


def headline(cell: ScoreCellFacts, report: ScoreReportFacts) -> str:
    """Return the answer in one line."""
    found = {"beyond", "excludes"}
    moved = sorted((v for v in cell.cues if v.standing in found), key=lambda v: -abs(_size(v)))
    n = len(cell.cues)
    if not moved:
        undecided = any(
            v.standing in ("undecided", "not_resolved", "includes", "none", "not_estimable") for v in cell.cues
        )
        tail = "; some stay undecided" if undecided else ""
        return f"No effect detected in this design: none of {n} cue variants moves the score beyond the ROPE{tail}"
    top = moved[0]
    assert top.shift is not None
    most = f"{'up' if top.up else 'down'} by {str(top.shift.median).lstrip('-')} points"
    which = "moves" if len(moved) == 1 else "move"
    return (
        f"{len(moved)} of {n} cue variants {which} the score beyond the ROPE; the largest is {top.name}, {most}, "
        f"{top.shift.interval}"
    )


def _size(v: VariantFacts) -> float:
    return 0.0 if v.shift is None or v.shift.median.value is None else v.shift.median.value


def outcomes(cell: ScoreCellFacts, report: ScoreReportFacts) -> tuple[str, ...]:
    """Return one sentence an outcome, every cue variant once, the placebos after them."""
    by: dict[str, list[VariantFacts]] = {}
    for v in sorted(cell.cues, key=lambda v: -abs(_size(v))):
        by.setdefault(v.standing, []).append(v)
    limits = report.rope_words
    out = []
    for key in ("beyond", "excludes"):
        if by.get(key):
            head = f"Beyond the ROPE {limits}" if key == "beyond" else "The interval excludes 0 (no ROPE)"
            out.append(f"{head}. {'; '.join(said(v) for v in by[key])}.")
    if by.get("inside"):
        out.append(
            f"No effect detected in this design beyond the ROPE {limits}: {_listed(by['inside'])}. {suppressed(by['inside'])}"
        )
    if by.get("undecided"):
        out.append(
            f"Undecided, which is no finding of no effect: {_listed(by['undecided'])}. The intervals reach into the ROPE and "
            f"beyond it.{_clear_sign(by['undecided'])}"
        )
    if by.get("includes"):
        out.append(f"The interval includes 0, which is no finding of no effect: {_listed(by['includes'])}.")
    if by.get("not_resolved"):
        out.append(f"Not resolved, more draws could turn the outcome: {_listed(by['not_resolved'])}.")
    missing = [v for k in ("not_estimable", "none") for v in by.get(k, ())]
    if missing:
        out.append(f"Not estimable: {', '.join(f'{v.name} (valid {v.valid} of {v.asked})' for v in missing)}.")
    if cell.placebos:
        out.append(placebo(cell))
    return tuple(out)


def _listed(variants: Sequence[VariantFacts]) -> str:
    return "; ".join(short(v) for v in variants)


def _clear_sign(variants: Sequence[VariantFacts]) -> str:
    clear = [v.name for v in variants if v.shift is not None and v.shift.excludes_zero]
    return f" The sign is clear, the size is not, for {'; '.join(clear)}." if clear else ""


def suppressed(variants: Sequence[VariantFacts]) -> str:
    """Return what a null can also be, with the rate of loss beside it."""
    if any(v.lost for v in variants):
        return f"{SUPPRESSION} Loss among these: {', '.join(f'{v.loss} ({v.name})' for v in variants if v.lost)}."
    return (
        "No trial of these was lost. A null can also be suppression by the ends of the scale: see the section on room."
    )


def placebo(cell: ScoreCellFacts) -> str:
    """Return what the placebo notes moved."""
    if cell.floor is None:
        return (
            f"Placebo: {', '.join(v.name for v in cell.placebos)} could not be estimated, so there is no noise floor."
        )
    return (
        f"Placebo (a neutral note of the same place and length): {'; '.join(short(v) for v in cell.placebos)}. Noise floor: "
        f"{cell.floor.words}. A cue whose interval overlaps it is not told apart from any note at all."
    )


def within_floor(v: VariantFacts, cell: ScoreCellFacts) -> bool | None:
    """Whether the interval of a shift overlaps the noise floor; None where one of the two is missing."""
    floor, e = cell.floor, v.shift
    if floor is None or e is None or e.lower.value is None or e.upper.value is None:
        return None
    return e.lower.value <= (floor.upper.value or 0.0) and e.upper.value >= (floor.lower.value or 0.0)


def few(v: VariantFacts | None) -> str:
    """Return the caution about few items; empty where there are enough."""
    n = None if v is None or v.raw is None else sum(v.raw.levels)
    return (
        f"Fewer than {FEW_ITEMS} valid base scores ({n}): intervals depend on the prior more than usual."
        if n is not None and n < FEW_ITEMS
        else ""
    )
