"""Power-scaling: how far the effect moves when the prior, or the likelihood, is made a little stronger or weaker.

References
----------
Kallioinen, Paananen, Buerkner & Vehtari 2024, doi:10.1007/s11222-023-10366-5.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.checks.cell_draws import thinned
from judgestats.checks.effect_summary import delta_draws, effect_name
from judgestats.checks.finding import SensitivityRow
from judgestats.checks.item_likelihood import item_log_likelihood, shared_items
from judgestats.checks.log_prior import cell_log_prior, log_prior
from judgestats.draws import arviz
from judgestats.draws.fit import StageFit
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell

Array = NDArray[np.float64]

THRESHOLD = 0.05
KHAT_LIMIT = 0.7
SETTINGS = ("prior scaled by a power", "likelihood scaled by a power")


def power_scaling(
    stage: StageSpec, fit: StageFit, seed: Seed, *, likelihood: xr.DataArray | None = None
) -> tuple[SensitivityRow, ...]:
    """Return the power-scaling sensitivity of the marginal difference between the blocks of every cell.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    fit : StageFit
        Its posterior.
    seed : Seed
        Unused: the index is deterministic given the draws; kept so that every check is called alike.
    likelihood : xarray.DataArray, optional
        From `item_log_likelihood`, to save computing it again.

    Returns
    -------
    tuple of SensitivityRow
        Kind ``power_scaling``, two rows per cell: `value` is the index for the prior (top-level parameters only) and
        for the likelihood (item effects integrated out). ``note`` reads the pair: a prior index above 0.05 beside a
        likelihood index below says that the prior dominates, both above that prior and data disagree. Where the
        Pareto k of the weights exceeds 0.7 the index is not to be trusted and the note says so.
    """
    del seed
    by_unit = item_log_likelihood(stage, fit) if likelihood is None else likelihood
    densities = log_prior(stage, fit.posterior)
    # The likelihood was computed on thinned draws; the effect has to be taken at the same ones.
    kept = by_unit.sizes["chain"] * by_unit.sizes["draw"]
    few = StageFit(fit.stage, fit.engine, fit.why, fit.counts, thinned(fit.posterior, kept), None)
    rows: list[SensitivityRow] = []
    for index, cell in enumerate(fit.counts.cells):
        own = cell_log_prior(densities, index, cell.domain)
        prior, prior_khat = arviz.psense(delta_draws(fit, index), own)
        component = _cell_likelihood(stage, by_unit, cell)
        data, data_khat = arviz.psense(delta_draws(few, index), component)
        reading = "no trial: the posterior is the prior" if not np.ptp(component) else _reading(prior, data)
        for setting, value, khat in zip(SETTINGS, (prior, data), (prior_khat, data_khat), strict=True):
            note = reading if khat <= KHAT_LIMIT else f"not to be trusted: Pareto k is {khat:.2f}, above {KHAT_LIMIT}"
            rows.append(
                SensitivityRow(
                    judge=cell.judge,
                    domain=cell.domain,
                    kind="power_scaling",
                    setting=setting,
                    estimand=effect_name(stage.name),
                    version="marginal",
                    value=value,
                    note=note,
                )
            )
    return tuple(rows)


def _cell_likelihood(stage: StageSpec, by_unit: xr.DataArray, cell: Cell) -> Array:
    """Return the log-likelihood that bears on one cell, dims (chain, draw): its own, or all of it where cells share."""
    if stage.pooled("intercept") or stage.pooled("block"):
        return np.asarray(by_unit.sum("item").values, dtype=np.float64)
    mine = by_unit["item_domain"].values == cell.domain
    if not shared_items(stage):
        mine &= by_unit["item_judge"].values == cell.judge
    return np.asarray(by_unit.values[:, :, mine].sum(axis=2), dtype=np.float64)


def _reading(prior: float, data: float) -> str:
    if prior < THRESHOLD:
        return "the prior matters little"
    if data < THRESHOLD:
        return "the prior dominates: it is strong, or the data say little"
    return "prior and data may disagree: both move the effect"
