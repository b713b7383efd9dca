"""Stratified draws: points of a lattice posterior by inversion of its conditionals, one parameter after the other."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.special import logsumexp
from scipy.stats import qmc

from judgestats.inference.lattice import Lattice

Array = NDArray[np.float64]
_FINER = 4


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
    axes = lattice.axes
    weighted = log_posterior + lattice.log_trapezium()
    draws: list[Array] = []
    stencils: list[tuple[NDArray[np.int64], Array]] = []
    for dim, nodes in enumerate(axes[:-1]):
        table = _marginal(log_posterior, weighted, lattice, tuple(range(dim + 1, len(axes))))
        draws.append(_Conditional(_interpolate(table, stencils), nodes).quantile(uniforms[:, dim]))
        stencils.append(_stencil(nodes, draws[-1], even=dim < len(lattice.scales)))
    last = _Conditional(_interpolate(log_posterior, stencils), axes[-1])
    beta = np.concatenate([last.quantile(uniforms[:, -1]), last.quantile(1.0 - uniforms[:, -1])])
    return [*(np.concatenate([d, d]) for d in draws), beta]


def _marginal(plain: Array, weighted: Array, lattice: Lattice, later: tuple[int, ...]) -> Array:
    """Return the log density with the `later` dims summed out, trapezium weights applied to those dims only."""
    if not later:
        return plain
    # Dims up to the current one must stay densities: their own half weights are taken out again.
    out: Array = logsumexp(weighted, axis=later)
    for position, nodes in enumerate(lattice.scales[: plain.ndim - len(later)]):
        halves = np.where(nodes == 0.0, np.log(0.5), 0.0)
        out = out - halves.reshape([-1 if d == position else 1 for d in range(out.ndim)])
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
    total = np.zeros((stencils[0][0].shape[0], table.shape[-1]))
    for corner in product(range(4), repeat=len(stencils)):
        index = tuple(s[0][:, c] for s, c in zip(stencils, corner, strict=True))
        weight = np.prod([s[1][:, c] for s, c in zip(stencils, corner, strict=True)], axis=0)
        total += weight[:, None] * table[index]
    return total


class _Conditional:
    """Distribution functions of densities given by their logs at `nodes`, one row a draw (or one row for all)."""

    def __init__(self, log_density: Array, nodes: Array) -> None:
        self.fine = np.linspace(nodes[0], nodes[-1], _FINER * (nodes.size - 1) + 1)
        logs = CubicSpline(nodes, log_density, axis=1)(self.fine)
        density = np.exp(logs - logs.max(axis=1, keepdims=True))
        self.cumulative = np.zeros_like(density)
        np.cumsum((density[:, 1:] + density[:, :-1]) / 2, axis=1, out=self.cumulative[:, 1:])

    def quantile(self, uniforms: Array) -> Array:
        """Return the quantile of each row at its uniform, dims (draw,)."""
        cumulative = np.broadcast_to(self.cumulative, (uniforms.size, self.fine.size))
        target = uniforms * cumulative[:, -1]
        right = np.clip((cumulative < target[:, None]).sum(axis=1), 1, self.fine.size - 1)
        row = np.arange(uniforms.size)
        low, high = cumulative[row, right - 1], cumulative[row, right]
        share = np.where(high > low, (target - low) / np.where(high > low, high - low, 1.0), 0.5)
        return np.asarray(self.fine[right - 1] + np.clip(share, 0.0, 1.0) * (self.fine[1] - self.fine[0]))
