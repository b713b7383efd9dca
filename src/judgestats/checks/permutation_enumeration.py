"""Enumeration: every distinct data set that within-item permutation can make, with its probability."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise, product
from math import comb, prod

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom, multinomial

from judgestats.checks.label_permutation import LabelledUnits, Table

LIMIT = 3_000


def outcomes(units: LabelledUnits, limit: int = LIMIT) -> tuple[Table, Table, NDArray[np.float64]] | None:
    """Enumerate the data sets under ``within_item``.

    Units with equal (n_c, n_i, successes) are exchangeable, so a data set is the number of such units with each
    possible congruent success count: a multinomial over a hypergeometric. One-trial pairs that agree cannot change;
    D discordant pairs give D + 1 data sets with binomial(D, 1/2) probabilities.

    Parameters
    ----------
    units : LabelledUnits
        Units of one cell; each unit must be a whole item.
    limit : int
        Largest number of distinct data sets to enumerate.

    Returns
    -------
    patterns : ndarray, dims (pattern, 4)
    counts : ndarray, dims (outcome, pattern)
    probabilities : ndarray, dims (outcome,), sum 1
        None when items span several units or there are more than `limit` data sets.
    """
    if len(np.unique(units.item)) != len(units.item):
        return None
    groups = _groups(units)
    sizes = [comb(m + len(ks) - 1, len(ks) - 1) for _, ks, _, m in groups]
    if prod(sizes) > limit:
        return None
    patterns = [p for shape, ks, _, _ in groups for p in _patterns(shape, ks)]
    index = {p: i for i, p in enumerate(dict.fromkeys(patterns))}
    counts, probabilities = [], []
    options = [list(_splits(group)) for group in groups]
    for choice in product(*options):
        row = np.zeros(len(index), dtype=np.int64)
        for (shape, ks, _, _), (split, _) in zip(groups, choice, strict=True):
            for pattern, times in zip(_patterns(shape, ks), split, strict=True):
                row[index[pattern]] += times
        counts.append(row)
        probabilities.append(prod(p for _, p in choice))
    return np.array(list(index), dtype=np.int64), np.array(counts), np.array(probabilities)


Shape = tuple[int, int, int]
_Group = tuple[Shape, tuple[int, ...], tuple[float, ...], int]


def _groups(units: LabelledUnits) -> list[_Group]:
    """Return (shape, possible congruent successes, their probabilities, units) for each kind of unit."""
    table = units.table
    shapes = np.stack([table[:, 0], table[:, 2], table[:, 1] + table[:, 3]], axis=1)
    groups: list[_Group] = []
    for shape, size in zip(*np.unique(shapes, axis=0, return_counts=True), strict=True):
        n_c, n_i, successes = (int(v) for v in shape)
        ks = tuple(range(max(0, successes - n_i), min(n_c, successes) + 1))
        weights = hypergeom(n_c + n_i, successes, n_c).pmf(np.array(ks)) if len(ks) > 1 else np.ones(1)
        groups.append(((n_c, n_i, successes), ks, tuple(float(w) for w in weights), int(size)))
    return groups


def _patterns(shape: Shape, ks: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    n_c, n_i, successes = shape
    return [(n_c, k, n_i, successes - k) for k in ks]


def _splits(group: _Group) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield every way to deal the units of a group over its outcomes, with its probability."""
    _, ks, weights, size = group
    for bars in combinations(range(size + len(ks) - 1), len(ks) - 1):
        edges = (-1, *bars, size + len(ks) - 1)
        split = tuple(b - a - 1 for a, b in pairwise(edges))
        yield split, float(multinomial.pmf(split, size, weights)) if len(ks) > 1 else 1.0
