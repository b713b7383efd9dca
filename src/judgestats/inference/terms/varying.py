"""Varying term: a zero-mean normal effect per item or cluster, written out for the full model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.units import Units
from judgestats.spec.term import Term

EFFECT_NAME = {
    ("item", "intercept"): "item_effect",
    ("item", "block"): "item_slope",
    ("cluster", "intercept"): "cluster_effect",
}


def effect_name(term: Term) -> str:
    """Return the name of a varying term's effects in the result tree, e.g. ``item_effect``."""
    return EFFECT_NAME[(str(term.group), term.of)]


def pymc_varying(term: Term, units: Units, weight: NDArray[np.float64], prefix: str = "", standard: Any = None) -> Any:
    """Add the effects of one varying term to the PyMC model in context.

    Effect i is sigma^(1 - w_i) times a raw effect with standard deviation sigma^(w_i): non-centred at weight 0,
    centred at weight 1, the same distribution N(0, sigma^2) at any weight.

    Parameters
    ----------
    term : Term
        The varying term; the standard deviation takes its name and prior.
    units : Units
        Its levels.
    weight : ndarray, dims (unit,)
        Centring weight of each level in [0, 1].
    prefix : str
        Put before every variable name.
    standard : pytensor variable, dims (unit,), optional
        Standard normal effects made elsewhere (correlated stages); `weight` is then ignored.

    Returns
    -------
    pytensor variable, dims (unit,)
        Effects on the log-odds scale.

    References
    ----------
    Papaspiliopoulos, Roberts & Skoeld (2007), doi 10.1214/088342307000000014.
    """
    import pymc as pm

    name = effect_name(term)
    sigma = pm.HalfNormal(prefix + term.name, term.prior.sd, shape=units.scales)
    spread = sigma[units.scale]
    if standard is not None:
        return pm.Deterministic(prefix + name, spread * standard)
    if not weight.any():
        raw = pm.Normal(f"{prefix}{name}_raw", 0.0, 1.0, shape=units.size)
        return pm.Deterministic(prefix + name, spread * raw)
    raw = pm.Normal(f"{prefix}{name}_raw", 0.0, spread**weight, shape=units.size)
    return pm.Deterministic(prefix + name, spread ** (1.0 - weight) * raw)
