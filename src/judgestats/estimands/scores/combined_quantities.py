"""Combined quantities: asymmetry, aggregates over cues, ranks, averages over domains and spread over judges."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from judgestats.estimands.across_cells import OBSERVED
from judgestats.estimands.average import average_observed
from judgestats.estimands.scores.asymmetry import asymmetry
from judgestats.estimands.scores.cue_aggregate import aggregates, cue_aggregate
from judgestats.estimands.scores.heterogeneity import heterogeneity
from judgestats.estimands.scores.posterior_draws import Array
from judgestats.estimands.scores.quantity import ScoreQuantity
from judgestats.estimands.scores.range_share import cue_rank
from judgestats.estimands.scores.score_recorder import BASE
from judgestats.trials.variant import Variant

AVERAGED: tuple[str, ...] = (
    "validity_difference",
    "score_shift",
    "wasserstein1",
    "range_share",
    "drop_1",
    "drop_2",
    "asymmetry",
)
JUDGES = "{} judges"


@dataclass(frozen=True)
class Combination:
    """How cues combine.

    Parameters
    ----------
    variants : tuple of Variant
        All variants of the run.
    placebo : collection of str
        Cues that are neutral notes: never part of an aggregate.
    """

    variants: tuple[Variant, ...]
    placebo: Collection[str] = ()

    def within(self, shifts: Sequence[ScoreQuantity]) -> Iterator[ScoreQuantity]:
        """Yield asymmetries, aggregates and ranks of one cell, or of one judge's average, from its score shifts."""
        by_variant = {Variant(q.context.cue or "", q.context.polarity or ""): q for q in shifts}
        for cue in dict.fromkeys(v.cue for v in by_variant):
            pair = by_variant.get(Variant(cue, "pos")), by_variant.get(Variant(cue, "neg"))
            if pair[0] is not None and pair[1] is not None:
                members = [pair[0], pair[1]]
                values = asymmetry(members[0].values, members[1].values)
                planted = _known(members)
                yield _combined(members, "asymmetry", values, cue, None, None if planted is None else sum(planted))
        for name, group in aggregates(self.variants, self.placebo).items():
            members = [by_variant[v] for v in group if v in by_variant]
            if len(members) == len(group):
                planted = _known(members)
                mean = None if planted is None else float(np.mean(planted))
                values = cue_aggregate([m.values for m in members])
                yield _combined(members, "score_shift", values, name, group[0].polarity, mean)
        yield from _ranks([q for q in shifts if np.isfinite(q.values).all()])


def averages(quantities: Sequence[ScoreQuantity]) -> Iterator[ScoreQuantity]:
    """Yield each judge's quantities averaged over the domains in which it has them, where there are at least two.

    Every domain counts the same, whatever its number of trials; ``target`` says so. A domain in which the data say nothing
    about a quantity is left out of that average.
    """
    groups: dict[tuple[str | None, ...], list[ScoreQuantity]] = {}
    for q in quantities:
        c = q.context
        if c.name in AVERAGED and c.version != "typical_item" and np.isfinite(q.values).all():
            groups.setdefault((c.judge, c.name, c.cue, c.polarity, c.version), []).append(q)
    for group in groups.values():
        if len(group) > 1:
            planted = _known(group)
            context = replace(
                group[0].context,
                cells=tuple(cell for q in group for cell in q.context.cells),
                domain=None,
                target=OBSERVED,
                planted=None if planted is None else float(np.mean(planted)),
            )
            yield ScoreQuantity(context, average_observed([q.values for q in group]))


def across_judges(shifts: Sequence[ScoreQuantity]) -> Iterator[ScoreQuantity]:
    """Yield the heterogeneity of every variant's marginal shift over judges, by domain and for averages over domains."""
    groups: dict[tuple[str | None, ...], list[ScoreQuantity]] = {}
    for q in shifts:
        if np.isfinite(q.values).all():
            groups.setdefault((q.context.domain, q.context.cue, q.context.polarity), []).append(q)
    for group in groups.values():
        if len(group) > 1:
            planted = _known(group)
            context = replace(
                group[0].context,
                name="heterogeneity",
                cells=tuple(cell for q in group for cell in q.context.cells),
                judge=None,
                reference=JUDGES.format(len(group)),
                planted=None if planted is None else float(np.std(planted, ddof=1)),
            )
            yield ScoreQuantity(context, heterogeneity([q.values for q in group]))


def _ranks(shifts: Sequence[ScoreQuantity]) -> Iterator[ScoreQuantity]:
    if len(shifts) < 2:
        return
    ranks = cue_rank(np.stack([q.values for q in shifts]))
    planted = _known(shifts)
    truth = None if planted is None else cue_rank(np.asarray(planted))
    for place, q in enumerate(shifts):
        known = None if truth is None else float(truth[place])
        context = replace(q.context, name="rank", reference=f"{len(shifts)} variants", planted=known)
        yield ScoreQuantity(context, ranks[place])


def _combined(
    members: Sequence[ScoreQuantity],
    name: str,
    values: Array,
    cue: str,
    polarity: str | None,
    planted: float | None,
) -> ScoreQuantity:
    variants = (BASE, *(v for q in members for v in q.context.variants if not v.is_base))
    context = replace(members[0].context, name=name, variants=variants, cue=cue, polarity=polarity, planted=planted)
    return ScoreQuantity(context, values)


def _known(members: Sequence[ScoreQuantity]) -> list[float] | None:
    """Return the planted values of all members, None unless every one is known."""
    found = [q.context.planted for q in members if q.context.planted is not None]
    return found if len(found) == len(members) else None
