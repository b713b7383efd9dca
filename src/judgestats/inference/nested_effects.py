"""Nested effects: item and cluster effects of a cell whose clusters contain whole items, drawn given the parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.collapsed import CollapsedRows, collapse_units
from judgestats.inference.conditional_effects import CHUNK, standard_effects, unit_effects
from judgestats.inference.families.bernoulli_logit import softplus
from judgestats.inference.nested_table import cluster_of_items
from judgestats.inference.quadrature import standard_normal_nodes
from judgestats.inference.units import item_units
from judgestats.spec.term import Term
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]
Index = NDArray[np.int64]

ITEM_NODES = 31
CLUSTER_NODES = 161


def nested_effects(
    counts: StageCounts, term: Term, parameters: dict[str, Array], rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return item and cluster effects of one cell.

    The cluster effect is drawn first, with the effects of its items integrated out, and then each item's effect given
    it.

    Parameters
    ----------
    counts : StageCounts
        Counts of the cell, each item within one cluster.
    term : Term
        The term that varies by item.
    parameters : dict of str to ndarray, dims (draw, 1)
        ``alpha``, ``beta``, ``sigma_item`` and ``sigma_cluster``, log-odds scale.
    rng : numpy.random.Generator
        Source of the draws.

    Returns
    -------
    item, cluster : ndarray, dims (draw, level)
        Effects on the log-odds scale.

    Raises
    ------
    ValueError
        If an item meets several clusters.
    """
    cluster = cluster_of_items(counts)
    if cluster is None or counts.clusters is None:
        raise ValueError("effects of clusters that cross items are sampled by the engine; this fit holds none")
    units = item_units(term, counts)
    rows = collapse_units(counts, units)
    size = len(counts.clusters[0])
    uniforms = rng.random((len(parameters["alpha"]), units.size + size))
    effects = parameters["sigma_cluster"] * _clusters(rows, cluster, size, parameters, uniforms[:, units.size :])
    split = _split_by_cluster(rows, cluster)
    fixed = parameters["alpha"] + parameters["beta"] * split.block + effects[:, split.scale[split.pattern]]
    sigma = np.repeat(parameters["sigma_item"], len(split.count), axis=1)
    z = unit_effects(split, fixed, sigma, split.of_unit, uniforms[:, : units.size])
    return parameters["sigma_item"] * z, effects


def _clusters(rows: CollapsedRows, cluster: Index, size: int, parameters: dict[str, Array], uniforms: Array) -> Array:
    """Return standard cluster effects, dims (draw, cluster)."""
    members = np.zeros((size, len(rows.count)))
    seen = rows.of_unit >= 0
    np.add.at(members, (cluster[seen], rows.of_unit[seen]), 1.0)
    out = np.empty(uniforms.shape)
    width = max(1, CHUNK // (CLUSTER_NODES * ITEM_NODES * max(2, len(rows.count))))
    for start in range(0, len(out), width):
        part = slice(start, start + width)
        chunk = {name: values[part] for name, values in parameters.items()}

        def likelihood(nodes: Array, chunk: dict[str, Array] = chunk) -> Array:
            return _cluster_log_likelihood(rows, members, chunk, nodes)

        out[part] = standard_effects(likelihood, np.arange(size), uniforms[part], single_grid=CLUSTER_NODES)
    return out


def _cluster_log_likelihood(rows: CollapsedRows, members: Array, parameters: dict[str, Array], nodes: Array) -> Array:
    """Return the log-likelihood of each cluster at its effect, items integrated out, dims (draw, cluster, node)."""
    if not len(rows.count):
        return np.zeros((len(parameters["alpha"]), len(members), nodes.shape[2]))
    # Rows differ in their block only: two linear predictors serve all patterns.
    column = (rows.block < 0).astype(np.int64)
    successes, trials = np.zeros((2, 2, len(rows.count)))
    np.add.at(successes, (column, rows.pattern), rows.successes)
    np.add.at(trials, (column, rows.pattern), rows.trials)
    half = 0.5 * parameters["beta"]
    fixed = np.concatenate([parameters["alpha"] + half, parameters["alpha"] - half], axis=1)
    cluster = parameters["sigma_cluster"][:, :, None, None] * nodes[:, :, :, None]
    z, weights = standard_normal_nodes(ITEM_NODES)
    item = parameters["sigma_item"][:, :, None, None] * z
    eta = fixed[:, :, None, None] + cluster + item
    parts = np.einsum("bp,dbnz->dpnz", successes, eta) - np.einsum("bp,dbnz->dpnz", trials, softplus(eta))
    top = parts.max(axis=3, keepdims=True)
    total = top[..., 0] + np.log(np.exp(parts - top) @ weights)
    return np.asarray(np.einsum("cp,dpn->dcn", members, total))


def _split_by_cluster(rows: CollapsedRows, cluster: Index) -> CollapsedRows:
    """Return the patterns split by cluster; `scale` then holds the cluster of each pattern."""
    pairs = [(int(c), int(p)) for c, p in zip(cluster, rows.of_unit, strict=True) if p >= 0]
    known = {pair: i for i, pair in enumerate(sorted(set(pairs)))}
    of_unit = np.array(
        [known[(int(c), int(p))] if p >= 0 else -1 for c, p in zip(cluster, rows.of_unit, strict=True)],
        dtype=np.int64,
    )
    picks = [np.flatnonzero(rows.pattern == p) for _, p in known]
    pick = np.concatenate(picks) if picks else np.zeros(0, dtype=np.int64)
    return CollapsedRows(
        cell=rows.cell[pick],
        block=rows.block[pick],
        trials=rows.trials[pick],
        successes=rows.successes[pick],
        pattern=np.repeat(np.arange(len(known)), [len(p) for p in picks]),
        scale=np.array([c for c, _ in known], dtype=np.int64),
        count=np.bincount(of_unit[of_unit >= 0], minlength=len(known)).astype(np.int64),
        of_unit=of_unit,
    )
