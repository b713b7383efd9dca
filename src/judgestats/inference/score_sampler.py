"""Score sampler: mode, curvature and NUTS in the coordinates that they whiten, compiled once per shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.errors import SamplingError
from judgestats.inference.contract import EngineSettings
from judgestats.inference.score_density import log_posterior
from judgestats.inference.score_parameters import ScoreShape, score_parameters
from judgestats.inference.stage_posterior import tree_depth

Array = NDArray[np.float64]
Data = dict[str, Any]

WARMUP = 300
"""Most warm-up draws: mode and curvature give the metric, so only the step size and a diagonal remain to be found."""
NEWTON_STEPS = 200
FLAT = 0.05  # least curvature that is used: a flatter direction is prior alone and has curvature near 1

compilations: list[tuple[Any, ...]] = []
"""One entry each time a sampler was traced for compilation; a second fit of the same shape adds none."""


@dataclass(frozen=True)
class Mode:
    """Posterior mode on the unconstrained scale and what makes its neighbourhood round.

    Parameters
    ----------
    point : ndarray, dims (element,)
        The mode.
    whitening : ndarray, dims (element, element)
        Maps standard coordinates to distances from the mode.
    """

    point: Array
    whitening: Array

    def spread(self) -> Array:
        """Return the standard deviation of every element under the normal approximation, dims (element,)."""
        return np.sqrt((self.whitening**2).sum(axis=1))


def find_mode(shape: ScoreShape, nodes: int, data: Data, start: Array) -> Mode:
    """Return the mode by damped Newton steps.

    Raises
    ------
    SamplingError
        If the density is not finite at the start or no mode is found.
    """
    import jax

    with jax.enable_x64(True):
        run = _curvature(shape, nodes)
        point, damping = start, 1e-3
        value, gradient, hessian = (np.asarray(part) for part in run(data, point))
        for _ in range(NEWTON_STEPS):
            if not np.isfinite(value):
                break
            eigen, basis = np.linalg.eigh(-hessian)
            rotated = basis.T @ gradient
            step = basis @ (rotated / (np.maximum(np.abs(eigen), FLAT) + damping))
            if float(gradient @ step) < 1e-8:
                return Mode(point, basis / np.sqrt(np.maximum(eigen, FLAT)))
            trial = tuple(np.asarray(part) for part in run(data, point + step))
            if np.isfinite(trial[0]) and trial[0] > value - 1e-10:
                point, (value, gradient, hessian), damping = point + step, trial, damping / 10
            else:
                damping = max(10 * damping, 1e-2 * float(np.abs(eigen).max()))
                if damping > 1e12:
                    break
    raise SamplingError(
        "no posterior mode was found", remedy="check the priors of the model and the scale of the scores"
    )


def sample_cells(
    shape: ScoreShape,
    nodes: int,
    data: Sequence[Data],
    modes: Sequence[Mode],
    streams: Sequence[str],
    settings: EngineSettings,
) -> tuple[list[dict[str, Array]], list[dict[str, NDArray[Any]]]]:
    """Sample posteriors of one shape at once.

    Parameters
    ----------
    shape : ScoreShape
        Common structure.
    nodes : int
        Quadrature nodes.
    data, modes, streams : sequence
        Data, mode and seed stream of each posterior.
    settings : EngineSettings
        Seed, chains, draws and target acceptance.

    Returns
    -------
    values : list of dict of str to ndarray, dims (chain, draw, ...)
        Parameters of each posterior.
    stats : list of dict of str to ndarray, dims (chain, draw)
        ``diverging``, ``energy``, ``tree_depth``, ``acceptance_rate`` of each.
    """
    import jax

    with jax.enable_x64(True):
        keys = np.stack([_keys(settings, stream) for stream in streams])
        stacked = jax.tree.map(lambda *parts: np.stack(parts), *data)
        points, whitenings = np.stack([m.point for m in modes]), np.stack([m.whitening for m in modes])
        warmup = min(WARMUP, settings.warmup)
        run = _sampler(shape, nodes, warmup, settings.draws, settings.target_accept, len(data) > 1)
        drawn, extra = jax.tree.map(np.asarray, run(keys, stacked, points, whitenings))
    values = [{name: array[i] for name, array in drawn.items()} for i in range(len(data))]
    stats = [
        {
            "diverging": extra["diverging"][i],
            "energy": extra["energy"][i],
            "tree_depth": tree_depth(extra["num_steps"][i]),
            "acceptance_rate": extra["accept_prob"][i],
        }
        for i in range(len(data))
    ]
    return values, stats


def _keys(settings: EngineSettings, stream: str) -> NDArray[np.uint32]:
    import jax

    return np.asarray(jax.random.split(jax.random.PRNGKey(settings.seed.integer(stream)), settings.chains))


@lru_cache(maxsize=32)
def _curvature(shape: ScoreShape, nodes: int) -> Any:
    """Return a compiled function of data and point: log density, gradient and Hessian."""
    import jax
    import jax.numpy as jnp

    def run(data: Mapping[str, Any], point: Any) -> Any:
        def density(vector: Any) -> Any:
            return log_posterior(shape, nodes, data, vector)

        value, gradient = jax.value_and_grad(density)(point)
        # Column by column: all at once, the memory of a large table would grow with the number of parameters.
        columns = jax.lax.map(
            lambda direction: jax.jvp(jax.grad(density), (point,), (direction,))[1], jnp.eye(point.shape[0])
        )
        return value, gradient, 0.5 * (columns + columns.T)

    return jax.jit(run)


@lru_cache(maxsize=32)
def _sampler(shape: ScoreShape, nodes: int, warmup: int, draws: int, target: float, side_by_side: bool) -> Any:
    """Return a compiled function of keys (posterior, chain, ...), data, modes and whitenings (posterior, ...)."""
    import jax
    from numpyro.infer import MCMC, NUTS

    def chain(key: Any, data: Any, mode: Any, whitening: Any) -> Any:
        compilations.append((shape, nodes))
        start, run = jax.random.split(key)

        def potential(standard: Any) -> Any:
            return -log_posterior(shape, nodes, data, mode + whitening @ standard)

        kernel = NUTS(potential_fn=potential, target_accept_prob=target, step_size=0.5, find_heuristic_step_size=False)
        mcmc = MCMC(kernel, num_warmup=warmup, num_samples=draws, progress_bar=False)
        first = jax.random.normal(start, (shape.dimension(),))
        mcmc.run(run, init_params=first, extra_fields=("diverging", "energy", "num_steps", "accept_prob"))
        points = mcmc.get_samples() @ whitening.T + mode
        values = jax.lax.map(lambda vector: score_parameters(shape, data, vector)[0], points)
        return values, mcmc.get_extra_fields()

    chains = jax.vmap(chain, in_axes=(0, None, None, None))
    if not side_by_side:
        # One posterior alone: a second batch dim of size 1 would only make the program longer to compile.
        def one(*parts: Any) -> Any:
            made = chains(*jax.tree.map(lambda part: part[0], parts))
            return jax.tree.map(lambda part: part[None], made)

        return jax.jit(one)
    return jax.jit(jax.vmap(chains))
