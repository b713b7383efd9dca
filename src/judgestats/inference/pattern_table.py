"""Pattern table: log-likelihoods of item patterns with the item effect integrated out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.lattice import Lattice
from judgestats.inference.quadrature import standard_normal_nodes

Array = NDArray[np.float64]
_TINY = 1e-300
_FINITE = 700.0
_SAFE_LOG = 300.0  # a product of two blocks' likelihoods then stays above e^-600


class BlockSide:
    """Success probabilities of one block at every linear predictor, sigma and quadrature node, dims (sigma, eta, node).

    Parameters
    ----------
    eta : ndarray, dims (eta,)
        Linear predictors, log-odds scale.
    sigma : ndarray, dims (sigma,)
        Item standard deviations.
    z : ndarray, dims (node,)
        Quadrature nodes, standard normal scale.
    """

    def __init__(self, eta: Array, sigma: Array, z: Array) -> None:
        self._x: Array = eta[None, :, None] + sigma[:, None, None] * z
        self._farthest = float(
            np.abs(eta).max(initial=0.0) + np.abs(sigma).max(initial=0.0) * np.abs(z).max(initial=0.0)
        )
        # expit(x) and expit(-x) to full relative precision from one exponential, which stays finite to 700.
        odds = np.exp(-np.clip(self._x, -_FINITE, _FINITE) if self._farthest > _FINITE else -self._x)
        self._p: Array = 1.0 / (1.0 + odds)
        self._q: Array = np.multiply(odds, self._p, out=odds)

    def part(self, trials: int, successes: int) -> BlockPart:
        """Return the likelihood of `successes` in `trials`, without the binomial constant."""
        if trials * self._farthest < _SAFE_LOG:
            return BlockPart(None, _power(self._p, successes, self._q, trials - successes))
        # Rows are divided by their largest value, kept as a log, so products over blocks stay inside float64.
        log_q = -np.logaddexp(0.0, self._x)
        log_value = successes * (log_q + self._x) + (trials - successes) * log_q
        log_scale = log_value.max(axis=-1)
        return BlockPart(log_scale, np.exp(log_value - log_scale[..., None]))


@dataclass(frozen=True, eq=False)
class BlockPart:
    """Likelihood of one block's answers of an item.

    Parameters
    ----------
    log_scale : ndarray or None, dims (sigma, eta)
        Log of the factor taken out of `value`; None for 1.
    value : ndarray, dims (sigma, eta, node)
        Likelihood over that factor.
    """

    log_scale: Array | None
    value: Array


def _power(p: Array, k: int, q: Array, m: int) -> Array:
    """Return p^k q^m; the powers that single answers need cost nothing or one product."""
    if k == 0 or m == 0:
        base, exponent = (q, m) if k == 0 else (p, k)
        return base if exponent == 1 else base**exponent
    return (p if k == 1 else p**k) * (q if m == 1 else q**m)


class PatternTable:
    """Item log-likelihoods on a lattice.

    For an item with k_b successes in n_b trials of block b,

        log p(k | alpha, beta, sigma) = log E_Z prod_b expit(eta_b + sigma Z)^k_b expit(-eta_b - sigma Z)^(n_b - k_b),

    without the binomial constant, eta_b = alpha +- beta/2. The expectation over Z is a product of two matrices over the
    quadrature nodes, so a pattern costs one small matrix product per sigma.

    Parameters
    ----------
    lattice : Lattice
        Where to evaluate.
    nodes : int
        Quadrature nodes of the item effect.
    """

    def __init__(self, lattice: Lattice, nodes: int) -> None:
        self.lattice = lattice
        z, self._weights = standard_normal_nodes(nodes)
        congruent, incongruent = lattice.eta()
        self._sides = tuple(BlockSide(eta, lattice.scales[0], z) for eta in (congruent, incongruent))
        self._parts: dict[tuple[int, int, int], BlockPart] = {}

    def _part(self, side: int, trials: int, successes: int) -> BlockPart:
        key = (side, trials, successes)
        if key not in self._parts:
            self._parts[key] = self._sides[side].part(trials, successes)
        return self._parts[key]

    def on_lattice(self, pattern: NDArray[np.int64]) -> Array:
        """Return the log-likelihood of one pattern, dims (sigma, alpha, beta)."""
        n_c, k_c, n_i, k_i = (int(v) for v in pattern)
        at_c, at_i = self.lattice.gather()
        if n_c and n_i:
            c, i = self._part(0, n_c, k_c), self._part(1, n_i, k_i)
            inner = self._all_pairs(c, i)[:, at_c, at_i] if self._dense else self._pairs_by_beta(c, i)
            scales = [(c.log_scale, at_c), (i.log_scale, at_i)]
        else:
            part, at = (self._part(0, n_c, k_c), at_c) if n_c else (self._part(1, n_i, k_i), at_i)
            inner = (part.value @ self._weights)[:, at]
            scales = [(part.log_scale, at)]
        total: Array = np.log(np.maximum(inner, _TINY))
        for log_scale, at in scales:
            if log_scale is not None:
                total += log_scale[:, at]
        return total

    @property
    def _dense(self) -> bool:
        """Return whether all pairs of linear predictors are few enough for one matrix product."""
        return self.lattice.eta_size**2 <= 8 * self.lattice.alpha.size * self.lattice.beta.size

    def _all_pairs(self, c: BlockPart, i: BlockPart) -> Array:
        return np.asarray(np.matmul(c.value * self._weights, i.value.transpose(0, 2, 1)))

    def _pairs_by_beta(self, c: BlockPart, i: BlockPart) -> Array:
        """Return the expectations of the pairs on the lattice alone, one value of beta at a time.

        Where alpha spans many more steps than beta most pairs of linear predictors are off the lattice.
        """
        ratio, last = self.lattice.ratio, self.lattice.beta.size - 1
        span = ratio * (self.lattice.alpha.size - 1) + 1
        weighted = c.value * self._weights
        columns = []
        for j in range(last + 1):
            # Strided views, as in Lattice.gather: congruent ratio i + j, incongruent ratio i - j + last.
            u, v = slice(j, j + span, ratio), slice(last - j, last - j + span, ratio)
            columns.append(np.einsum("sak,sak->sa", weighted[:, u], i.value[:, v]))
        return np.stack(columns, axis=-1)

    def total(self, patterns: NDArray[np.int64], counts: NDArray[np.int64]) -> Array:
        """Return the log-likelihood of a cell, dims (sigma, alpha, beta)."""
        total = np.zeros((self.lattice.scales[0].size, self.lattice.alpha.size, self.lattice.beta.size))
        for pattern, count in zip(patterns, counts, strict=True):
            total += float(count) * self.on_lattice(pattern)
        return total

    def each(self, patterns: NDArray[np.int64]) -> Array:
        """Return the log-likelihood of each pattern, dims (pattern, sigma, alpha, beta)."""
        return np.stack([self.on_lattice(p) for p in patterns])
