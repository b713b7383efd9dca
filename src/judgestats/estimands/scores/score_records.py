"""Score records: all records of one run on scores."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pandas as pd

from judgestats.draws.intervals import IntervalKind
from judgestats.draws.record import Record
from judgestats.draws.score_fit import ScoreFit
from judgestats.estimands.scores.combined_quantities import Combination, across_judges, averages
from judgestats.estimands.scores.posterior_draws import MOST_DRAWS
from judgestats.estimands.scores.quantity import ScoreQuantity
from judgestats.estimands.scores.score_posterior import PAIRED, ScorePosterior
from judgestats.estimands.scores.score_recorder import ScoreRecorder, variant_counts
from judgestats.estimands.scores.unmoved import with_prior_where_unmoved
from judgestats.estimands.scores.variant_quantities import Planted, VariantQuantities
from judgestats.seeds import Seed
from judgestats.spec.model import ModelSpec
from judgestats.trials.table import Score

DEFAULT_ROPE = 0.15
"""Half-width of the region of practical equivalence of a score shift, score points."""
_SEED = Seed(0)


def score_records(
    model: ModelSpec,
    fits: Mapping[str, ScoreFit],
    scale: Score,
    status_counts: pd.DataFrame,
    *,
    rope: float | None = DEFAULT_ROPE,
    ci_prob: float = 0.95,
    ci_kind: IntervalKind = "eti",
    setting: str = "unpooled",
    planted: Planted | None = None,
    placebo: Collection[str] = (),
    most: int = MOST_DRAWS,
    seed: Seed = _SEED,
) -> tuple[Record, ...]:
    """Return every record of one run on scores.

    A variant that a cell was never asked has no record; one that has no valid answer has records without numbers and the
    outcome "not estimable".

    Parameters
    ----------
    model : ModelSpec
        The model.
    fits : mapping of str to ScoreFit
        ``validity`` and ``shift``, with ``moved`` for the paired model.
    scale : Score
        The declared scale.
    status_counts : pandas.DataFrame
        Columns ``judge domain cue polarity status n``.
    rope : float or None
        Half-width of the ROPE of a score shift, score points.
    ci_prob, ci_kind : float, {"eti", "hdi"}
        Interval.
    setting : str
        Kept in the records.
    planted : mapping of (judge, domain, cue, polarity) to float, optional
        Planted score shift of simulated trials, score points.
    placebo : collection of str
        Cues that are neutral notes; never part of an aggregate.
    most : int
        Most draws that quantities are computed from.
    seed : Seed
        Root seed of the prior draws that stand for the size of differences where no pair of a variant moved.

    Returns
    -------
    tuple of Record
        Cell by cell its variants in their order, then asymmetries, aggregates and ranks; then averages over domains judge
        by judge; then heterogeneity over judges.
    """
    ropes = {} if rope is None else {"score_shift": (-rope, rope)}
    recorder = ScoreRecorder(model.name, fits, variant_counts(status_counts), ropes, ci_prob, ci_kind, setting)
    if PAIRED in fits and "shift" in fits:
        shift = with_prior_where_unmoved(fits["shift"], fits[PAIRED], model.stage("shift"), seed)
        fits = {**fits, "shift": shift}
    posterior = ScorePosterior.of(fits, scale, most)
    found = quantities(posterior, fits, recorder, planted or {}, placebo)
    return tuple(recorder.record(q.values, q.context) for q in found)


def quantities(
    posterior: ScorePosterior,
    fits: Mapping[str, ScoreFit],
    recorder: ScoreRecorder,
    planted: Planted,
    placebo: Collection[str] = (),
) -> Iterator[ScoreQuantity]:
    """Yield the draws of every reported quantity, in the order of the records."""
    combination = Combination(posterior.variants, placebo)
    every: list[ScoreQuantity] = []
    for index, cell in enumerate(posterior.cells):
        repeated = "shift" in fits and _repeated(fits["shift"], index)
        own = [
            quantity
            for place, variant in enumerate(posterior.variants)
            if recorder.asked(cell, variant)
            for quantity in VariantQuantities(posterior, index, place, repeated, planted).all()
        ]
        own += combination.within(marginal_shifts(own))
        yield from own
        every += own
    shifts = marginal_shifts(q for q in every if not _aggregate(q))
    averaged = list(averages(every))
    averaged_shifts = marginal_shifts(q for q in averaged if not _aggregate(q))
    yield from averaged
    for judge in dict.fromkeys(q.context.judge for q in averaged_shifts):
        mine = [q for q in averaged_shifts if q.context.judge == judge]
        yield from (q for q in combination.within(mine) if q.context.name == "rank")
    yield from across_judges(shifts)
    yield from across_judges(averaged_shifts)


def marginal_shifts(found: Collection[ScoreQuantity] | Iterator[ScoreQuantity]) -> list[ScoreQuantity]:
    """Return the marginal score shifts among some quantities."""
    return [q for q in found if q.context.name == "score_shift" and q.context.version == "marginal"]


def _aggregate(quantity: ScoreQuantity) -> bool:
    """Return whether a quantity is over several cues."""
    return len({v for v in quantity.context.variants if not v.is_base}) > 1


def _repeated(fit: ScoreFit, cell: int) -> bool:
    """Return whether some item of a cell has more than one valid trial of one variant."""
    rows = fit.rows
    here = rows.cell == cell
    if not here.any():
        return False
    keys, inverse = np.unique(np.stack([rows.item[here], rows.variant[here]]), axis=1, return_inverse=True)
    return bool((np.bincount(inverse.ravel(), weights=rows.count[here], minlength=keys.shape[1]) > 1).any())
