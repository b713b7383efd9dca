"""Prior predictive: what the priors alone would have produced in the same design."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.checks.cell_draws import MAX_DRAWS, cell_draws
from judgestats.checks.finding import PredictiveRow, PriorRow
from judgestats.checks.predictive_statistic import mid_p
from judgestats.checks.prior_draws import prior_draws
from judgestats.checks.replicate import design_cells, replicate_cell, replicated_totals
from judgestats.draws.summary import probability_inside
from judgestats.estimands.probabilities import marginal
from judgestats.seeds import Seed
from judgestats.spec.model import ModelSpec, StageSpec
from judgestats.spec.prior_table import prior_table
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]

PRIOR_DRAWS = 4000
TAILS = (0.025, 0.975)


def prior_rows(
    model: ModelSpec, seed: Seed | None = None, rope: tuple[float, float] = (-0.02, 0.02)
) -> tuple[PriorRow, ...]:
    """Return every prior of a model with what it implies on the probability scale.

    Parameters
    ----------
    model : ModelSpec
        The model.
    seed : Seed, optional
        Seed of the draws behind what is implied.
    rope : tuple of float
        ROPE whose prior mass is stated, probability scale.
    """
    return tuple(
        PriorRow(row.stage, row.parameter, row.meaning, row.prior, row.implied, row.reason)
        for row in prior_table(model, seed, rope)
    )


def prior_predictive_rows(
    stage: StageSpec,
    counts: StageCounts,
    seed: Seed,
    *,
    rope: tuple[float, float] | None = None,
    draws: int = PRIOR_DRAWS,
) -> tuple[PredictiveRow, ...]:
    """Return the prior predictive of every cell.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    counts : StageCounts
        The design and the observed counts.
    seed : Seed
        Root seed.
    rope : tuple of float, optional
        ROPE of the difference between the blocks, probability scale.
    draws : int
        Prior draws.

    Returns
    -------
    tuple of PredictiveRow
        Per cell: ``rate`` by block (replicated counts of new items; where the block has no trial the marginal
        probability itself, with observed None), the marginal difference ``delta_p`` (validity:
        ``validity_difference``; a parameter, so observed is None) and ``mass_in_rope``, whose interval is its Monte
        Carlo error.
    """
    parameters = prior_draws(stage, counts.cells, draws, seed)
    rng = seed.generator(f"{stage.name}/prior_predictive")
    effect = "delta_p" if stage.name == "shift" else "validity_difference"
    rows: list[PredictiveRow] = []
    for index, cell, one in design_cells(counts):
        drawn = cell_draws(parameters, cell, index)
        blocks = marginal(drawn.parameters())
        made = replicate_cell(drawn, one, rng)
        where = ("prior", stage.name, cell.judge, cell.domain)
        for name, side in (("congruent", one.block > 0), ("incongruent", one.block < 0)):
            if side.any():
                trials = one.trials[side].sum()
                observed = float(one.successes[side].sum() / trials)
                rates = made[:, side].sum(axis=1) / trials
                rows.append(_row(where, name, "rate", observed, rates, "new items"))
            else:
                rows.append(_row(where, name, "rate", None, blocks.block(name), "parameter"))
        delta = blocks.congruent - blocks.incongruent
        rows.append(_row(where, None, effect, None, delta, "parameter"))
        if rope is not None:
            mass = probability_inside(delta, rope)
            error = 1.96 * float(np.sqrt(mass * (1 - mass) / draws))
            low, high = max(0.0, mass - error), min(1.0, mass + error)
            rows.append(PredictiveRow(*where, None, "mass_in_rope", None, mass, low, high, replicates="parameter"))
    return tuple(rows)


def prior_predictive_counts(stage: StageSpec, counts: StageCounts, seed: Seed, draws: int = MAX_DRAWS) -> xr.DataArray:
    """Return prior predictive successes, dims (chain, draw, cell, block), for the result tree."""
    parameters = prior_draws(stage, counts.cells, draws, seed)
    return replicated_totals(parameters, counts, seed.generator(f"{stage.name}/prior_predictive/counts"))


def _row(
    where: tuple[str, str, str, str],
    block: str | None,
    statistic: str,
    observed: float | None,
    values: Array,
    replicates: str,
) -> PredictiveRow:
    lower, upper = np.quantile(values, TAILS)
    tail = None if observed is None else mid_p(observed, values)
    return PredictiveRow(
        *where, block, statistic, observed, float(values.mean()), float(lower), float(upper), tail, replicates
    )
