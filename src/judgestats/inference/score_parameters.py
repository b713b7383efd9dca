"""Score parameters: the unconstrained vector of a score stage and what it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from judgestats.inference.standard_coordinates import Coordinates

LOGIT = ("bernoulli_logit", "cumulative_logit")
Groups = tuple[tuple[str, str], ...]


class ScoreShape(NamedTuple):
    """Everything that a compiled density depends on; data and priors are arguments.

    Parameters
    ----------
    family : str
        Family of the stage.
    cells, judges, domains : int
        Cells that share a vector (1 where cells are apart) and levels of the pooling groups.
    variants, outcomes, patterns : int
        Variants, base included, levels or outcomes, and patterns (padded) of each cell.
    items : bool
        Whether there is an item effect.
    intercepts, effects : tuple of (group, name)
        Pooling groups of intercepts and of effects with the names of their standard deviations; empty for cells apart.
    """

    family: str
    cells: int
    judges: int
    domains: int
    variants: int
    outcomes: int
    patterns: int
    items: bool
    intercepts: Groups = ()
    effects: Groups = ()

    def levels(self, group: str) -> int:
        """Return the number of levels of a pooling group."""
        return {"judge": self.judges, "domain": self.domains, "cell": self.cells}[group]

    def dimension(self) -> int:
        """Return the length of the vector."""
        shifts = self.variants - 1
        size = self._coefficient(self.effects, shifts) + (self.cells if self.items else 0)
        if self.family == "bernoulli_logit":
            return size + self._coefficient(self.intercepts, 1)
        if self.family == "cumulative_logit":
            return size + self.cells * (self.outcomes - 1)
        return size + self.cells * (shifts + 1)

    def _coefficient(self, groups: Groups, each: int) -> int:
        if not groups:
            return self.cells * each
        return each + sum(1 + self.levels(group) * each for group, _ in groups)


def score_parameters(shape: ScoreShape, data: Mapping[str, Any], vector: Any) -> tuple[dict[str, Any], Any]:
    """Return the parameters at a point and its log prior density, Jacobians included, without constants.

    Parameters
    ----------
    shape : ScoreShape
        Structure.
    data : mapping
        Priors (``<term>_mean``, ``<term>_sd``, ``<term>_shape``), ``contrast`` (cell, variant, coefficient), and under
        partial pooling ``judge_index`` and the like (cell,).
    vector : jax.Array, dims (element,)
        Point on the unconstrained scale.

    Returns
    -------
    values : dict of str to jax.Array
        ``effect`` (cell, variant), ``sigma_item`` (cell,), by family ``alpha`` (cell,) and ``threshold`` (cell,
        threshold) or ``scale`` (cell, variant) and ``nu`` (cell,); hyperparameters under partial pooling.
    log_prior : jax.Array, dims ()
        Nats.
    """
    import jax.numpy as jnp

    point = Coordinates(vector)
    cells, shifts = shape.cells, shape.variants - 1
    values: dict[str, Any] = {}
    extra: Any = 0.0
    if shape.family == "bernoulli_logit":
        alpha, more = _coefficient("alpha", shape, shape.intercepts, data, point, 1)
        values |= {"alpha": alpha[:, 0], "threshold": -alpha} | more
    elif shape.family == "cumulative_logit":
        values["threshold"], extra = _thresholds(shape, data, point)
    coefficient, more = _coefficient("effect", shape, shape.effects, data, point, shifts)
    values |= more
    values["effect"] = jnp.einsum("cvk,ck->cv", data["contrast"], coefficient)
    if shape.family == "rounded_t":
        scale, extra = _gamma("scale", cells * shifts, data, point)
        values["scale"] = jnp.concatenate([jnp.ones((cells, 1)), scale.reshape(cells, shifts)], axis=1)
        values["nu"], more_extra = _gamma("nu", cells, data, point)
        extra = extra + more_extra
    if shape.items:
        values["sigma_item"] = data["sigma_item_sd"] * point.positive(cells)
    else:
        values["sigma_item"] = jnp.zeros(cells)
    return values, point.log_prior + extra


def _coefficient(
    name: str, shape: ScoreShape, groups: Groups, data: Mapping[str, Any], point: Coordinates, each: int
) -> tuple[Any, dict[str, Any]]:
    """Return coefficients (cell, coefficient), independent or around a mean, and the hyperparameters."""
    mean, sd = data[f"{name}_mean"], data[f"{name}_sd"]
    if not groups:
        return mean + sd * point.normal(shape.cells * each).reshape(shape.cells, each), {}
    centre = mean + sd * point.normal(each)
    total, more = centre[None, :], {f"mu_{name}": centre[0] if name == "alpha" else centre}
    for group, tau_name in groups:
        tau = data[f"{tau_name}_sd"] * point.positive(1)[0]
        deviation = tau * point.normal(shape.levels(group) * each).reshape(shape.levels(group), each)
        total = total + deviation[data[f"{group}_index"]]
        more[tau_name] = tau
    return total, more


def _thresholds(shape: ScoreShape, data: Mapping[str, Any], point: Coordinates) -> tuple[Any, Any]:
    """Return ordered thresholds and their log prior: one in the middle of the data, then distances outward.

    Counted from the lowest one instead, levels that were never used would stand between the data and the point that all
    thresholds hang on: a curved ridge. The prior is the induced Dirichlet at its own anchor.
    """
    import jax.numpy as jnp

    from judgestats.inference.families.cumulative_logit import log_gap, softplus

    cells, size = shape.cells, shape.outcomes - 1
    free = point.free(cells * size).reshape(cells, size)
    middle = data["middle"]  # dims (cell, threshold), 1 at the threshold that carries the location
    above_it = jnp.cumsum(middle, axis=1) - middle
    below_it = 1.0 - middle - above_it
    # softplus, not exp: a distance that data leave open has the tail of the prior, not that of exp(-exp(x)).
    gap = softplus(free, jnp)
    location = (middle * free).sum(axis=1, keepdims=True)
    down = jnp.cumsum((gap * below_it)[:, ::-1], axis=1)[:, ::-1]
    threshold = location + jnp.cumsum(gap * above_it, axis=1) - down
    at = threshold - data["threshold_mean"]
    below, above = -softplus(-at, jnp), -softplus(at, jnp)
    # log P(level) at the anchor: log F of the threshold above + log (1 - F) of the one below + the gap.
    probability = below.sum() + above.sum() + log_gap(threshold, jnp).sum()
    log_slope = -((1.0 - middle) * softplus(-free, jnp)).sum()
    log_prior = (data["threshold_shape"] - 1.0) * probability + (below + above).sum() + log_slope
    return threshold, log_prior


def _gamma(name: str, size: int, data: Mapping[str, Any], point: Coordinates) -> tuple[Any, Any]:
    """Return parameters above the lower end of a gamma prior, and their log prior on the log distance from it."""
    import jax.numpy as jnp

    free = point.free(size)
    values = data[f"{name}_mean"] + jnp.exp(free)
    shape = data[f"{name}_shape"]
    rate = jnp.sqrt(shape) / data[f"{name}_sd"]
    return values, ((shape - 1.0) * jnp.log(values) - rate * values + free).sum()
