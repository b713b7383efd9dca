"""Cue permutation: the shift of every cue among data sets in which variant and base are swapped within items.

Exchangeability. If a cue does nothing, an item's scores with and without it are exchangeable, given everything else about the
item. Swapping the two labels turns the item's paired differences d_1 .. d_R (its repeats and prompt configurations, which
share the item) into -d_1 .. -d_R, so the signs of an item flip together and the test of one variant in one cell is exact.

Over variants and cells the flips are **joint**: one coin an item of a domain serves every variant and every judge. Judges
read the same text, so swapping its label swaps it for all of them. Over variants, which share their base scores, the coin
is exact where the vector of an item's differences is as likely as its mirror image; where it is not (skewed scores), the
flips still give the sums the covariance sum_i d_i d_i' of the data, shared base included, which independent coins would
set to 0. A variant's own flips depend on its own differences alone, so moved variants do not widen the null of the others
(subset pivotality), as permuting the labels of all variants at random would.

References
----------
Westfall & Young (1993), Resampling-Based Multiple Testing (minimum p); Phipson & Smyth (2010), doi 10.2202/1544-6115.1585.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from judgestats.checks.item_differences import ItemDifferences, item_differences
from judgestats.checks.permutation_p import monte_carlo_p
from judgestats.checks.score_finding import CueFalsification
from judgestats.checks.sign_flips import LIMIT, SignFlipLaw, sign_flip_law
from judgestats.errors import ConfigError
from judgestats.inference.contract import Progress
from judgestats.seeds import Seed
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.table import Score

Array = NDArray[np.float64]
Index = NDArray[np.int64]
RAW = (
    "The statistic is the raw mean paired difference, for observed and permuted data alike: one refit takes over 0.1 s."
)


@dataclass(frozen=True)
class _Null:
    """One row with the p of each of its permuted data sets, for the smallest p over rows."""

    row: CueFalsification
    p_values: Array  # dims (permutation,); empty where nothing can move


def falsify_cues(
    pairs: Mapping[str, ScoreRows],
    scale: Score,
    *,
    permutations: int = 1000,
    seed: Seed,
    exact_limit: int = LIMIT,
    progress: Progress | None = None,
) -> tuple[CueFalsification, ...]:
    """Place every observed shift among the shifts of data sets with variant and base swapped within items.

    Parameters
    ----------
    pairs : mapping of str to ScoreRows
        Stages ``moved`` and ``shift`` of the paired model: pairs of the same item, prompt configuration and repeat, both valid.
    scale : Score
        Turns steps into score points.
    permutations : int
        Joint flips, for the null distribution that is shown and for `p_max`.
    seed : Seed
        Streams ``cue permutation/<domain>``.
    exact_limit : int
        Most additions spent on the exact distribution of one row; above, p comes from the flips.
    progress : callable, optional
        Progress callback.

    Returns
    -------
    tuple of CueFalsification
        One row a cell and variant, in the order of cells and variants; a variant without a pair gives none. With the exact
        distribution (``permutations`` 0) ``distinct`` counts the values that the statistic can take, and ``null`` is a
        sample of it.

    Raises
    ------
    ConfigError
        If `permutations` is below 1.
    """
    if permutations < 1:
        raise ConfigError(f"permutations = {permutations}; at least 1 is needed.")
    cells = item_differences(pairs)
    coins = flip_coins(cells, permutations, seed)
    nulls: list[_Null] = []
    for index, cell in enumerate(cells):
        nulls += _of_cell(cell, coins[index], scale.step, exact_limit)
        if progress is not None:
            progress("cue permutation", index + 1, len(cells))
    return _with_maximum(nulls, permutations)


def flip_coins(cells: Sequence[ItemDifferences], permutations: int, seed: Seed) -> tuple[NDArray[np.int8], ...]:
    """Return a sign for every item of every cell, dims (permutation, item) each; the same for all judges of a domain."""
    coins: dict[str, tuple[dict[str, int], NDArray[np.int8]]] = {}
    for domain in sorted({one.cell.domain for one in cells}):
        names = sorted({name for one in cells if one.cell.domain == domain for name in one.items})
        rng = seed.generator(f"cue permutation/{domain}")
        signs = 1 - 2 * rng.integers(0, 2, size=(permutations, len(names)), dtype=np.int8)
        coins[domain] = ({name: i for i, name in enumerate(names)}, signs)
    out = []
    for one in cells:
        place, signs = coins[one.cell.domain]
        out.append(signs[:, [place[name] for name in one.items]])
    return tuple(out)


def _of_cell(cell: ItemDifferences, coins: NDArray[np.int8], step: float, limit: int) -> list[_Null]:
    sums = np.rint(coins.astype(np.float64) @ cell.total.astype(np.float64)).astype(np.int64)
    return [
        _row(cell, v, sums[:, v], step, sign_flip_law(cell.total[:, v], limit))
        for v in range(len(cell.variants))
        if cell.pairs[:, v].any()
    ]


def _row(cell: ItemDifferences, v: int, sums: Index, step: float, law: SignFlipLaw | None) -> _Null:
    observed = int(cell.total[:, v].sum())
    unit = step / int(cell.pairs[:, v].sum())
    moving = int(np.count_nonzero(cell.total[:, v]))
    floor = 0.5 ** (moving - 1) if moving else 1.0
    if law is not None:
        p, p_values = float(law.p_value(np.array([observed]))[0]), law.p_value(sums)
        m, distinct = 0, law.values.size
    else:
        p, p_values = monte_carlo_p(sums.astype(np.float64), float(observed))[0], _ranked(sums, observed)
        m, distinct, floor = sums.size, np.unique(sums).size, max(floor, 2 / (sums.size + 1))
    row = CueFalsification(
        judge=cell.cell.judge,
        domain=cell.cell.domain,
        cue=cell.variants[v].cue,
        polarity=cell.variants[v].polarity,
        scheme="within_item",
        statistic="raw_difference",
        observed=observed * unit,
        null=tuple(np.round(sums * unit, 9).tolist()),  # short numbers: there are a thousand of them in every row
        permutations=m,
        distinct=int(distinct),
        p_value=min(1.0, p),
        smallest_p=min(1.0, floor),
        notes=_notes(cell, v, moving, floor, exact=law is not None),
    )
    return _Null(row, p_values if moving else np.zeros(0))


def _ranked(sums: Index, observed: int) -> Array:
    """Return the p of every flipped sum among all, the observed one included; the law is symmetric, so |sum| ranks both sides."""
    everything = np.sort(np.abs(np.append(sums, observed)))
    beyond = everything.size - np.searchsorted(everything, np.abs(sums), side="left")
    return np.asarray(beyond / everything.size)


def _notes(cell: ItemDifferences, v: int, moving: int, floor: float, *, exact: bool) -> tuple[str, ...]:
    items = int(np.count_nonzero(cell.pairs[:, v]))
    if moving == 0:
        return (
            RAW,
            f"None of {items} items moved on balance: every swap gives the observed data, so p = 1 says nothing.",
        )
    how = "p is exact, over all swaps" if exact else "p comes from random swaps"
    total = cell.total[:, v]
    counts = (
        f"{int(np.sum(total > 0))} of {items} items moved up and {int(np.sum(total < 0))} down; only they can change"
    )
    return (RAW, f"{counts}, and the smallest two-sided p that they can reach is {floor:.2g}; {how}.")


def _with_maximum(nulls: list[_Null], permutations: int) -> tuple[CueFalsification, ...]:
    """Add the p of the smallest p over all rows whose signs can move."""
    moving = [null.p_values for null in nulls if null.p_values.size]
    if not moving:
        return tuple(null.row for null in nulls)
    smallest = np.sort(np.min(moving, axis=0))
    rows = []
    for null in nulls:
        if not null.p_values.size:
            rows.append(null.row)
            continue
        own = null.row.p_value
        as_small = int(np.searchsorted(smallest, own * (1 + 1e-9), side="right"))
        # An adjusted p must not undercut the p that it adjusts.
        rows.append(replace(null.row, p_max=max(own, (as_small + 1) / (permutations + 1))))
    return tuple(rows)
