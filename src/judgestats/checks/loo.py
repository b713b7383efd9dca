"""LOO: leave-one-item-out cross-validation, by Pareto-smoothed importance sampling and, where it is cheap, by refits.

The unit is the item (or a cluster that holds whole items) with its effect integrated out; see `item_likelihood`.

References
----------
Vehtari, Gelman & Gabry 2017, doi:10.1007/s11222-016-9696-4; Merkle, Furr & Rabe-Hesketh 2019,
doi:10.1007/s11336-019-09679-0.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.checks.finding import LooRow
from judgestats.checks.item_likelihood import item_log_likelihood
from judgestats.checks.leave_one_out import LeftOut, leave_out_cells
from judgestats.draws import arviz
from judgestats.draws.fit import StageFit
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell

KHAT_LIMIT = 0.7


def loo_by_item(
    stage: StageSpec,
    fit: StageFit,
    seed: Seed,
    *,
    likelihood: xr.DataArray | None = None,
    left_out: Mapping[Cell, LeftOut] | None = None,
) -> tuple[LooRow, ...]:
    """Return leave-one-item-out cross-validation of every cell.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    fit : StageFit
        Its posterior.
    seed : Seed
        Unused by PSIS, which is deterministic given the draws; kept so that every check is called alike.
    likelihood : xarray.DataArray, optional
        From `item_log_likelihood`, to save computing it again.
    left_out : mapping of Cell to LeftOut, optional
        From `leave_out_cells`, likewise.

    Returns
    -------
    tuple of LooRow
        One per cell (per domain where judges share items) with at least two units; a sum over one unit has no standard
        error. ``elpd_exact`` is the sum of brute-force refits for the exact engine, None for others.

    Raises
    ------
    ValueError
        If a log-likelihood is not finite, or the pointwise values do not add up to the total.
    """
    del seed
    values = item_log_likelihood(stage, fit) if likelihood is None else likelihood
    exact = leave_out_cells(stage, fit) if left_out is None else left_out
    keys = list(zip(values["item_judge"].values.tolist(), values["item_domain"].values.tolist(), strict=True))
    rows: list[LooRow] = []
    for judge, domain in sorted(set(keys)):
        mine = values.isel(item=[i for i, key in enumerate(keys) if key == (judge, domain)])
        if mine.sizes["item"] < 2:
            continue
        rows.append(_row(stage, fit, judge, domain, mine, exact.get(Cell(judge, domain))))
    return tuple(rows)


def _row(stage: StageSpec, fit: StageFit, judge: str, domain: str, mine: xr.DataArray, known: LeftOut | None) -> LooRow:
    found = arviz.loo(mine.values, relative_efficiency(fit, mine.values))
    if not np.isclose(found.pointwise.sum(), found.elpd):
        raise ValueError(f"pointwise values of {judge} x {domain} do not add up to the total")
    finite = found.khat[np.isfinite(found.khat)]
    return LooRow(
        stage=stage.name,
        judge=judge,
        domain=domain,
        elpd=found.elpd,
        se=found.se,
        p_loo=found.p_loo,
        n_items=mine.sizes["item"],
        pareto_k_max=float(finite.max()) if finite.size else None,
        share_k_over_07=float(np.mean(found.khat > KHAT_LIMIT)),
        elpd_exact=None if known is None else float(known.elpd.sum()),
        unit=str(mine["unit"].values[0]),
    )


def relative_efficiency(fit: StageFit, log_likelihood: NDArray[np.float64]) -> float:
    """Return effective over actual draws of the likelihood: 1 for independent draws, less for Markov chains.

    Parameters
    ----------
    fit : StageFit
        Says whether draws are independent.
    log_likelihood : ndarray, dims (chain, draw, unit)
        Log-likelihood by unit.
    """
    if fit.engine in ("exact", "laplace"):
        return 1.0
    shape = log_likelihood.shape
    scaled = np.exp(log_likelihood - log_likelihood.max(axis=(0, 1)))
    effective = arviz.ess_bulk(scaled)
    usable = effective[np.isfinite(effective)]
    if not usable.size:
        return 1.0
    return float(np.clip(usable.mean() / (shape[0] * shape[1]), 0.01, 1.0))
