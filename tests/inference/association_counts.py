"""Small tables and the default stage for tests of engines."""

from __future__ import annotations

import numpy as np

from judgestats.spec.model import StageSpec
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts


def stage(
    alpha: tuple[float, float] = (0.0, 1.5), beta: float = 1.5, sigma: float = 1.0, cluster: float | None = None
) -> StageSpec:
    """Return the shift stage with the given priors."""
    terms = [
        Term("alpha", "product", Prior("normal", alpha[1], alpha[0]), ("cell",)),
        Term("beta", "product", Prior("normal", beta), ("cell", "block")),
        Term("sigma_item", "varying", Prior("half_normal", sigma), ("cell",), group="item"),
    ]
    if cluster is not None:
        terms.append(Term("sigma_cluster", "varying", Prior("half_normal", cluster), ("cell",), group="cluster"))
    return StageSpec("shift", "consistent", "valid", "bernoulli_logit", tuple(terms))


def table(
    rows: list[tuple[int, int, int, int]],
    clusters: list[int] | None = None,
    judge: str = "judge",
    domain: str = "domain",
) -> StageCounts:
    """Return one cell from item rows (congruent trials, successes, incongruent trials, successes)."""
    item, block, trials, successes, cluster = [], [], [], [], []
    for index, (n_c, k_c, n_i, k_i) in enumerate(rows):
        for code, n, k in ((0.5, n_c, k_c), (-0.5, n_i, k_i)):
            if n:
                item.append(index)
                block.append(code)
                trials.append(n)
                successes.append(k)
                cluster.append(0 if clusters is None else clusters[index])
    names = None if clusters is None else (tuple(f"c{i}" for i in range(max(clusters) + 1)),)
    return StageCounts(
        stage="shift",
        cells=(Cell(judge, domain),),
        items=(tuple(f"i{i:04d}" for i in range(len(rows))),),
        clusters=names,
        cell=np.zeros(len(item), dtype=np.int64),
        item=np.array(item, dtype=np.int64),
        cluster=None if clusters is None else np.array(cluster, dtype=np.int64),
        block=np.array(block),
        trials=np.array(trials, dtype=np.int64),
        successes=np.array(successes, dtype=np.int64),
    )


def pairs(both: int, congruent_only: int, incongruent_only: int, neither: int = 0) -> StageCounts:
    """Return one cell of items asked once in each block, by which of the two answers were consistent."""
    rows = [(1, 1, 1, 1)] * both + [(1, 1, 1, 0)] * congruent_only + [(1, 0, 1, 1)] * incongruent_only
    return table(rows + [(1, 0, 1, 0)] * neither)


def swapped(counts: StageCounts) -> StageCounts:
    """Return the counts with the block labels exchanged, rows in canonical order again."""
    from dataclasses import replace

    order = np.lexsort((counts.block, counts.item, counts.cell))
    return replace(
        counts,
        item=counts.item[order],
        block=-counts.block[order],
        trials=counts.trials[order],
        successes=counts.successes[order],
        cluster=None if counts.cluster is None else counts.cluster[order],
    )
