"""Full model: one or two stages written out in PyMC, with every effect as a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgestats.inference.centring import centring_weights
from judgestats.inference.families.bernoulli_logit import log_likelihood
from judgestats.inference.terms.product import group_levels, pymc_coefficient
from judgestats.inference.terms.varying import effect_name, pymc_varying
from judgestats.inference.units import Units, cluster_units, item_units
from judgestats.spec.model import POOLED_GROUPS, StageSpec
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts


@dataclass(frozen=True)
class StagePart:
    """One stage of a full model.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    counts : StageCounts
        Its counts, rows aggregated to distinct predictors.
    prefix : str
        Put before its variable names: empty for a model of one stage.
    units : dict of str to Units
        Levels of each varying term by the term's name.
    """

    stage: StageSpec
    counts: StageCounts
    prefix: str
    units: dict[str, Units]

    @classmethod
    def of(cls, stage: StageSpec, counts: StageCounts, prefix: str = "") -> StagePart:
        """Return the part for a stage, with the levels of its varying terms."""
        units = {
            term.name: (item_units if term.group == "item" else cluster_units)(term, counts)
            for term in effect_terms(stage)
        }
        return cls(stage, counts, prefix, units)


def effect_terms(stage: StageSpec) -> tuple[Term, ...]:
    """Return the active varying terms whose effects are parameters of items or clusters, not of pooled cells."""
    return tuple(t for t in stage.terms if t.kind == "varying" and t.group not in POOLED_GROUPS)


def build_stage(part: StagePart) -> Any:
    """Return the PyMC model of one stage.

    Parameters
    ----------
    part : StagePart
        The stage and its counts.

    Returns
    -------
    pymc.Model
        With ``alpha``, ``beta`` (cell), standard deviations, effects and the observed counts.
    """
    import pymc as pm

    with pm.Model(coords=_coords(part.counts.cells)) as model:
        _add_stage(part, {})
    return model


def build_joint(parts: Mapping[str, StagePart], name: str, prior: Prior, fixed: float | None) -> Any:
    """Return the PyMC model of both stages with item effects that correlate across them.

    An item's standard effects are z_A and z_B = rho z_A + sqrt(1 - rho^2) z'; rho is one parameter per cell. Items
    that no valid trial has enter the validity stage alone.

    Parameters
    ----------
    parts : mapping of str to StagePart
        ``validity`` and ``shift``, over the same cells.
    name : str
        Name of the correlation.
    prior : Prior
        Its LKJ prior.
    fixed : float, optional
        A value in (-1, 1) at which the correlation is held instead of being estimated.

    Returns
    -------
    pymc.Model
        Variables carry their stage as prefix.
    """
    import pymc as pm
    import pytensor.tensor as pt

    first, second = parts["validity"], parts["shift"]
    cells = first.counts.cells
    with pm.Model(coords=_coords(cells)) as model:
        if fixed is None:
            half = pm.Beta(f"{name}_half", prior.shape, prior.shape, dims="cell")
            rho = pm.Deterministic(name, 2.0 * half - 1.0, dims="cell")
        else:
            rho = pm.Deterministic(name, pt.as_tensor(np.full(len(cells), float(fixed))), dims="cell")
        level_cell, (of_first, of_second) = _common_levels(first, second)
        z = pm.Normal("z_validity_raw", 0.0, 1.0, shape=len(level_cell))
        own = pm.Normal("z_shift_raw", 0.0, 1.0, shape=len(of_second))
        of_cell = rho[level_cell[of_second]]
        _add_stage(first, {"sigma_item": z[of_first]})
        _add_stage(second, {"sigma_item": of_cell * z[of_second] + pt.sqrt(1.0 - of_cell**2) * own})
    return model


def level_draws(part: StagePart, draws: Mapping[str, ArrayLike]) -> dict[str, NDArray[np.float64]]:
    """Return the draws of a stage with effects spread over the flat levels and standard deviations over the cells.

    Parameters
    ----------
    part : StagePart
        The stage.
    draws : mapping of str to array, dims (chain, draw, ...)
        Draws of the PyMC variables; those of other stages and raw effects are left out.

    Returns
    -------
    dict of str to ndarray
        Values by their name in the result tree.
    """
    others = tuple(p for p in ("validity_", "shift_") if p != part.prefix)
    values = {
        key.removeprefix(part.prefix): np.asarray(array, dtype=np.float64)
        for key, array in draws.items()
        if not key.endswith(("_raw", "_half")) and not (part.prefix and key.startswith(others))
    }
    for term in effect_terms(part.stage):
        units = part.units[term.name]
        values[term.name] = values[term.name][..., units.scale_of_cell]
        values[effect_name(term)] = values[effect_name(term)][..., units.of_level]
    return values


def _add_stage(part: StagePart, standard: Mapping[str, Any]) -> None:
    import pymc as pm
    import pytensor.tensor as pt

    stage, counts, prefix = part.stage, part.counts, part.prefix
    block = counts.block
    alpha = pymc_coefficient("alpha", stage, counts.cells, prefix)
    beta = pymc_coefficient("beta", stage, counts.cells, prefix)
    eta = alpha[counts.cell] + beta[counts.cell] * block
    for term in effect_terms(stage):
        units = part.units[term.name]
        weight = centring_weights(term, units, counts)
        effect = pymc_varying(term, units, weight, prefix, standard.get(term.name))
        on_row = effect[units.of_row]
        eta = eta + (on_row * block if term.of == "block" else on_row)
    if len(counts.cell):
        # The log-likelihood of the single trials, without the binomial constant, on the logit scale throughout.
        terms = log_likelihood(counts.successes.astype(np.float64), counts.trials.astype(np.float64), eta, pt.softplus)
        pm.Potential(f"{prefix}log_likelihood", terms.sum())


def _coords(cells: tuple[Cell, ...]) -> dict[str, Any]:
    levels = group_levels(cells)
    return {
        "cell": list(levels["cell"]),
        "judge_level": list(levels["judge"]),
        "domain_level": list(levels["domain"]),
    }


def _common_levels(
    first: StagePart, second: StagePart
) -> tuple[NDArray[np.int64], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the cell of every item that either stage has, and where each stage finds its own items among them."""
    flat = [
        [(cell, item) for cell, items in enumerate(part.counts.items) for item in items] for part in (first, second)
    ]
    known = {key: i for i, key in enumerate(sorted(set(flat[0]) | set(flat[1])))}
    where = tuple(np.array([known[key] for key in keys], dtype=np.int64) for keys in flat)
    return np.array([cell for cell, _ in known], dtype=np.int64), (where[0], where[1])
