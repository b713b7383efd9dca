"""Full model: one or two stages written out in PyMC, with every effect as a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgestats.inference.families.bernoulli_logit import log_likelihood
from judgestats.inference.stage_part import StagePart, effect_terms
from judgestats.inference.terms.product import pymc_coefficient
from judgestats.inference.terms.varying import effect_name, pymc_varying
from judgestats.spec.prior import Prior


def build_stage(part: StagePart) -> Any:
    """Return the PyMC model of one stage.

    Counts, indices and priors are `pm.Data`, so that other data and other priors of the same shape need no compilation.

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

    with pm.Model() as model:
        _add_stage(part, {})
    return model


def build_joint(parts: Mapping[str, StagePart], name: str) -> Any:
    """Return the PyMC model of both stages with item effects that correlate across them.

    An item's standard effects are z_A and z_B = rho z_A + sqrt(1 - rho^2) z'; rho is one parameter per cell. Items that
    no valid trial has enter the validity stage alone.

    Parameters
    ----------
    parts : mapping of str to StagePart
        ``validity`` and ``shift``, over the same cells, without padding.
    name : str
        Name of the correlation; the data ``<name>_shape``, ``<name>_free`` and ``<name>_held`` are those of
        `correlation_data`.

    Returns
    -------
    pymc.Model
        Variables carry their stage as prefix.
    """
    import pymc as pm
    import pytensor.tensor as pt
    from pytensor.tensor.shape import specify_shape

    first, second = parts["validity"], parts["shift"]
    with pm.Model() as model:
        # Data, not structure: a fit that holds the correlation uses the compiled model of one that estimates it.
        shape, free, held = (pm.Data(f"{name}_{key}", 1.0) for key in ("shape", "free", "held"))
        half = pm.Beta(f"{name}_half", shape, shape, shape=len(first.counts.cells))
        rho = pm.Deterministic(name, held + free * (2.0 * half - 1.0))
        common = common_items(first, second)
        level_cell, of_first, of_second = (pm.Data(key, array) for key, array in common.items())
        either, valid = joint_sizes(first, second)
        z = pm.Normal("z_validity_raw", 0.0, 1.0, shape=either)
        own = pm.Normal("z_shift_raw", 0.0, 1.0, shape=valid)
        of_item = rho[level_cell[of_second]]
        # The index is data, so its length must be said.
        _add_stage(first, {"sigma_item": specify_shape(z[of_first], common["either_validity"].shape)})
        _add_stage(second, {"sigma_item": of_item * z[of_second] + pt.sqrt(1.0 - of_item**2) * own})
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

    data = {name: pm.Data(part.prefix + name, array) for name, array in part.data().items()}
    alpha = pymc_coefficient("alpha", part.stage, part.counts.cells, data, part.prefix)
    beta = pymc_coefficient("beta", part.stage, part.counts.cells, data, part.prefix)
    block = data["block"]
    cell = data.get("row_cell", 0)
    eta = alpha[cell] + beta[cell] * block
    for term in effect_terms(part.stage):
        effect = pymc_varying(term, part.size(term), part.units[term.name].scales, data, part.prefix, standard)
        on_row = effect[data[f"{term.name}_unit"]]
        eta = eta + (on_row * block if term.of == "block" else on_row)
    # The log-likelihood of the single trials, without the binomial constant, on the logit scale throughout.
    terms = log_likelihood(data["successes"], data["trials"], eta, pt.softplus)
    pm.Potential(f"{part.prefix}log_likelihood", terms.sum())


def correlation_data(name: str, prior: Prior, fixed: float | None) -> dict[str, NDArray[np.float64]]:
    """Return the data of a correlation: its prior's shape, whether it is estimated, and where it is held otherwise."""
    values = {"shape": prior.shape, "free": float(fixed is None), "held": fixed or 0.0}
    return {f"{name}_{key}": np.array(value, dtype=np.float64) for key, value in values.items()}


def common_items(first: StagePart, second: StagePart) -> dict[str, NDArray[np.int64]]:
    """Return the cell of every item that either stage has, and where each stage finds its own items among them."""
    flat = [
        [(cell, item) for cell, items in enumerate(part.counts.items) for item in items] for part in (first, second)
    ]
    known = {key: i for i, key in enumerate(sorted(set(flat[0]) | set(flat[1])))}
    of_first, of_second = (np.array([known[key] for key in keys], dtype=np.int64) for keys in flat)
    cell = np.array([cell for cell, _ in known], dtype=np.int64)
    return {"either_cell": cell, "either_validity": of_first, "either_shift": of_second}


def joint_sizes(first: StagePart, second: StagePart) -> tuple[int, int]:
    """Return how many items either stage has and how many the shift stage has."""
    index = common_items(first, second)
    return len(index["either_cell"]), len(index["either_shift"])
