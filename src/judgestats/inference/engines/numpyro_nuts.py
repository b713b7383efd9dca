"""NumPyro engine: NUTS on the collapsed likelihood, the item effect of every item integrated out by quadrature."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.fit import StageFit
from judgestats.inference.collapsed import CollapsedRows, collapse_refusal, collapse_units
from judgestats.inference.contract import EngineSettings, require_served
from judgestats.inference.node_check import NODE_ERROR, NODES, node_error, node_row, nodes_needed
from judgestats.inference.nuts_fit import nuts_fit
from judgestats.inference.quadrature import standard_normal_nodes
from judgestats.inference.stage_part import acceptance, separate_cells
from judgestats.inference.stage_posterior import join_draws, tree_depth
from judgestats.inference.standard_coordinates import Coordinates
from judgestats.inference.terms.product import OF, group_index, group_levels, vector_coefficient
from judgestats.inference.units import Units, item_units
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import CONGRUENT, INCONGRUENT, StageCounts

Draws = dict[str, NDArray[np.float64]]


compilations: list[tuple[Any, ...]] = []
"""One entry each time a sampler was traced for compilation; a second fit of the same shape adds none."""


class _Shape(NamedTuple):
    """Everything that a compiled sampler depends on; data and priors are arguments."""

    cells: int
    judges: int
    domains: int
    scales: int
    patterns: int
    nodes: int
    pooled: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    warmup: int
    draws: int


class NumpyroEngine:
    """NUTS in float64 with vectorised chains, for models with one item intercept.

    Rows with equal predictors are counts, items with equal answers are patterns, and the item effect is integrated
    out, so the sampler sees a few parameters per cell. Unpooled cells run as one vector; partially pooled ones are
    non-centred. A cell without trials keeps its place and holds the prior.

    References
    ----------
    Hoffman & Gelman (2014), arXiv:1111.4246; Phan, Pradhan & Jankowiak (2019), arXiv:1912.11554.
    """

    name = "numpyro"

    def refusal(self, stage: StageSpec, counts: StageCounts) -> str | None:
        """Return why this engine cannot serve the stage, or None when it can."""
        return collapse_refusal(stage)

    def fit(self, stage: StageSpec, counts: StageCounts, settings: EngineSettings) -> StageFit:
        """Fit the stage.

        Parameters
        ----------
        stage : StageSpec
            The resolved stage.
        counts : StageCounts
            Its counts.
        settings : EngineSettings
            Seed, chains, warm-up and draws.

        Returns
        -------
        StageFit
            Draws of alpha, beta, sigma_item and hyperparameters; item effects are integrated out.

        Raises
        ------
        SamplingError
            If the engine does not serve the stage or a draw is not finite.
        """
        require_served(self, stage, counts)
        start = time.perf_counter()
        blocks = _blocks(stage, counts)
        patterns = max(_padded(len(block.rows.count)) for block in blocks)
        fitted = [
            _fit_block(stage, block, patterns, settings)
            for block in settings.steps(f"{stage.name}: NUTS (numpyro)", blocks)
        ]
        values, stats, errors = zip(*fitted, strict=True)
        return nuts_fit(
            self.name,
            "NUTS on the likelihood with the item effects integrated out",
            stage,
            counts,
            join_draws(values),
            stats,
            time.perf_counter() - start,
            (node_row(stage.name, max(errors)),),
        )


@dataclass(frozen=True)
class _Block:
    """Cells that share a parameter and so must be sampled together: one cell, or all of them."""

    counts: StageCounts
    units: Units
    rows: CollapsedRows


def _blocks(stage: StageSpec, counts: StageCounts) -> list[_Block]:
    term = stage.term("sigma_item")
    apart = separate_cells(stage)
    parts = [counts.select(i) for i in range(len(counts.cells))] if apart else [counts]
    units = [item_units(term, part) for part in parts]
    return [_Block(part, unit, collapse_units(part, unit)) for part, unit in zip(parts, units, strict=True)]


def _fit_block(
    stage: StageSpec, block: _Block, patterns: int, settings: EngineSettings
) -> tuple[Draws, dict[str, NDArray[Any]], float]:
    first = nodes_needed(stage, block.counts, block.rows, block.units.scales)
    for nodes in NODES[NODES.index(first) :]:
        values, stats = _sample(stage, block, patterns, nodes, settings)
        error = node_error(block.rows, values, nodes)
        if error < NODE_ERROR:
            break
    values["sigma_item"] = values["sigma_item"][..., block.units.scale_of_cell]
    return values, stats, error


def _sample(
    stage: StageSpec, block: _Block, patterns: int, nodes: int, settings: EngineSettings
) -> tuple[Draws, dict[str, NDArray[Any]]]:
    import jax

    cells = block.counts.cells
    levels = group_levels(cells)
    pooled = tuple((name, tuple((str(t.group), t.name) for t in stage.pooled(of))) for name, of in OF.items())
    shape = _Shape(
        cells=len(cells),
        judges=len(levels["judge"]) if any(parts for _, parts in pooled) else 0,
        domains=len(levels["domain"]) if any(parts for _, parts in pooled) else 0,
        scales=block.units.scales,
        patterns=patterns,
        nodes=nodes,
        pooled=pooled,
        warmup=settings.warmup,
        draws=settings.draws,
    )
    # A stream per cell: the draws of a cell do not depend on which other cells are in the table.
    stream = f"{stage.name}/numpyro/{cells[0] if len(cells) == 1 else 'all'}"
    with jax.enable_x64(True):
        keys = jax.random.split(jax.random.PRNGKey(settings.seed.integer(stream)), settings.chains)
        data = {**_data(stage, block, shape), "target_accept": np.array(acceptance(stage, settings.target_accept))}
        drawn, extra = _sampler(shape)(keys, data)
        values = {name: np.asarray(array) for name, array in drawn.items()}
        stats = {
            "diverging": np.asarray(extra["diverging"]),
            "energy": np.asarray(extra["energy"]),
            "tree_depth": tree_depth(np.asarray(extra["num_steps"])),
            "acceptance_rate": np.asarray(extra["accept_prob"]),
        }
    return values, stats


@lru_cache(maxsize=16)
def _sampler(shape: _Shape) -> Any:
    # Compiled once per shape; data and priors are arguments. The chains are one vector, the cells a loop: vectorised
    # over cells as well, every cell would wait for the deepest tree (measured on 2 cores: 3.4 s against 6.1 s for six
    # cells).
    import jax
    from numpyro.infer import MCMC, NUTS

    size = _dimension(shape)

    def chain(key: Any, data: Mapping[str, Any]) -> Any:
        compilations.append(tuple(shape))
        start, run = jax.random.split(key)

        def potential(vector: Any) -> Any:
            return -_log_posterior(shape, data, vector)

        kernel = NUTS(potential_fn=potential, target_accept_prob=data["target_accept"])
        mcmc = MCMC(kernel, num_warmup=shape.warmup, num_samples=shape.draws, progress_bar=False)
        first = jax.random.uniform(start, (size,), minval=-1.0, maxval=1.0)
        mcmc.run(run, init_params=first, extra_fields=("diverging", "energy", "num_steps", "accept_prob"))
        values = jax.vmap(lambda vector: _parameters(shape, data, Coordinates(vector)))(mcmc.get_samples())
        return values, mcmc.get_extra_fields()

    return jax.jit(jax.vmap(chain, in_axes=(0, None)))


def _dimension(shape: _Shape) -> int:
    levels = {"judge": shape.judges, "domain": shape.domains, "cell": shape.cells}
    size = shape.scales
    for _, groups in shape.pooled:
        size += 1 + sum(1 + levels[group] for group, _ in groups) if groups else shape.cells
    return size


def _parameters(shape: _Shape, data: Mapping[str, Any], point: Coordinates) -> dict[str, Any]:
    """Return alpha, beta (cell), sigma_item (scale) and hyperparameters at a point of the sampler."""
    values: dict[str, Any] = {}
    for name, groups in shape.pooled:
        values |= vector_coefficient(name, groups, data, shape.cells, point)
    values["sigma_item"] = data["sigma_item_sd"] * point.positive(shape.scales)
    return values


def _log_posterior(shape: _Shape, data: Mapping[str, Any], vector: Any) -> Any:
    import jax
    import jax.numpy as jnp

    z, weights = standard_normal_nodes(shape.nodes)
    point = Coordinates(vector)
    values = _parameters(shape, data, point)
    alpha, beta = values["alpha"], values["beta"]
    # Rows of one cell and block share their predictor at each node, so it is evaluated once for all patterns.
    fixed = jnp.concatenate([alpha + CONGRUENT * beta, alpha + INCONGRUENT * beta])
    spread = jnp.tile(values["sigma_item"][data["scale_of_cell"]], 2)
    eta = fixed[:, None] + spread[:, None] * z
    parts = data["successes"] @ eta - data["trials"] @ jax.nn.softplus(eta) + np.log(weights)
    top = jax.lax.stop_gradient(jnp.max(parts, axis=1))
    marginal = top + jnp.log(jnp.sum(jnp.exp(parts - top[:, None]), axis=1))
    return point.log_prior + jnp.sum(data["count"] * marginal)


def _data(stage: StageSpec, block: _Block, shape: _Shape) -> dict[str, NDArray[Any]]:
    rows, cells = block.rows, block.counts.cells
    # Padding patterns hold no trial and count zero units, so they add nothing to the likelihood.
    column = np.where(rows.block > 0, rows.cell, shape.cells + rows.cell)
    trials, successes = np.zeros((2, shape.patterns, 2 * shape.cells))
    np.add.at(trials, (rows.pattern, column), rows.trials)
    np.add.at(successes, (rows.pattern, column), rows.successes)
    data: dict[str, NDArray[Any]] = {
        "trials": trials,
        "successes": successes,
        "count": np.pad(rows.count.astype(np.float64), (0, shape.patterns - len(rows.count))),
        "scale_of_cell": block.units.scale_of_cell,
        "sigma_item_sd": np.array(stage.term("sigma_item").prior.sd),
    }
    for name in OF:
        prior = stage.term(name).prior
        data[f"{name}_mean"], data[f"{name}_sd"] = np.array(prior.mean), np.array(prior.sd)
        for term in stage.pooled(OF[name]):
            data[f"{term.name}_sd"] = np.array(term.prior.sd)
    if any(parts for _, parts in shape.pooled):
        for group, index in group_index(cells).items():
            data[f"{group}_index"] = index
            data[f"{group}_levels"] = np.zeros(len(group_levels(cells)[group]))
    return data


def _padded(size: int) -> int:
    """Round up to a power of two, at least 8, so that near sizes share a compiled sampler."""
    return max(8, 1 << max(0, size - 1).bit_length())
