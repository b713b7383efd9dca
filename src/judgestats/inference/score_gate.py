"""Score gate: whether the chains of a score stage can be trusted, the worst element of each parameter of each cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.draws import arviz
from judgestats.draws.convergence import convergence
from judgestats.draws.gate import GateRow
from judgestats.inference.nuts_gate import EBFMI, ESS, HEAVY, LONGER, REPARAMETERISE, RHAT, UNDEFINED
from judgestats.inference.score_posterior import ScoreDraws

Place = tuple[str | None, str | None]


def score_gate(stage: str, posterior: xr.Dataset, draws: Sequence[ScoreDraws]) -> tuple[GateRow, ...]:
    """Return the convergence gate of a score fit.

    Rank-normalised split R-hat below 1.01, bulk and tail ESS of at least 400, no divergence, E-BFMI above 0.3. Elements that
    hold NaN or a constant (the effect of the base) are left out; of the others the worst of each parameter and cell is a
    row.

    Parameters
    ----------
    stage : str
        Name of the stage.
    posterior : xarray.Dataset, dims (chain, draw, ...)
        Parameters.
    draws : sequence of ScoreDraws
        Draws of each block, for divergences and E-BFMI.

    Returns
    -------
    tuple of GateRow
        Rows of parameters, then divergences and E-BFMI of the whole fit, each of the worst block.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Burkner (2021), doi 10.1214/20-BA1221; Betancourt (2018), arXiv:1701.02434.
    """
    if not draws:
        return ()
    rows: list[GateRow] = []
    for name in posterior.data_vars:
        variable = posterior[name]
        if "cell" not in variable.dims:
            rows += _worst_rows(stage, (None, None), str(name), variable.values)
            continue
        array = np.moveaxis(variable.values, variable.get_axis_num("cell"), 0)
        for judge, domain, values in zip(variable["judge"].values, variable["domain"].values, array, strict=True):
            rows += _worst_rows(stage, (str(judge), str(domain)), str(name), values)
    divergences = float(sum(int(part.stats["diverging"].sum()) for part in draws))
    rows.append(_row(stage, (None, None), "sampler", "divergences", divergences, 0.0, divergences == 0, REPARAMETERISE))
    energy = min(float(np.min(arviz.ebfmi(np.asarray(part.stats["energy"], dtype=np.float64)))) for part in draws)
    rows.append(_row(stage, (None, None), "sampler", "ebfmi", energy, EBFMI, energy > EBFMI, HEAVY))
    return tuple(rows)


def _worst_rows(stage: str, place: Place, name: str, values: NDArray[np.float64]) -> Iterator[GateRow]:
    flat = values.reshape(*values.shape[:2], -1)
    moves = np.ptp(flat, axis=(0, 1)) > 0  # False for NaN too
    if not moves.any():
        return
    rhat, bulk, tail = convergence(flat[..., moves])
    quantity = name if flat.shape[2] == 1 else f"{name}[worst]"
    high, low_bulk, low_tail = float(np.max(rhat)), float(np.min(bulk)), float(np.min(tail))
    yield _row(stage, place, quantity, "rhat", high, RHAT, high < RHAT, LONGER)
    yield _row(stage, place, quantity, "ess_bulk", low_bulk, ESS, low_bulk >= ESS, LONGER)
    yield _row(stage, place, quantity, "ess_tail", low_tail, ESS, low_tail >= ESS, LONGER)


def _row(
    stage: str, place: Place, quantity: str, criterion: str, value: float, limit: float, passed: bool, action: str
) -> GateRow:
    if np.isnan(value):
        return GateRow(stage, *place, quantity, criterion, None, limit, "undefined", UNDEFINED)
    return GateRow(
        stage, *place, quantity, criterion, value, limit, "pass" if passed else "fail", "" if passed else action
    )
