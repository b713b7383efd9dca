"""Stage fit: what an engine returns for one stage, the same for every engine."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.draws.gate import GateRow
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts


@dataclass(frozen=True)
class WeightedNodes:
    """The posterior of one cell as weighted nodes: the exact engine's answer before draws are taken from it.

    Parameters
    ----------
    parameters : dict of str to ndarray, dims (node,)
        ``alpha``, ``beta``, ``sigma_item`` (and ``sigma_cluster``), link scale.
    weights : ndarray, dims (node,)
        Posterior weights, non-negative, sum 1.
    half_width : float
        Half of the stretch of beta that each weight stands for: the weight of a node is spread evenly over
        [beta - half_width, beta + half_width]. Ends of intervals need it; means do not.
    coarse : WeightedNodes or None
        The same posterior with twice the grid step and half the quadrature nodes: the difference of a quantity
        between the two is its grid error.
    """

    parameters: dict[str, NDArray[np.float64]]
    weights: NDArray[np.float64]
    half_width: float = 0.0
    coarse: WeightedNodes | None = None


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
    nodes : dict of Cell to WeightedNodes
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
    nodes: dict[Cell, WeightedNodes] = field(default_factory=dict)
    gate: tuple[GateRow, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
