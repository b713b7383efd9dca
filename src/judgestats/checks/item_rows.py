"""Item rows: every item of a cell with its raw counts, its shrunken effect and its influence on the difference."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from judgestats.checks.cell_draws import MAX_DRAWS
from judgestats.checks.finding import ItemRow
from judgestats.checks.leave_one_out import LeftOut, leave_out_cells
from judgestats.draws.fit import StageFit
from judgestats.inference.item_effects import item_effects
from judgestats.inference.patterns import item_table
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell


def item_rows(
    stage: StageSpec,
    fit: StageFit,
    seed: Seed,
    *,
    effects: xr.DataArray | None = None,
    left_out: Mapping[Cell, LeftOut] | None = None,
    ci_prob: float = 0.95,
) -> tuple[ItemRow, ...]:
    """Return one row per item that has a trial in the stage.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    fit : StageFit
        Its posterior.
    seed : Seed
        Root seed of the draws of item effects.
    effects : xarray.DataArray, dims (chain, draw, item), optional
        Item effects, log-odds scale, from `inference.item_effects`; drawn here if None.
    left_out : mapping of Cell to LeftOut, optional
        From `leave_out_cells`; computed here if None. Influence is None for engines other than exact and where the unit
        left out is a cluster.
    ci_prob : float
        Probability of the equal-tailed interval of the effect.
    """
    if effects is None:
        effects = item_effects(stage, fit, seed, MAX_DRAWS)
    exact = leave_out_cells(stage, fit) if left_out is None else left_out
    tails = [(1.0 - ci_prob) / 2.0, (1.0 + ci_prob) / 2.0]
    lower, upper = np.quantile(effects.values, tails, axis=(0, 1))
    mean = effects.values.mean(axis=(0, 1))
    keys = zip(*(effects[c].values.tolist() for c in ("item_judge", "item_domain", "item_name")), strict=True)
    position = {key: i for i, key in enumerate(keys)}
    rows: list[ItemRow] = []
    for index, cell in enumerate(fit.counts.cells):
        influence = _influence(exact.get(cell))
        for name, counts in zip(fit.counts.items[index], item_table(fit.counts.select(index)).tolist(), strict=True):
            if counts[0] + counts[2] == 0:
                continue
            at = position[(cell.judge, cell.domain, name)]
            effect = (float(mean[at]), float(lower[at]), float(upper[at]))
            rows.append(_row(cell, stage.name, name, counts, effect, influence.get(name)))
    return tuple(rows)


def _row(
    cell: Cell,
    stage: str,
    name: str,
    counts: list[int],
    effect: tuple[float, float, float],
    influence: float | None,
) -> ItemRow:
    return ItemRow(
        judge=cell.judge,
        domain=cell.domain,
        item=name,
        stage=stage,
        congruent_n=counts[0],
        congruent_k=counts[1],
        incongruent_n=counts[2],
        incongruent_k=counts[3],
        effect_mean=effect[0],
        effect_lower=effect[1],
        effect_upper=effect[2],
        influence=influence,
    )


def _influence(found: LeftOut | None) -> dict[str, float]:
    if found is None or found.unit != "item":
        return {}
    return dict(zip(found.names, found.influence.tolist(), strict=True))
