"""Sign flips: the exact distribution of a sum of integers whose signs are flipped by fair coins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

Array = NDArray[np.float64]
Index = NDArray[np.int64]
LIMIT = 300_000_000
"""Most additions spent on one distribution: about a second."""


@dataclass(frozen=True)
class SignFlipLaw:
    """Distribution of sum_i s_i x_i, where every s_i is +1 or -1 with probability 1/2.

    Parameters
    ----------
    reach : int
        Sum of |x_i|; the sum lies in [-reach, reach].
    mass : ndarray, dims (value,)
        Probabilities of -reach, ..., reach; symmetric, sum 1.
    moving : int
        How many x_i are not 0: the law has 2^moving equally likely flips.
    """

    reach: int
    mass: Array
    moving: int

    @property
    def values(self) -> Index:
        """Values that the sum can take, ascending."""
        return np.flatnonzero(self.mass > 0) - self.reach

    @property
    def smallest_p(self) -> float:
        """Smallest two-sided p: all signs alike, either way."""
        return 0.5 ** (self.moving - 1) if self.moving else 1.0

    def p_value(self, sums: Index) -> Array:
        """Return the two-sided p of sums, dims of `sums`: twice the smaller tail, at most 1."""
        # The tail is summed from its far end, so that small probabilities keep their digits.
        tail = np.cumsum(self.mass[::-1])[::-1]
        return np.asarray(np.minimum(1.0, 2.0 * tail[np.abs(np.asarray(sums)) + self.reach]))


def sign_flip_law(numbers: Index, limit: int = LIMIT) -> SignFlipLaw | None:
    """Return the exact distribution of the sum of `numbers` under sign flips.

    The n numbers of absolute value d add d (2 B - n), B binomial(n, 1/2); the groups are convolved.

    Parameters
    ----------
    numbers : ndarray of int, dims (item,)
        The numbers.
    limit : int
        Most additions to spend.

    Returns
    -------
    SignFlipLaw or None
        None where the convolution takes more than `limit` additions.
    """
    sizes, counts = np.unique(np.abs(numbers[numbers != 0]), return_counts=True)
    reach = int(np.sum(sizes * counts))
    if int(counts.sum()) * (2 * reach + 1) > limit:
        return None
    mass = np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        weights = binom.pmf(np.arange(count + 1), count, 0.5)
        wider = np.zeros(mass.size + 2 * size * count)
        for ups, weight in enumerate(weights.tolist()):
            wider[2 * size * ups : 2 * size * ups + mass.size] += weight * mass
        mass = wider
    return SignFlipLaw(reach, mass, int(counts.sum()))
