"""Loss: what was lost, whether that depends on the block, and what it could hide, in words."""

from __future__ import annotations

from judgestats.report.facts import BlockLoss, CellFacts, Estimate, ReportFacts
from judgestats.report.labels import STATUS_WORDS
from judgestats.report.numbers import Number, count, percent
from judgestats.report.tables import Column, Row, Table

TWO_NAIVE = (
    'Two numbers of this report count lost trials as {failure}. "From both stages" multiplies what the two stages found, '
    'P(valid) times P({success} | valid), block by block; the "refit" of section 9 fits stage B anew to trials in which every '
    "lost one stands as {failure}. The refit puts one prior and one item effect on what the stages keep apart, so the two differ."
)


def counted(cell: CellFacts) -> str:
    """Return the loss of both blocks in one sentence, refusals named first."""
    blocks = [b for b in cell.loss.blocks if b.asked and b.block != "none"] or list(cell.loss.blocks)
    if not blocks:
        return "No trials were counted."
    if not any(b.lost for b in blocks):
        asked = sum(b.asked for b in blocks)
        return f"No trial was lost: all {count(asked)} were answered validly.{_apart(cell)}"
    parts = [f"{b.lost} of {count(b.asked)} ({b.loss}) in the {b.block} block{_to_what(b)}" for b in blocks]
    return f"Lost trials: {'; '.join(parts)}.{_apart(cell)}"


def _apart(cell: CellFacts) -> str:
    """Return how many trials without a block stand apart from both stages, and what became of them."""
    none = next((b for b in cell.loss.blocks if b.block == "none" and b.asked), None)
    if none is None:
        return ""
    return f" Beside these {count(none.asked)} trials have no block and enter neither stage{_to_what(none)}."


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
        case "one_block":
            return _one_block(cell)
        case "none_lost":
            return f"Nothing was lost, so the data show no dependence of the loss on the block.{estimated}"
        case "depends":
            side = "incongruent" if difference is not None and (difference.lower.value or 0) > 0 else "congruent"
            return (
                f"The loss depends on the block: {cell.judge} gave fewer valid answers in the {side} block.{estimated} "
                "The answers that remain are a selected set, so read the bounds below beside the effect."
            )
        case "no_sign":
            return f"The data do not show that the loss depends on the block: the interval includes 0.{estimated}"
    return "Whether the loss depends on the block was not estimated."


def _one_block(cell: CellFacts) -> str:
    asked = [b.block for b in cell.loss.blocks if b.asked and b.block != "none"]
    only = f"Only the {asked[0]} block was asked" if asked else "No trial of either block was asked"
    return f"{only}, so dependence of the loss on the block cannot be judged."


def why_not_estimable(cell: CellFacts) -> str:
    """Return why the effect is not estimable: a block that was never asked, or one whose every trial was lost."""
    never = cell.loss.unasked
    if never:
        return f"no {' and no '.join(never)} trials were asked, so nothing but the prior speaks of {_it(never)}."
    lost = [b for b in cell.loss.blocks if b.block != "none" and b.asked and not b.valid]
    if lost:
        parts = [f"the {b.block} block (all {count(b.asked)} trials asked were lost{_to_what(b)})" for b in lost]
        names = tuple(b.block for b in lost)
        return f"no valid answer in {' and none in '.join(parts)}, so nothing but the prior speaks of {_it(names)}."
    return "the trials do not inform it, so nothing but the prior speaks."


def _it(names: tuple[str, ...]) -> str:
    return "that block" if len(names) == 1 else "them"


def bounds(cell: CellFacts) -> str:
    """Return what the lost trials could do to the effect at worst; empty where a block was never asked."""
    if cell.loss.unasked:
        return ""
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
        f"({low.interval}) to {high.mean} ({high.interval}): lower end with lost incongruent trials counted {cell.success} and "
        f"lost congruent ones {cell.failure}, upper end the reverse."
    )


def in_short(cell: CellFacts) -> str:
    """Return counts, difference in validity and worst-case bounds of a cell with loss, for a line of the index."""
    parts = [counted(cell)]
    if cell.loss.dependence == "one_block":
        parts.append(_one_block(cell))
        return " ".join(parts)
    if cell.loss.difference is not None:
        parts.append(f"P(valid), congruent minus incongruent: {value_and_interval(cell.loss.difference)}.")
    if len(cell.loss.bounds) > 1:
        low, high = cell.loss.bounds[0], cell.loss.bounds[-1]
        parts.append(
            f"Worst-case bounds of the effect: {low.mean} to {high.mean} (interval ends {low.lower} and {high.upper})."
        )
    return " ".join(parts)


def unequal_loss(cell: CellFacts) -> str:
    """Return what a loss that depends on the block means for the answer; empty where it does not."""
    if cell.loss.dependence != "depends":
        return ""
    shares = ", ".join(f"{b.loss} {b.block}" for b in cell.loss.blocks if b.block != "none")
    return (
        f"The loss depends on the block ({shares}). The number above speaks of the answered trials only, and losing one block "
        "more than the other is unequal treatment in itself: this is no finding of fairness. Section 2 has the counts and bounds."
    )


def two_naive(cell: CellFacts) -> str:
    """Return how the two numbers that count lost trials as inconsistent differ."""
    return TWO_NAIVE.format(success=cell.success, failure=cell.failure)


def bounds_table(report: ReportFacts) -> Table:
    """Return validity difference and worst-case bounds of every cell that lost trials, for the index."""
    share = f"{100 * report.analysis.ci_prob:g} % ({report.analysis.ci_kind})"
    heads = (
        "P(valid) difference",
        f"lower {share}",
        f"upper {share}",
        "lowest effect",
        f"its lower {share}",
        "highest effect",
        f"its upper {share}",
    )
    columns = (Column("judge"), Column("domain"), *(Column(head, "number") for head in heads), Column("loss by block"))
    rows = tuple(_bounds_row(c) for c in report.cells if c.loss.lost)
    note = (
        "Lowest and highest effect: worst-case bounds, posterior means, were every lost trial answered in the worst way; beside "
        "them the outer end of each bound's interval. Differences are congruent minus incongruent, on the probability scale."
    )
    return Table("loss-bounds", "Cells with lost trials: validity and worst-case bounds", columns, rows, note)


def _bounds_row(cell: CellFacts) -> Row:
    absent = Number(None, "–")
    difference = None if cell.loss.unasked else cell.loss.difference
    numbers = (absent,) * 3 if difference is None else (difference.mean, difference.lower, difference.upper)
    low, high = (cell.loss.bounds[0], cell.loss.bounds[-1]) if len(cell.loss.bounds) > 1 else (None, None)
    lowest = (absent, absent) if low is None else (low.mean, low.lower)
    highest = (absent, absent) if high is None else (high.mean, high.upper)
    words = {"depends": "depends on the block", "no_sign": "no clear dependence", "one_block": "one block asked"}
    return Row((cell.judge, cell.domain, *numbers, *lowest, *highest, words.get(cell.loss.dependence, "not estimated")))


def value_and_interval(estimate: Estimate) -> str:
    """Return e.g. ``0.086, 95 % CrI [0.026, 0.173] (equal-tailed)``."""
    return f"{estimate.mean}, {estimate.interval}"


def lost_share(block: BlockLoss | None) -> Number:
    """Return the loss of a block as a percentage, absent where the block has no trials."""
    return percent(0, 0) if block is None else block.loss
