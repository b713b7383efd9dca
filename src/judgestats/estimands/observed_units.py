"""Observed units: the items (and clusters) that a stage met, with their own effects, for in-sample quantities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.draws.fit import StageFit
from judgestats.estimands.probabilities import Array
from judgestats.inference.item_effects import cluster_effects, item_effects
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import StageCounts

Index = NDArray[np.int64]


@dataclass(frozen=True)
class Units:
    """Distinct items, or item x cluster pairs, that a cell met; each counts once however many trials it had.

    Parameters
    ----------
    item : ndarray, dims (unit,)
        Index into the cell's items.
    cluster : ndarray, dims (unit,), optional
        Index into the cell's clusters.
    """

    item: Index
    cluster: Index | None

    @classmethod
    def of(cls, counts: StageCounts, index: int) -> Units:
        """Return the units of the cell at `index` that have a trial in either block."""
        rows = counts.cell == index
        if counts.cluster is None:
            return cls(np.unique(counts.item[rows]), None)
        pairs = np.unique(np.stack([counts.item[rows], counts.cluster[rows]], axis=1), axis=0)
        return cls(pairs[:, 0], pairs[:, 1])

    @property
    def size(self) -> int:
        """Number of units."""
        return int(self.item.size)


@dataclass(frozen=True)
class EffectDraws:
    """Draws of the effects of every item and cluster of one stage, log-odds scale.

    An item without a trial in the stage keeps its place and holds draws from N(0, sigma_item).

    Parameters
    ----------
    counts : StageCounts
        Order of the flat dims: (cell, level).
    item : ndarray, dims (chain, draw, item)
        Item effects.
    cluster : ndarray, dims (chain, draw, cluster), optional
        Cluster effects.
    slope : ndarray, dims (chain, draw, item), optional
        Deviation of the item's block effect.
    """

    counts: StageCounts
    item: Array
    cluster: Array | None = None
    slope: Array | None = None

    def at(self, index: int, units: Units) -> tuple[Array, Array | None]:
        """Return effects and slopes of the units of the cell at `index`, dims (chain, draw, unit) each."""
        items = _offset(self.counts.items, index) + units.item
        effects = self.item[..., items]
        if units.cluster is not None and self.cluster is not None and self.counts.clusters is not None:
            effects = effects + self.cluster[..., _offset(self.counts.clusters, index) + units.cluster]
        return effects, None if self.slope is None else self.slope[..., items]


def _offset(levels: tuple[tuple[str, ...], ...], index: int) -> int:
    return sum(len(names) for names in levels[:index])


def effect_draws(stage: StageSpec, fit: StageFit, seed: Seed) -> EffectDraws | None:
    """Return the effects of one stage, or None where its engine gives none.

    Engines that integrate effects out have them drawn afterwards from their conditional. Without a draw of every
    effect in the linear predictor there is no in-sample version: block slopes that were integrated out are not drawn.

    Parameters
    ----------
    stage : StageSpec
        The stage.
    fit : StageFit
        Its fit.
    seed : Seed
        Root seed.
    """
    slopes = "item_slope" in fit.posterior
    if fit.counts.cell.size == 0 or not stage.has("sigma_item") or (stage.has("sigma_slope") and not slopes):
        return None
    return EffectDraws(
        fit.counts,
        _values(item_effects(stage, fit, seed), "item"),
        _values(cluster_effects(stage, fit, seed), "cluster") if stage.has("sigma_cluster") else None,
        _values(fit.posterior["item_slope"], "item") if slopes else None,
    )


def _values(array: xr.DataArray, dim: str) -> Array:
    return np.asarray(array.transpose("chain", "draw", dim).values, dtype=np.float64)
