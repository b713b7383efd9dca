"""NUTS gate: whether chains can be trusted, one row per criterion and parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.draws import arviz
from judgestats.draws.convergence import convergence
from judgestats.draws.gate import GateRow, GateStatus
from judgestats.errors import SamplingError

RHAT = 1.01
ESS = 400.0
EBFMI = 0.3
UNDEFINED = "not defined for a constant, and R-hat not for a single chain"
EFFECTS = ("item_effect", "item_slope", "cluster_effect")

LONGER = "draw more, or longer warm-up"
REPARAMETERISE = "raise target_accept; if divergences stay, the posterior is not explored and must not be used"
HEAVY = "draw more; the sampler moves slowly through the tails of a standard deviation"


class _Place(NamedTuple):
    judge: str | None
    domain: str | None
    quantity: str


def nuts_gate(
    stage: str,
    posterior: xr.Dataset,
    sample_stats: xr.Dataset,
    energies: Sequence[NDArray[np.float64]] = (),
) -> tuple[GateRow, ...]:
    """Return the convergence gate of a NUTS fit.

    Rank-normalised split R-hat below 1.01, bulk and tail ESS of at least 400, no divergence, E-BFMI above 0.3.
    Diagnostics of a constant are undefined: neither pass nor crash. Of item and cluster effects only the worst level
    is a row.

    Parameters
    ----------
    stage : str
        Name of the stage.
    posterior : xarray.Dataset, dims (chain, draw, ...)
        Parameters on the link scale.
    sample_stats : xarray.Dataset, dims (chain, draw)
        ``diverging`` and ``energy``.
    energies : sequence of ndarray, dims (chain, draw)
        Energy of each part where independent parts were sampled apart; E-BFMI is then that of the worst part.

    Returns
    -------
    tuple of GateRow
        One row per parameter and criterion, then divergences and E-BFMI of the whole fit.

    Raises
    ------
    SamplingError
        If a draw is not finite: a NaN is an error, never a diagnostic.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Burkner (2021), doi 10.1214/20-BA1221; Betancourt (2018), arXiv:1701.02434.
    """
    rows: list[GateRow] = []
    for name in posterior.data_vars:
        values = np.asarray(posterior[name].values, dtype=np.float64)
        if not np.all(np.isfinite(values)):
            raise SamplingError(f"stage {stage!r}: draws of {name!r} are not finite")
        rows += _parameter_rows(stage, str(name), posterior[name], values)
    divergences = int(np.asarray(sample_stats["diverging"].values).sum())
    rows.append(
        GateRow(
            *(stage, None, None, "sampler", "divergences", float(divergences), 0.0),
            "pass" if divergences == 0 else "fail",
            "" if divergences == 0 else REPARAMETERISE,
        )
    )
    energy = min(float(np.min(arviz.ebfmi(part))) for part in energies or (sample_stats["energy"].values,))
    rows.append(_row(stage, _Place(None, None, "sampler"), "ebfmi", energy, EBFMI, energy > EBFMI, HEAVY))
    return tuple(rows)


def _parameter_rows(stage: str, name: str, variable: xr.DataArray, values: NDArray[np.float64]) -> Iterator[GateRow]:
    flat = values.reshape(*values.shape[:2], -1)
    if not flat.shape[2]:
        return
    moves = np.ptp(flat, axis=(0, 1)) > 0
    rhat, bulk, tail = (np.where(moves, diagnostic, np.nan) for diagnostic in convergence(flat))
    if name in EFFECTS:
        place = _Place(None, None, f"{name}[worst]")
        rhat, bulk, tail = _worst(rhat, np.max), _worst(bulk, np.min), _worst(tail, np.min)
        places = [place]
    else:
        places = list(_places(name, variable))
    for i, place in enumerate(places):
        yield _row(stage, place, "rhat", rhat[i], RHAT, bool(rhat[i] < RHAT), LONGER)
        yield _row(stage, place, "ess_bulk", bulk[i], ESS, bool(bulk[i] >= ESS), LONGER)
        yield _row(stage, place, "ess_tail", tail[i], ESS, bool(tail[i] >= ESS), LONGER)


def _worst(values: NDArray[np.float64], worst: Callable[..., Any]) -> NDArray[np.float64]:
    defined = values[~np.isnan(values)]
    return np.array([worst(defined) if defined.size else np.nan])


def _places(name: str, variable: xr.DataArray) -> Iterator[_Place]:
    extra = [str(dim) for dim in variable.dims if dim not in ("chain", "draw")]
    if not extra:
        yield _Place(None, None, name)
    elif extra == ["cell"]:
        for judge, domain in zip(variable["judge"].values, variable["domain"].values, strict=True):
            yield _Place(str(judge), str(domain), name)
    else:
        for level in variable[extra[0]].values:
            yield _Place(None, None, f"{name}[{level}]")


def _row(
    stage: str, place: _Place, criterion: str, value: float, threshold: float, passed: bool, action: str
) -> GateRow:
    if np.isnan(value):
        return GateRow(stage, *place, criterion, None, threshold, "undefined", UNDEFINED)
    status: GateStatus = "pass" if passed else "fail"
    return GateRow(stage, *place, criterion, float(value), threshold, status, "" if passed else action)
