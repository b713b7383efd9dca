"""Collapsed rows: units with equal answers as one pattern with a count, item effects left to be integrated out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.families.bernoulli_logit import log_likelihood
from judgestats.inference.quadrature import standard_normal_nodes
from judgestats.inference.units import Units
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import StageCounts

Index = NDArray[np.int64]


@dataclass(frozen=True)
class CollapsedRows:
    """What the collapsed likelihood of one stage sees.

    A pattern is a set of rows that share one item effect; units whose rows are equal are one pattern, which is exact
    because their effects are exchangeable.

    Parameters
    ----------
    cell, pattern, trials, successes : ndarray, dims (row,)
        Cell, pattern and counts of each row of a pattern.
    block : ndarray, dims (row,)
        Block code of each row.
    scale, count : ndarray, dims (pattern,)
        Which standard deviation a pattern takes, and how many units gave it.
    of_unit : ndarray, dims (unit,)
        Pattern of each unit; -1 for a unit without a trial.
    """

    cell: Index
    block: NDArray[np.float64]
    trials: Index
    successes: Index
    pattern: Index
    scale: Index
    count: Index
    of_unit: Index


def collapse_units(counts: StageCounts, units: Units) -> CollapsedRows:
    """Collapse the rows of a stage over units with equal answers; rows that differ in the cluster only are added up."""
    totals: dict[tuple[int, int, float], list[int]] = {}
    for unit, cell, block, n, k in zip(
        units.of_row.tolist(),
        counts.cell.tolist(),
        counts.block.tolist(),
        counts.trials.tolist(),
        counts.successes.tolist(),
        strict=True,
    ):
        entry = totals.setdefault((unit, cell, block), [0, 0])
        entry[0] += n
        entry[1] += k
    answers: dict[int, list[tuple[int, float, int, int]]] = {}
    for (unit, cell, block), (n, k) in sorted(totals.items()):
        answers.setdefault(unit, []).append((cell, block, n, k))
    keys = {unit: (int(units.scale[unit]), tuple(rows)) for unit, rows in answers.items()}
    patterns = {key: i for i, key in enumerate(sorted(set(keys.values())))}
    of_unit = np.full(units.size, -1, dtype=np.int64)
    for unit, key in keys.items():
        of_unit[unit] = patterns[key]
    rows = [(cell, block, n, k, i) for (_, parts), i in patterns.items() for cell, block, n, k in parts]
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    whole = table.astype(np.int64)
    return CollapsedRows(
        cell=whole[:, 0],
        block=table[:, 1],
        trials=whole[:, 2],
        successes=whole[:, 3],
        pattern=whole[:, 4],
        scale=np.array([scale for scale, _ in patterns], dtype=np.int64),
        count=np.bincount(of_unit[of_unit >= 0], minlength=len(patterns)).astype(np.int64),
        of_unit=of_unit,
    )


def collapse_refusal(stage: StageSpec) -> str | None:
    """Return why the item effects of a stage cannot be integrated out pattern by pattern, or None when they can."""
    if stage.has("sigma_cluster"):
        return "a second intercept (cluster) cannot be integrated out beside the item intercept; use pymc"
    if stage.has("sigma_slope"):
        return "block slopes by item need a second integral per item; use pymc"
    if not stage.has("sigma_item"):
        return "the model has no item intercept to integrate out; use pymc"
    return None


def pattern_log_likelihood(
    rows: CollapsedRows,
    alpha: NDArray[np.float64],
    beta: NDArray[np.float64],
    sigma: NDArray[np.float64],
    nodes: int = 61,
) -> NDArray[np.float64]:
    """Return the log-likelihood of one unit of each pattern with its item effect integrated out.

    Parameters
    ----------
    rows : CollapsedRows
        The collapsed stage.
    alpha, beta : ndarray, dims (draw, cell)
        Intercepts and block effects, log-odds scale.
    sigma : ndarray, dims (draw, scale)
        Item standard deviations, log-odds scale.
    nodes : int
        Quadrature nodes.

    Returns
    -------
    ndarray, dims (draw, pattern)
        Log-likelihood in nats, without binomial constants.
    """
    z, weights = standard_normal_nodes(nodes)
    parts = np.empty((len(z), len(alpha), len(rows.count)))
    fixed = alpha[:, rows.cell] + beta[:, rows.cell] * rows.block
    spread = sigma[:, rows.scale[rows.pattern]]
    for i, node in enumerate(z):
        terms = log_likelihood(rows.successes, rows.trials, fixed + spread * node)
        parts[i] = _sum_by_pattern(terms, rows)
    # By hand: scipy's logsumexp asks for jax, which ArviZ puts in place lazily, and that is not safe in threads.
    top = parts.max(axis=0)
    return np.asarray(top + np.log(np.einsum("z,zdp->dp", weights, np.exp(parts - top))))


def _sum_by_pattern(terms: NDArray[np.float64], rows: CollapsedRows) -> NDArray[np.float64]:
    # Rows are sorted by pattern and every pattern has a row, so the starts are where the pattern changes.
    if not len(rows.count):
        return np.zeros((len(terms), 0))
    starts = np.searchsorted(rows.pattern, np.arange(len(rows.count)))
    return np.asarray(np.add.reduceat(terms, starts, axis=1))
