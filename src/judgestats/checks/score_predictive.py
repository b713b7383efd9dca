"""Score predictive: whether a fitted model would have produced the shares of levels, or of differences, that were observed.

Replicates draw new items from the fitted distribution of item effects (the mixed predictive check of Marshall &
Spiegelhalter 2007, doi:10.1214/07-BA218), in the same design: the same trials of the same variants, the same base scores
in paired models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.checks.predictive_statistic import mid_p
from judgestats.checks.replicate import Replicates
from judgestats.checks.score_finding import ScorePredictive
from judgestats.checks.score_replicate import Design, replicated_differences, replicated_levels
from judgestats.draws.score_fit import ScoreFit
from judgestats.seeds import Seed
from judgestats.trials.table import Score
from judgestats.trials.variant import Variant

Index = NDArray[np.int64]
DRAWS = 400
TAILS = (0.025, 0.975)


def score_predictive(
    fits: Mapping[str, ScoreFit],
    scale: Score,
    seed: Seed,
    *,
    replicates: Replicates = "new items",
    draws: int = DRAWS,
) -> tuple[ScorePredictive, ...]:
    """Return observed shares against their posterior predictive distribution.

    Parameters
    ----------
    fits : mapping of str to ScoreFit
        Stage ``shift`` of the ordinal model, or stages ``moved`` and ``shift`` of the paired one.
    scale : Score
        Turns level indices into scores and steps into score points.
    seed : Seed
        Streams ``score predictive/<cell>``.
    replicates : {"new items", "same items"}
        ``new items`` tests the model; ``same items`` keeps the observed items' own effects, has adapted to the scores and
        shows fit. Paired models have new items only.
    draws : int
        Replicates a cell.

    Returns
    -------
    tuple of ScorePredictive
        Ordinal model: per cell and variant one row for every level of the scale. Paired model: one row for every
        difference from minus to plus the scale's width that was observed or predicted, ``level`` being the difference
        in score points. Nothing for a cell and variant without a trial, or pair.

    Raises
    ------
    ValueError
        If replicates of the same items are asked of a paired model.
    """
    paired = "moved" in fits
    if paired and replicates == "same items":
        raise ValueError("replicates of paired differences have new items only")
    main = fits["moved"] if paired else fits["shift"]
    rows: list[ScorePredictive] = []
    for index, cell in enumerate(main.rows.cells):
        design = Design.of(main.rows.select(index))
        if not design.item.size:
            continue
        rng = seed.generator(f"score predictive/{cell.judge}\x1f{cell.domain}")
        if paired:
            made = replicated_differences(fits["moved"], fits["shift"], index, draws, rng)
            levels, observed = fits["shift"].rows.outcomes, _observed_differences(fits, index)
            names = scale.step * np.arange(-levels + 1, levels, dtype=np.float64)
            made = (values + levels - 1 for values in made)
        else:
            made = replicated_levels(main, index, draws, rng, replicates=replicates)
            levels, names = main.rows.outcomes, np.asarray(scale.levels)
            observed = _table(design, design.outcome, levels)
        tables = np.stack(list(_tables(design, made, names.size)))
        for v, variant in enumerate(main.rows.variants):
            if observed[v].any():
                keep = slice(None) if not paired else (observed[v] > 0) | (tables[:, v] > 0).any(axis=0)
                place = (cell.judge, cell.domain, variant)
                rows += _shares(place, names[keep], observed[v][keep], tables[:, v][:, keep], int(observed[v].sum()))
    return tuple(rows)


def _observed_differences(fits: Mapping[str, ScoreFit], index: int) -> Index:
    """Return observed differences, dims (variant, difference); the zeros come from stage ``moved``."""
    moved, shift = fits["moved"].rows.select(index), fits["shift"].rows.select(index)
    levels = shift.outcomes
    table = np.zeros((len(moved.variants), 2 * levels - 1), dtype=np.int64)
    same = moved.outcome == 0
    np.add.at(table, (moved.variant[same], levels - 1), moved.count[same])
    np.add.at(table, (shift.variant, shift.outcome + levels - 1), shift.count)
    return table


def _tables(design: Design, made: Iterator[Index], size: int) -> Iterator[Index]:
    for values in made:
        yield _table(design, values, size)


def _table(design: Design, values: Index, size: int) -> Index:
    """Return counts by variant and value, dims (variant, value)."""
    flat = np.bincount(design.variant * size + values, minlength=design.variants * size)
    return flat.reshape(design.variants, size).astype(np.int64)


def _shares(
    place: tuple[str, str, Variant], names: NDArray[np.floating[Any]], observed: Index, made: Index, total: int
) -> list[ScorePredictive]:
    judge, domain, variant = place
    rows = []
    for k, name in enumerate(names.tolist()):
        shares = made[:, k] / total
        lower, upper = np.quantile(shares, TAILS)
        share = float(observed[k]) / total
        rows.append(
            ScorePredictive(
                judge=judge,
                domain=domain,
                cue=variant.cue,
                polarity=variant.polarity,
                level=name,
                observed=share,
                mean=float(shares.mean()),
                lower=float(lower),
                upper=float(upper),
                p_tail=mid_p(share, shares),
            )
        )
    return rows
