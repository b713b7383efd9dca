"""Sentences: what the facts of one cell say, in words a reader cannot take for more than they are."""

from __future__ import annotations

from judgestats.report.facts import BlockLoss, CellFacts, Estimate, ReportFacts
from judgestats.report.labels import STATUS_WORDS
from judgestats.report.numbers import Number, count, percent

FEW_ITEMS = 100


def answer(cell: CellFacts, report: ReportFacts) -> str:
    """Return the answer in one line: posterior mean and interval with its kind and probability."""
    head = cell.headline
    if head is None or not cell.quotable:
        return no_answer(cell)
    name = report.analysis.effect_name
    if cell.separation is not None and cell.separation.complete:
        return f"{name} is bounded by {head.interval}"
    return f"{name} = {head.mean}, {head.interval}"


def answer_detail(cell: CellFacts, report: ReportFacts) -> str:
    """Return the probabilities that go with the answer: P(> 0) and P(inside the ROPE), with the prior's own."""
    head = cell.headline
    if head is None or not cell.quotable:
        return ""
    name = report.analysis.effect_name
    parts = ["Posterior mean" if head.mean.value is not None else ""]
    if head.p_gt_0.value is not None:
        parts.append(f"P({name} > 0) {equals(head.p_gt_0)}")
    if head.p_rope.value is not None:
        before = "" if head.p_rope_prior.value is None else f" (before the data {head.p_rope_prior})"
        parts.append(f"P(inside the ROPE {rope(report)}) {equals(head.p_rope)}{before}")
    return "; ".join(part for part in parts if part)


def no_answer(cell: CellFacts) -> str:
    """Return why no number stands at the top of the page."""
    if cell.headline is None:
        return "No estimate was made for this judge and domain."
    if cell.gate.status == "fail":
        return "No number is quoted here: the computation failed its gate (section 7)."
    return "Not estimable: a block without valid answers leaves nothing but the prior."


def answer_in_words(cell: CellFacts, report: ReportFacts) -> str:
    """Return what the estimate means for this judge, with the direction spelled out."""
    head = cell.headline
    if head is None or not cell.quotable:
        return ""
    if cell.separation is not None and cell.separation.complete:
        return separation(cell)
    if head.excludes_zero:
        positive = (head.lower.value or 0) > 0
        more, less = ("congruent", "incongruent") if positive else ("incongruent", "congruent")
        runs = "against" if positive else "with"
        return (
            f"An effect was detected in this design: among its valid answers {cell.judge} was more often task-consistent in the "
            f"{more} block than in the {less} one ({cell.domain}), so it erred more often where the pairing runs {runs} the "
            "association. The interval excludes 0."
        )
    return null(cell)


def null(cell: CellFacts) -> str:
    """Return the wording of a null: what was not detected, beside the loss, with what a null can also be."""
    return (
        f"No effect detected in this design for {cell.judge} in {cell.domain}: the interval includes 0. "
        f"{loss(cell)} A null can also be a suppressed effect: refusals, filters or a ceiling can hide an association "
        "that the judge has."
    )


def loss(cell: CellFacts) -> str:
    """Return the loss of both blocks in one sentence, refusals named first."""
    blocks = [b for b in cell.loss.blocks if b.asked and b.block != "none"] or list(cell.loss.blocks)
    if not blocks:
        return "No trials were counted."
    if not any(b.lost for b in blocks):
        asked = sum(b.asked for b in blocks)
        return f"No trial was lost: all {count(asked)} were answered validly."
    parts = [f"{b.lost} of {count(b.asked)} ({b.loss}) in the {b.block} block{_to_what(b)}" for b in blocks]
    return f"Lost trials: {'; '.join(parts)}."


def _to_what(block: BlockLoss) -> str:
    if not block.lost_to:
        return ""
    words = [f"{n} {STATUS_WORDS.get(status, status)}" for status, n in block.lost_to.items()]
    return f" ({', '.join(words)})"


def dependence(cell: CellFacts) -> str:
    """Return whether the loss depends on the block."""
    facts, difference = cell.loss, cell.loss.difference
    estimated = (
        "" if difference is None else f" P(valid), congruent minus incongruent: {value_and_interval(difference)}."
    )
    match facts.dependence:
        case "none_lost":
            return f"Nothing was lost, so the loss cannot depend on the block.{estimated}"
        case "depends":
            side = "incongruent" if difference is not None and (difference.lower.value or 0) > 0 else "congruent"
            return (
                f"The loss depends on the block: {cell.judge} gave fewer valid answers in the {side} block.{estimated} "
                "The answers that remain are a selected set, so read the bounds below beside the effect."
            )
        case "no_sign":
            return f"The data do not show that the loss depends on the block: the interval includes 0.{estimated}"
    return "Whether the loss depends on the block was not estimated."


def bounds(cell: CellFacts) -> str:
    """Return what the lost trials could do to the effect at worst."""
    if len(cell.loss.bounds) < 2:
        return "Worst-case bounds were not computed."
    if not cell.loss.lost:
        return (
            "No trial was lost, so the worst-case bounds differ from the effect only by the chance of an invalid answer that "
            "the model still allows."
        )
    low, high = cell.loss.bounds[0], cell.loss.bounds[-1]
    return (
        f"Had every lost trial been answered in the worst way, the effect could lie anywhere from {low.mean} "
        f"({low.interval}) to {high.mean} ({high.interval}): lower end with lost incongruent trials counted consistent and "
        "lost congruent ones inconsistent, upper end the reverse."
    )


def separation(cell: CellFacts) -> str:
    """Return what a block without a single contrary answer means; empty where there is none."""
    facts = cell.separation
    if facts is None:
        return ""
    both = f"{facts.congruent_k} of {facts.congruent_n} congruent and {facts.incongruent_k} of {facts.incongruent_n} "
    if facts.complete:
        kind, rare = ("consistent", "inconsistent") if facts.congruent_k else ("inconsistent", "consistent")
        head = cell.headline
        interval = "" if head is None or not cell.quotable else f" The effect is bounded by {head.interval}, no more."
        return (
            f"Fully separated: {both}valid answers were consistent, all of them {kind} or none.{interval} By the rule of three "
            f"the probability of an {rare} answer is below {facts.rule_of_three[0]} in the congruent and "
            f"{facts.rule_of_three[1]} in the incongruent block (95 %). Within these bounds the prior decides."
        )
    return (
        f"One block is constant ({both}valid answers were consistent), so one error rate is known only as a bound and the "
        "prior weighs on the estimate: read section 9 beside it."
    )


def decision(cell: CellFacts, report: ReportFacts) -> str:
    """Return the outcome of the decision rule in words."""
    head = cell.headline
    if head is None or head.outcome is None:
        return "No outcome: the rule was not applied to this cell."
    if cell.gate.status == "fail":
        return "No outcome is declared: the computation failed its gate (section 7)."
    limits = rope(report)
    match head.outcome:
        case "beyond":
            side = "above" if (head.lower.value or 0) > 0 else "below"
            return f"Beyond the ROPE: the whole interval lies {side} {limits}."
        case "inside":
            return f"Inside the ROPE: the whole interval lies within {limits}, an effect of no practical size."
        case "undecided":
            if head.excludes_zero:
                return (
                    f"Undecided: the interval excludes 0 but reaches into the ROPE {limits}; "
                    "the sign is clear, the size is not."
                )
            return f"Undecided: the interval reaches both into and out of the ROPE {limits}."
        case "not_resolved":
            return (
                "Not resolved: an end of the interval lies within 2 Monte Carlo standard errors of a threshold, so more "
                "draws could turn the outcome. Run again with more draws before deciding."
            )
        case "not_estimable":
            return "Not estimable: the trials of a block hold no valid answer, so only the prior speaks."
    return f"Outcome: {head.outcome.replace('_', ' ')}."


def cautions(cell: CellFacts) -> tuple[str, ...]:
    """Return what a reader must know before quoting this cell: few items, one trial an item, separation, red gate."""
    out = []
    if cell.n_items is not None and cell.n_items < FEW_ITEMS:
        out.append(
            f"Only {cell.n_items} items: fewer than {FEW_ITEMS}, so the result speaks for these items and intervals over "
            "new items rest on the model."
        )
    if cell.trials_per_item == 1:
        out.append(
            "One trial per item: the data cannot tell item effects from chance, so the item standard deviation is its prior."
        )
    if cell.separation is not None and not (cell.separation.complete and cell.quotable):
        out.append(separation(cell))
    if cell.gate.status == "warn":
        out.append("The computation passed with a remark (section 7).")
    return tuple(out)


def red_gate(cell: CellFacts) -> tuple[str, ...]:
    """Return one sentence a failed criterion: value, limit and what to do."""
    out = []
    for row in cell.gate.failing:
        if row.status != "fail":
            continue
        value = "undefined" if row.value is None else f"{row.value:.4g}"
        limit = "" if row.threshold is None else f" (limit {row.threshold:g})"
        action = f" {row.action}" if row.action else ""
        out.append(f"{row.criterion} of {row.quantity} is {value}{limit}.{action}")
    return tuple(out)


def unequal_loss(cell: CellFacts) -> str:
    """Return what a loss that depends on the block means for the answer; empty where it does not."""
    if cell.loss.dependence != "depends":
        return ""
    shares = ", ".join(f"{b.loss} {b.block}" for b in cell.loss.blocks if b.block != "none")
    return (
        f"The loss depends on the block ({shares}). The number above speaks of the answered trials only, and losing one block "
        "more than the other is unequal treatment in itself: this is no finding of fairness. Section 2 has the counts and bounds."
    )


def planted(cell: CellFacts) -> str:
    """Return the planted value beside the estimate; empty where nothing was planted."""
    head = cell.headline
    if head is None or head.planted.value is None or head.lower.value is None or head.upper.value is None:
        return ""
    inside = head.lower.value <= head.planted.value <= head.upper.value
    where = "inside" if inside else "outside"
    return f"Simulated judge: planted {head.planted}, which lies {where} the interval."


def rope(report: ReportFacts) -> str:
    """Return the ROPE as ``[-0.02, 0.02]``."""
    return f"[{report.rope[0]}, {report.rope[1]}]"


def value_and_interval(estimate: Estimate) -> str:
    """Return e.g. ``0.086, 95 % CrI [0.026, 0.173] (equal-tailed)``."""
    return f"{estimate.mean}, {estimate.interval}"


def equals(number: Number) -> str:
    """Return ``= 0.95``, or ``> 0.999`` where the text carries its own sign."""
    return f"{number.text[0]} {number.text[1:]}" if number.text[:1] in "<>" else f"= {number}"


def lost_share(block: BlockLoss | None) -> Number:
    """Return the loss of a block as a percentage, absent where the block has no trials."""
    return percent(0, 0) if block is None else block.loss
