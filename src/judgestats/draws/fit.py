"""Stage fit: what an engine returns for one stage, the same for every engine."""

from __future__ import annotations

from dataclasses import dataclass, field

import xarray as xr

from judgestats.draws.gate import GateRow
from judgestats.draws.lines import Lines
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts


@dataclass(frozen=True)
class StageFit:
    """The posterior of one stage.

    Parameters
    ----------
    stage : str
        ``"validity"`` or ``"shift"``.
    engine, why : str
        Engine that ran and, in a sentence, why it was chosen.
    counts : StageCounts
        The data that were fitted.
    posterior : xarray.Dataset, dims (chain, draw, cell, ...)
        ``alpha`` and ``beta`` (cell), ``sigma_item`` (cell) and, where active, ``sigma_cluster``, ``sigma_slope``
        (cell), hyperparameters of pooled fits, and ``item_effect`` (item) / ``cluster_effect`` for engines that
        sample them. ``cell`` is a flat string coordinate with companion coordinates ``judge`` and ``domain``. A cell
        without trials keeps its place and holds the prior.
    sample_stats : xarray.Dataset or None
        ``diverging``, ``energy``, ``tree_depth``, ``acceptance_rate`` (chain, draw) of NUTS; None otherwise.
    lines : dict of Cell to Lines
        Empty for engines other than exact.
    gate : tuple of GateRow
        The engine's own gate over parameters.
    seconds : float
        Wall time of the fit.
    notes : tuple of str
        Sentences that the report must print (separation, empty cells, prior-only parameters ...).
    """

    stage: str
    engine: str
    why: str
    counts: StageCounts
    posterior: xr.Dataset
    sample_stats: xr.Dataset | None
    lines: dict[Cell, Lines] = field(default_factory=dict)
    gate: tuple[GateRow, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
