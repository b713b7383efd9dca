"""Unit integral: log-likelihood of a unit with its effect integrated out, on the link scale throughout."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from judgestats.checks.likelihood_units import UnitRows
from judgestats.inference.quadrature import node_count, standard_normal_nodes

Array = NDArray[np.float64]
_SLOPE_NODES = 33
_WIDEST = 0.25  # step that gives log-likelihoods to 1e-6 for sigma up to 2, to 1e-4 up to 6


def log_expit_terms(eta: Array, trials: Array, successes: Array) -> Array:
    """Return successes log expit(eta) + (trials - successes) log expit(-eta), without the binomial constant."""
    softplus = np.maximum(eta, 0.0) + np.log1p(np.exp(-np.abs(eta)))
    return np.asarray(successes * eta - trials * softplus)


def conditional_log_likelihood(eta: Array, rows: UnitRows) -> Array:
    """Return the log-likelihood of each unit at a given linear predictor.

    Parameters
    ----------
    eta : ndarray, dims (draw, row)
        Linear predictor, log-odds scale.
    rows : UnitRows
        Counts of the rows.

    Returns
    -------
    ndarray, dims (draw, unit)
    """
    if rows.size == 0:
        return np.zeros((eta.shape[0], 0))
    starts = np.searchsorted(rows.unit, np.arange(rows.size))
    return np.asarray(np.add.reduceat(log_expit_terms(eta, rows.trials, rows.successes), starts, axis=1))


def unit_log_likelihood(eta: Array, rows: UnitRows, sigma: Array, slope: Array | None = None) -> Array:
    """Return log E[prod over the rows of a unit] with one normal effect per unit integrated out.

    Parameters
    ----------
    eta : ndarray, dims (draw, row)
        Linear predictor without the unit's effect, log-odds scale.
    rows : UnitRows
        Counts of the rows.
    sigma : ndarray, dims (draw,)
        Standard deviation of the effect.
    slope : ndarray, dims (draw,), optional
        Standard deviation of the unit's block slope; its effect enters as block code times slope.

    Returns
    -------
    ndarray, dims (draw, unit)
        Natural logs; no binomial constant, so values of aggregated and of single trials agree.
    """
    if slope is None:
        return _integrate(eta, rows, sigma)
    nodes, weights = standard_normal_nodes(_SLOPE_NODES)
    total = np.full((eta.shape[0], rows.size), -np.inf)
    for node, weight in zip(nodes, weights, strict=True):
        inner = _integrate(eta + np.outer(slope * node, rows.block), rows, sigma)
        total = np.logaddexp(total, inner + math.log(weight))
    return total


def cluster_log_likelihood(
    eta: Array, rows: UnitRows, sigma: Array, holds: Array, sigma_cluster: Array, slope: Array | None = None
) -> Array:
    """Return the log-likelihood of clusters that hold whole items, item and cluster effects integrated out.

    Parameters
    ----------
    eta : ndarray, dims (draw, row)
        Linear predictor of the item patterns without any effect.
    rows : UnitRows
        Item patterns.
    sigma, sigma_cluster, slope : ndarray, dims (draw,)
        Standard deviations of the item, cluster and slope effects.
    holds : ndarray, dims (pattern, cluster)
        Items of each pattern in each cluster.

    Returns
    -------
    ndarray, dims (draw, cluster)
    """
    in_cluster = np.bincount(rows.unit, weights=rows.trials, minlength=rows.size) @ holds
    nodes, weights = standard_normal_nodes(node_count(float(sigma_cluster.max()), float(in_cluster.max()), _WIDEST))
    total = np.full((eta.shape[0], holds.shape[1]), -np.inf)
    for node, weight in zip(nodes, weights, strict=True):
        given = unit_log_likelihood(eta + (sigma_cluster * node)[:, None], rows, sigma, slope)
        total = np.logaddexp(total, given @ holds + math.log(weight))
    return total


def _integrate(eta: Array, rows: UnitRows, sigma: Array) -> Array:
    """Stream the trapezium nodes through log-sum-exp, so memory stays at one (draw, row) array."""
    nodes, weights = standard_normal_nodes(node_count(float(sigma.max(initial=0.0)), rows.largest, _WIDEST))
    total = np.full((eta.shape[0], rows.size), -np.inf)
    for node, weight in zip(nodes, weights, strict=True):
        at_node = conditional_log_likelihood(eta + (sigma * node)[:, None], rows)
        total = np.logaddexp(total, at_node + math.log(weight))
    return total
