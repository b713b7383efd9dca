"""Sentences: the answer of one cell and what to know before quoting it, in words that claim no more than the facts."""

from __future__ import annotations

from judgestats.report import loss, outcome
from judgestats.report.facts import CellFacts, GateFacts, ReportFacts

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
        parts.append(f"P({name} > 0) {outcome.equals(head.p_gt_0)}")
    if head.p_rope.value is not None:
        before = "" if head.p_rope_prior.value is None else f" (the prior's own mass there: {head.p_rope_prior})"
        parts.append(f"P(inside the ROPE {outcome.rope(report)}) {outcome.equals(head.p_rope)}{before}")
    return "; ".join(part for part in parts if part)


def no_answer(cell: CellFacts) -> str:
    """Return why no number stands at the top of the page."""
    if cell.headline is None:
        return "No estimate was made for this judge and domain."
    if cell.gate.status == "fail":
        return "No number is quoted here: the computation failed its gate (section 7)."
    return f"Not estimable: {loss.why_not_estimable(cell)}"


def answer_in_words(cell: CellFacts, report: ReportFacts) -> str:
    """Return what the estimate means for this judge, with the direction spelled out."""
    if cell.quotable and cell.separation is not None and cell.separation.complete:
        return separation(cell)
    return outcome.in_words(cell, report)


def separation(cell: CellFacts) -> str:
    """Return what a block without a single contrary answer means; empty where there is none."""
    facts = cell.separation
    if facts is None:
        return ""
    word, contrary = cell.success, cell.failure
    both = f"{facts.congruent_k} of {facts.congruent_n} congruent and {facts.incongruent_k} of {facts.incongruent_n} "
    if facts.complete:
        kind, rare = (word, contrary) if facts.congruent_k else (contrary, word)
        head = cell.headline
        interval = "" if head is None or not cell.quotable else f" The effect is bounded by {head.interval}, no more."
        return (
            f"Fully separated: {both}incongruent valid answers were {word}, so every one was {kind}.{interval} By the rule of "
            f"three, which takes every trial as independent of the others, the probability of an answer that is {rare} lies "
            f"below {facts.rule_of_three[0]} in the congruent and {facts.rule_of_three[1]} in the incongruent block (95 %); "
            "repeated trials of an item or cluster bound it less. Within these bounds the prior decides."
        )
    constant = [facts.congruent_k in (0, facts.congruent_n), facts.incongruent_k in (0, facts.incongruent_n)]
    if all(constant):
        return (
            f"Both blocks are constant and differ ({both}incongruent valid answers were {word}), so both error rates are known "
            "only as bounds and the prior weighs on the estimate: read section 9 beside it."
        )
    return (
        f"One block is constant ({both}incongruent valid answers were {word}), so one error rate is known only as a bound and "
        "the prior weighs on the estimate: read section 9 beside it."
    )


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
    return red_rows(cell.gate)


def red_rows(gate: GateFacts) -> tuple[str, ...]:
    """Return one sentence a criterion that a gate failed."""
    out = []
    for row in gate.failing:
        if row.status != "fail":
            continue
        value = "undefined" if row.value is None else f"{row.value:.4g}"
        limit = "" if row.threshold is None else f" (limit {row.threshold:g})"
        action = f" {row.action}" if row.action else ""
        out.append(f"{row.criterion} of {row.quantity} is {value}{limit}.{action}")
    return tuple(out)


def planted(cell: CellFacts) -> str:
    """Return the planted value beside the estimate; empty where nothing was planted."""
    head = cell.headline
    if head is None or head.planted.value is None or head.lower.value is None or head.upper.value is None:
        return ""
    inside = head.lower.value <= head.planted.value <= head.upper.value
    where = "inside" if inside else "outside"
    return f"Simulated judge: planted {head.planted}, which lies {where} the interval."


def success(report: ReportFacts) -> str:
    """Return what a success of stage B is where it is not the instructed answer; empty where it is."""
    card = report.analysis
    if card.plain_success:
        return ""
    return (
        f"In this design a success of stage B is a {card.success_word} answer. Where formulas, priors and stage names say "
        f"consistent or consistency, read {card.success_word}; no block instructs the judge, so no answer is an error."
    )
