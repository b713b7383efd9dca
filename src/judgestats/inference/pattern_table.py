"""Pattern table: log-likelihoods of item patterns with the item effect integrated out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.lattice import Lattice
from judgestats.inference.quadrature import standard_normal_nodes

Array = NDArray[np.float64]
_TINY = 1e-300


class BlockPart:
    """Scaled likelihood of one block's answers of an item at every linear predictor, sigma and quadrature node.

    Rows are divided by their largest value, kept as a log, so that products over blocks stay inside float64 whatever the
    number of trials.
    """

    def __init__(self, log_p: Array, log_q: Array, trials: int, successes: int) -> None:
        log_value = successes * log_p + (trials - successes) * log_q
        self.log_scale: Array = log_value.max(axis=-1)
        self.value: Array = np.exp(log_value - self.log_scale[..., None])


def _log_probabilities(eta: Array, sigma: Array, z: Array) -> tuple[Array, Array]:
    """Return log expit(x) and log expit(-x) at x = eta + sigma z, dims (sigma, eta, node)."""
    x = eta[None, :, None] + sigma[:, None, None] * z
    log_p = -np.logaddexp(0.0, -x)
    return log_p, log_p - x


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
        self._logs = (
            _log_probabilities(congruent, lattice.scales[0], z),
            _log_probabilities(incongruent, lattice.scales[0], z),
        )
        self._parts: dict[tuple[int, int, int], BlockPart] = {}

    def _part(self, side: int, trials: int, successes: int) -> BlockPart:
        key = (side, trials, successes)
        if key not in self._parts:
            self._parts[key] = BlockPart(*self._logs[side], trials, successes)
        return self._parts[key]

    def on_lattice(self, pattern: NDArray[np.int64]) -> Array:
        """Return the log-likelihood of one pattern, dims (sigma, alpha, beta)."""
        n_c, k_c, n_i, k_i = (int(v) for v in pattern)
        at_c, at_i = self.lattice.gather()
        if n_c and n_i:
            c, i = self._part(0, n_c, k_c), self._part(1, n_i, k_i)
            inner = self._all_pairs(c, i)[:, at_c, at_i] if self._dense else self._pairs_by_beta(c, i)
            return np.log(np.maximum(inner, _TINY)) + c.log_scale[:, at_c] + i.log_scale[:, at_i]
        part, at = (self._part(0, n_c, k_c), at_c) if n_c else (self._part(1, n_i, k_i), at_i)
        one = np.log(np.maximum(part.value @ self._weights, _TINY)) + part.log_scale
        return np.asarray(one[:, at])

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
