"""Score density: the log posterior of a score stage with the item effect of every item integrated out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.families import cumulative_logit, rounded_t
from judgestats.inference.quadrature import standard_normal_nodes
from judgestats.inference.score_parameters import LOGIT, ScoreShape, score_parameters

Array = NDArray[np.float64]

CELL_VALUES = ("threshold", "effect", "sigma_item", "scale", "nu")
NO_NODES = 1
"""Nodes where there is no item effect: one at 0."""


def effect_nodes(nodes: int) -> tuple[Array, Array]:
    """Return quadrature nodes of an item effect in standard deviations, and their weights."""
    return (np.zeros(1), np.ones(1)) if nodes == NO_NODES else standard_normal_nodes(nodes)


def cell_log_likelihood(
    family: str, values: Mapping[str, Any], data: Mapping[str, Any], nodes: int, xp: Any = np
) -> Any:
    """Return the log-likelihood of one cell, item effects integrated out by the trapezium rule.

    Parameters
    ----------
    family : str
        Family of the stage.
    values : mapping
        Parameters of one cell.
    data : mapping
        Its counts, as the family makes them.
    nodes : int
        Quadrature nodes.
    xp : module
        NumPy or jax.numpy.

    Returns
    -------
    array, dims ()
        Nats, without multinomial constants.
    """
    z, weight = effect_nodes(nodes)
    constant, terms = _node_terms(family)(values, data, z, xp)
    terms = terms + np.log(weight)
    top = xp.max(terms, axis=1)
    if xp is not np:
        import jax

        top = jax.lax.stop_gradient(top)
    marginal = top + xp.log(xp.sum(xp.exp(terms - top[:, None]), axis=1))
    return constant + xp.sum(data["items"] * marginal)


def log_posterior(shape: ScoreShape, nodes: int, data: Mapping[str, Any], vector: Any) -> Any:
    """Return the log posterior density at a point of the unconstrained scale, without constants.

    Parameters
    ----------
    shape : ScoreShape
        Structure.
    nodes : int
        Quadrature nodes.
    data : mapping
        Priors, and ``cell``: counts of every cell, dims (cell, ...).
    vector : jax.Array, dims (element,)
        The point.
    """
    import jax
    import jax.numpy as jnp

    values, log_prior = score_parameters(shape, data, vector)
    of_cell = {name: values[name] for name in CELL_VALUES if name in values}

    def likelihood(one: Any, counts: Any) -> Any:
        return cell_log_likelihood(shape.family, one, counts, nodes, jnp)

    return log_prior + jnp.sum(jax.vmap(likelihood)(of_cell, data["cell"]))


def _node_terms(family: str) -> Any:
    return cumulative_logit.node_terms if family in LOGIT else rounded_t.node_terms
