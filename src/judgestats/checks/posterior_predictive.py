"""Posterior predictive: whether the fitted model would have produced counts like the observed ones.

The default replicates draw **new items** (and clusters) from the fitted distribution of effects, given the draw's
parameters: the mixed predictive check of Gelman, Meng & Stern 1996 and Marshall & Spiegelhalter 2007
(doi:10.1214/07-BA218). It tests the assumed distribution of effects. Replicates of the **same items**, with their own
effects, have already adapted to the counts and pass almost always; they are offered to show fit, not to test it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.checks.cell_draws import MAX_DRAWS, cell_draws, thinned
from judgestats.checks.finding import PredictiveRow
from judgestats.checks.item_likelihood import cluster_effect_of_rows
from judgestats.checks.predictive_statistic import Statistic, cell_statistics, mid_p
from judgestats.checks.replicate import Replicates, design_cells, replicate_cell, replicated_totals
from judgestats.draws.fit import StageFit
from judgestats.estimands.probabilities import marginal
from judgestats.inference.item_effects import cluster_effects, item_effects
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]

ALL_DOMAINS = "(all domains)"
TAILS = (0.025, 0.975)


def posterior_predictive_rows(
    stage: StageSpec,
    fit: StageFit,
    seed: Seed,
    *,
    replicates: Replicates = "new items",
    draws: int = MAX_DRAWS,
) -> tuple[PredictiveRow, ...]:
    """Return observed statistics against their posterior predictive distribution.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    fit : StageFit
        Its posterior.
    seed : Seed
        Root seed.
    replicates : {"new items", "same items"}
        ``new items`` tests the model; ``same items`` conditions on the items' (and sampled clusters') own effects.
    draws : int
        Replicates, at most one per draw of the fit.

    Returns
    -------
    tuple of PredictiveRow
        Per cell the statistics of `cell_statistics`; per judge (domain ``(all domains)``) its overall ``rate`` and,
        with two domains or more, ``spread_over_domains``: the sd over domains of the raw difference between the
        blocks. Each with its 95 % equal-tailed predictive interval and mid-p tail. A cell without a trial gives its
        marginal probabilities, which are the prior's, with observed None.
    """
    limit = min(draws, fit.posterior.sizes["chain"] * fit.posterior.sizes["draw"])
    posterior = thinned(fit.posterior, limit)
    rng = seed.generator(f"{stage.name}/posterior_predictive/{replicates}")
    own = None
    if replicates == "same items":
        own, posterior = _own_effects(stage, replace(fit, posterior=posterior), seed)
    rows: list[PredictiveRow] = []
    made: dict[Cell, tuple[StageCounts, Array]] = {}
    for index, cell, one in design_cells(fit.counts):
        drawn = cell_draws(posterior, cell, index)
        where = ("posterior", stage.name, cell.judge, cell.domain)
        if not one.trials.size:
            blocks = marginal(drawn.parameters())
            for name in ("congruent", "incongruent"):
                rows.append(_parameter_row(where, name, blocks.block(name)))
            continue
        known = own is not None and one.cluster is not None and "cluster_effect" in posterior
        values = replicate_cell(
            drawn,
            one,
            rng,
            item_effects=None if own is None else _of_rows(own, cell, one),
            cluster_effects=cluster_effect_of_rows(posterior, cell, one) if known else None,
        )
        made[cell] = (one, values)
        rows += [_row(where, found, replicates) for found in cell_statistics(one, values)]
    return (*rows, *_judge_rows(stage, made, replicates))


def posterior_predictive_counts(stage: StageSpec, fit: StageFit, seed: Seed) -> xr.DataArray:
    """Return posterior predictive successes of new items, dims (chain, draw, cell, block), for the result tree."""
    rng = seed.generator(f"{stage.name}/posterior_predictive/counts")
    return replicated_totals(thinned(fit.posterior), fit.counts, rng)


def _judge_rows(
    stage: StageSpec, made: dict[Cell, tuple[StageCounts, Array]], replicates: Replicates
) -> list[PredictiveRow]:
    rows: list[PredictiveRow] = []
    for judge in sorted({cell.judge for cell in made}):
        mine = [made[cell] for cell in sorted(made) if cell.judge == judge]
        where = ("posterior", stage.name, judge, ALL_DOMAINS)
        trials = sum(int(one.trials.sum()) for one, _ in mine)
        successes = [np.concatenate([one.successes[None, :], values]).sum(axis=1) for one, values in mine]
        rate = np.sum(successes, axis=0) / trials
        rows.append(_row(where, Statistic("rate", None, float(rate[0]), rate[1:]), replicates))
        deltas = [s for one, values in mine for s in cell_statistics(one, values) if s.name == "rate_difference"]
        if len(deltas) > 1:
            observed = float(np.std([s.observed for s in deltas], ddof=1))
            spread = np.std([s.replicated for s in deltas], axis=0, ddof=1)
            rows.append(_row(where, Statistic("spread_over_domains", None, observed, spread), replicates))
    return rows


def _own_effects(stage: StageSpec, fit: StageFit, seed: Seed) -> tuple[xr.DataArray, xr.Dataset]:
    """Return the items' own effects at the draws of a thinned fit, and its posterior with the clusters' own effects."""
    own = item_effects(stage, fit, seed)
    if not stage.has("sigma_cluster") or "cluster_effect" in fit.posterior:
        return own, fit.posterior
    return own, fit.posterior.merge(cluster_effects(stage, fit, seed).to_dataset(name="cluster_effect"))


def _of_rows(effects: xr.DataArray, cell: Cell, counts: StageCounts) -> Array:
    mine = (effects["item_judge"].values == cell.judge) & (effects["item_domain"].values == cell.domain)
    names = effects["item_name"].values[mine]
    where = {str(name): int(i) for i, name in zip(np.flatnonzero(mine), names, strict=True)}
    of_row = [where[counts.items[0][i]] for i in counts.item]
    values = effects.transpose("chain", "draw", "item").values
    return np.asarray(values.reshape(-1, values.shape[-1])[:, of_row], dtype=np.float64)


def _row(where: tuple[str, str, str, str], found: Statistic, replicates: Replicates) -> PredictiveRow:
    lower, upper = np.quantile(found.replicated, TAILS)
    return PredictiveRow(
        *where,
        found.block,
        found.name,
        found.observed,
        float(found.replicated.mean()),
        float(lower),
        float(upper),
        mid_p(found.observed, found.replicated),
        replicates,
    )


def _parameter_row(where: tuple[str, str, str, str], block: str, values: Array) -> PredictiveRow:
    lower, upper = np.quantile(values, TAILS)
    return PredictiveRow(
        *where, block, "rate", None, float(values.mean()), float(lower), float(upper), None, "parameter"
    )
