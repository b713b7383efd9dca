"""Varying term: a zero-mean normal effect per item or cluster, written out for the full model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgestats.spec.term import Term

EFFECT_NAME = {
    ("item", "intercept"): "item_effect",
    ("item", "block"): "item_slope",
    ("cluster", "intercept"): "cluster_effect",
}


def effect_name(term: Term) -> str:
    """Return the name of a varying term's effects in the result tree, e.g. ``item_effect``."""
    return EFFECT_NAME[(str(term.group), term.of)]


def pymc_varying(
    term: Term,
    size: int,
    scales: int,
    data: Mapping[str, Any],
    prefix: str = "",
    standard: Mapping[str, Any] | None = None,
) -> Any:
    """Add the effects of one varying term to the PyMC model in context, non-centred: sigma times a standard normal.

    Centred or partly centred effects mixed worse on every table tried, from one trial an item to 40 (effective draws of
    sigma_item in 2,000: 1,400 non-centred, 16 centred, for 36 items x 20 templates x 2 blocks at middling rates).

    Parameters
    ----------
    term : Term
        The varying term; the standard deviation takes its name.
    size, scales : int
        Number of levels and of standard deviations.
    data : mapping
        ``<term>_sd``, the scale of the half-normal prior; where there are several, ``<term>_scale`` (unit), which
        standard deviation a level takes.
    prefix : str
        Put before every variable name.
    standard : mapping of str to pytensor variable, optional
        Standard normal effects (unit) made elsewhere, by term: those of correlated stages.

    Returns
    -------
    pytensor variable, dims (unit,)
        Effects on the log-odds scale.
    """
    import pymc as pm

    name = effect_name(term)
    sigma = pm.HalfNormal(prefix + term.name, data[f"{term.name}_sd"], shape=scales)
    raw = (standard or {}).get(term.name)
    if raw is None:
        raw = pm.Normal(f"{prefix}{name}_raw", 0.0, 1.0, shape=size)
    return pm.Deterministic(prefix + name, (sigma if scales == 1 else sigma[data[f"{term.name}_scale"]]) * raw)
