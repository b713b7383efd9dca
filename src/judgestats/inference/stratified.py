"""Stratified draws: points of a lattice posterior by inversion of its conditionals, one parameter after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import logsumexp
from scipy.stats import qmc

from judgestats.inference.lattice import Lattice

Array = NDArray[np.float64]
_CHUNK = 256  # draws whose tables stay in the processor's cache


def stratified_uniforms(rng: np.random.Generator, draws: int, dims: int) -> Array:
    """Return a Latin hypercube of uniforms, dims (draw, coordinate), values in (0, 1)."""
    return np.asarray(qmc.LatinHypercube(d=dims, rng=rng).random(draws))


def stratified_draws(log_posterior: Array, lattice: Lattice, uniforms: Array) -> list[Array]:
    """Return draws of (scales..., alpha, beta) by inverting one conditional after the other.

    Between nodes the log density is interpolated by cubics, so draws are continuous. The last conditional is that of beta, the
    parameter whose sign a swap of blocks changes: it is inverted at u and at 1 - u, so that draw i + n/2 is the antithetic
    partner of draw i and mirrored data give exactly the mirrored set of draws, whatever the seed.

    Parameters
    ----------
    log_posterior : ndarray, dims (scales..., alpha, beta)
        Unnormalised log posterior density at the nodes (no trapezium weights).
    lattice : Lattice
        The nodes.
    uniforms : ndarray, dims (half, coordinate)
        One coordinate per dim of the lattice; half as many rows as draws.

    Returns
    -------
    list of ndarray, dims (draw,)
        One array per dim, log-odds scale.
    """
    # alpha before the scales: the longest dim comes first, where one conditional serves all draws.
    table = np.moveaxis(log_posterior, -2, 0)
    halves = np.moveaxis(lattice.log_trapezium(), -2, 0)
    axes = (lattice.alpha, *lattice.scales, lattice.beta)
    draws: list[Array] = []
    stencils: list[tuple[NDArray[np.int64], Array]] = []
    for dim, nodes in enumerate(axes[:-1]):
        marginal = _marginal(table, halves, dim)
        draws += _invert(_interpolate(marginal, stencils), nodes, uniforms[:, dim])
        stencils.append(_stencil(nodes, draws[-1], even=dim > 0))
    beta = np.concatenate(_invert(_interpolate(table, stencils), axes[-1], uniforms[:, -1], 1.0 - uniforms[:, -1]))
    alpha, *scales = (np.concatenate([d, d]) for d in draws)
    return [*scales, alpha, beta]


def _marginal(log_density: Array, log_halves: Array, dim: int) -> Array:
    """Return the log density with the dims after `dim` summed out by the trapezium rule, dims up to `dim`."""
    later = tuple(range(dim + 1, log_density.ndim))
    # Dims up to the current one must stay densities: their own half weights are left out.
    first = (slice(None),) + (slice(1, 2),) * dim
    out: Array = logsumexp(log_density + log_halves[first], axis=later)
    return out


def _stencil(nodes: Array, values: Array, *, even: bool) -> tuple[NDArray[np.int64], Array]:
    """Return indices and Lagrange weights of the four nodes around each value, dims (draw, 4) each.

    Along a scale that starts at 0 the density is even, so the node left of 0 is the node right of it.
    """
    step = nodes[1] - nodes[0]
    position = (values - nodes[0]) / step
    reflect = even and nodes[0] == 0.0
    first = np.clip(np.floor(position).astype(np.int64) - 1, -1 if reflect else 0, nodes.size - 4)
    t = position - first
    weights = np.stack(
        [
            -(t - 1) * (t - 2) * (t - 3) / 6,
            t * (t - 2) * (t - 3) / 2,
            -t * (t - 1) * (t - 3) / 2,
            t * (t - 1) * (t - 2) / 6,
        ],
        axis=1,
    )
    return np.abs(first[:, None] + np.arange(4)), weights


def _interpolate(table: Array, stencils: list[tuple[NDArray[np.int64], Array]]) -> Array:
    """Return the log density along the last dim of `table` at each draw's values of the earlier dims, dims (draw or 1, node)."""
    if not stencils:
        return table[None, :]
    # One sparse row a draw: the products of its weights in the cells of the table that surround it.
    index, weight = stencils[0]
    for size, (nodes, share) in zip(table.shape[1:-1], stencils[1:], strict=True):
        index = (index[:, :, None] * size + nodes[:, None, :]).reshape(len(index), -1)
        weight = (weight[:, :, None] * share[:, None, :]).reshape(len(weight), -1)
    rows = np.arange(len(index) + 1) * index.shape[1]
    flat = table.reshape(-1, table.shape[-1])
    return np.asarray(csr_array((weight.ravel(), index.ravel(), rows), shape=(len(index), len(flat))) @ flat)


def _invert(log_density: Array, nodes: Array, *uniforms: Array) -> list[Array]:
    """Return quantiles of the densities given by their logs at `nodes`, dims (draw,) for each array of uniforms.

    Rows of `log_density` are draws; a single row serves all. Logs midway between nodes are those of the cubic through four
    neighbours. Mass is accumulated at nodes and middles by the trapezium rule with its first end correction, and the density
    is linear between them.
    """
    fine = np.linspace(nodes[0], nodes[-1], 2 * nodes.size - 1)
    found = [np.empty(u.size) for u in uniforms]
    shared = len(log_density) == 1
    for start in range(0, uniforms[0].size, _CHUNK):
        rows = slice(start, start + _CHUNK)
        if start == 0 or not shared:
            logs = log_density if shared else log_density[rows]
            density = _with_middles(logs - logs.max(axis=1, keepdims=True))
            np.exp(density, out=density)
            cumulative = _cumulative(density)
        for quantiles, u in zip(found, uniforms, strict=True):
            quantiles[rows] = _quantile(density, cumulative, fine, u[rows])
    return found


def _with_middles(logs: Array) -> Array:
    """Return values at nodes and midway between them, dims (row, point); the two outer middles follow a parabola."""
    out = np.empty((logs.shape[0], 2 * logs.shape[1] - 1))
    out[:, ::2] = logs
    inner = logs[:, 1:-1]
    out[:, 3:-3:2] = (9 / 16) * (inner[:, :-1] + inner[:, 1:]) - (logs[:, :-3] + logs[:, 3:]) / 16
    out[:, 1] = (3 * logs[:, 0] + 6 * logs[:, 1] - logs[:, 2]) / 8
    out[:, -2] = (3 * logs[:, -1] + 6 * logs[:, -2] - logs[:, -3]) / 8
    return out


def _cumulative(density: Array) -> Array:
    """Return the mass up to each point, in steps of the points, dims (row, point); the density is 0 beyond both ends."""
    out = np.cumsum(density, axis=1)
    out -= density / 2
    out[:, 1:-1] -= (density[:, 2:] - density[:, :-2]) / 24
    out -= out[:, :1]
    return out


def _quantile(density: Array, cumulative: Array, fine: Array, uniforms: Array) -> Array:
    """Return the quantile of each row at its uniform, dims (draw,)."""
    target = uniforms * cumulative[:, -1]
    right = np.clip((cumulative < target[:, None]).sum(axis=1), 1, fine.size - 1)
    row = np.arange(uniforms.size) if len(cumulative) > 1 else np.zeros(uniforms.size, dtype=np.int64)
    low, high = cumulative[row, right - 1], cumulative[row, right]
    a, b = density[row, right - 1], density[row, right]
    # The linear density is scaled to the mass of its piece; a + (b - a) u integrated to the share t gives u.
    share = np.clip(np.where(high > low, (target - low) / np.where(high > low, high - low, 1.0), 0.5), 0.0, 1.0)
    mean = np.maximum((a + b) / 2, 1e-300)
    a, b = a / mean, b / mean
    u = 2 * share / np.maximum(a + np.sqrt(np.maximum(a * a + 2 * (b - a) * share, 0.0)), 1e-300)
    return np.asarray(fine[right - 1] + np.clip(u, 0.0, 1.0) * (fine[1] - fine[0]))
