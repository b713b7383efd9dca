"""ArviZ: the one file that imports it; everything else asks here for diagnostics.

Inputs are plain arrays with the dims (chain, draw, ...) first. Nothing reads or changes ArviZ's rcParams:
probabilities and methods are passed at every call, because their defaults have changed between releases.
"""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def _stats() -> Any:
    # Imported on first use: it costs about a second.
    return importlib.import_module("arviz_stats.base").array_stats


def _chains(values: ArrayLike) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim < 2:
        raise ValueError(f"diagnostics need dims (chain, draw, ...), got an array with {array.ndim} dims")
    return array


def _diagnostic(values: ArrayLike, function: str, **options: Any) -> Array:
    array = _chains(values)
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        # Constants give 0/0 inside ArviZ; the NaN that comes out says "undefined" and is handled by the caller.
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(getattr(_stats(), function)(array, chain_axis=0, draw_axis=1, **options), dtype=np.float64)


def rhat(values: ArrayLike) -> Array:
    """Return the rank-normalised split R-hat, dims of `values` after (chain, draw); NaN for constants.

    References
    ----------
    Vehtari et al. 2021, doi 10.1214/20-BA1221.
    """
    return _diagnostic(values, "rhat", method="rank")


def ess_bulk(values: ArrayLike) -> Array:
    """Return the bulk effective sample size, dims of `values` after (chain, draw)."""
    return _diagnostic(values, "ess", method="bulk", relative=False)


def ess_tail(values: ArrayLike) -> Array:
    """Return the tail effective sample size at the 5 % and 95 % quantiles, dims of `values` after (chain, draw)."""
    return _diagnostic(values, "ess", method="tail", relative=False, prob=(0.05, 0.95))


def rhat_of_chains(values: ArrayLike) -> Array:
    """Return the R-hat of chains as they are, neither split nor ranked, dims of `values` after (chain, draw)."""
    return _diagnostic(values, "rhat", method="identity")


def ess_of_chains(values: ArrayLike) -> Array:
    """Return the effective sample size of chains as they are, neither split nor ranked."""
    return _diagnostic(values, "ess", method="identity", relative=False)


def mcse_mean(values: ArrayLike) -> Array:
    """Return the Monte Carlo standard error of the mean, dims of `values` after (chain, draw)."""
    return _diagnostic(values, "mcse", method="mean")


def mcse_quantile(values: ArrayLike, prob: float) -> Array:
    """Return the Monte Carlo standard error of the quantile `prob`, dims of `values` after (chain, draw)."""
    return _diagnostic(values, "mcse", method="quantile", prob=prob)


def ebfmi(energy: ArrayLike) -> Array:
    """Return the estimated Bayesian fraction of missing information of each chain, dims (chain,).

    Parameters
    ----------
    energy : array_like, dims (chain, draw)
        Hamiltonian energy of every transition.
    """
    return np.asarray(_stats().bfmi(_chains(energy), chain_axis=0, draw_axis=1), dtype=np.float64)


def psislw(log_likelihood: ArrayLike, r_eff: float = 1.0) -> tuple[Array, Array]:
    """Return Pareto-smoothed leave-one-out log weights and k-hat of every unit.

    ArviZ 1.x negates its input, so the log-likelihood goes in as it is; 0.x took log ratios. A unit whose
    log-likelihood does not vary over draws has equal weights and k-hat -inf (ArviZ raises there).

    Parameters
    ----------
    log_likelihood : array_like, dims (chain, draw, unit) or (chain, draw)
        Log-likelihood of each unit.
    r_eff : float
        Relative efficiency of the draws.

    Returns
    -------
    log_weights : ndarray, dims of `log_likelihood`
        Normalised over (chain, draw).
    khat : ndarray, dims (unit,) or ()
        Pareto k of each unit.

    References
    ----------
    Vehtari et al. 2024, arXiv:1507.02646.
    """
    array = _chains(log_likelihood)
    chains, draws = array.shape[:2]
    rows = array.reshape(chains * draws, -1).T
    weights = np.full(rows.shape, -np.log(rows.shape[1]))
    khat = np.full(rows.shape[0], -np.inf)
    varies = np.ptp(rows, axis=1) > 0
    if varies.any():
        weights[varies], khat[varies] = _stats().psislw(rows[varies], r_eff=r_eff, axis=-1)
    return weights.T.reshape(array.shape), khat.reshape(array.shape[2:])


@dataclass(frozen=True)
class Loo:
    """Leave-one-out cross-validation by PSIS.

    Parameters
    ----------
    elpd, se, p_loo : float
        Expected log predictive density (nats), its standard error and the effective number of parameters.
    pointwise : ndarray, dims (unit,)
        Log predictive density of each unit; their sum is `elpd`.
    khat : ndarray, dims (unit,)
        Pareto k of each unit.
    """

    elpd: float
    se: float
    p_loo: float
    pointwise: Array
    khat: Array


def loo(log_likelihood: ArrayLike, r_eff: float = 1.0) -> Loo:
    """Return PSIS-LOO over the units of `log_likelihood`.

    Parameters
    ----------
    log_likelihood : array_like, dims (chain, draw, unit)
        Log-likelihood of each unit, with the unit's own effect integrated out by the caller.
    r_eff : float
        Relative efficiency of the draws.

    Raises
    ------
    ValueError
        If a log-likelihood is not finite or a pointwise value comes out NaN.
    """
    array = _chains(log_likelihood)
    if array.ndim != 3:
        raise ValueError(f"loo needs dims (chain, draw, unit), got {array.ndim} dims")
    if not np.all(np.isfinite(array)):
        raise ValueError("loo got log-likelihoods that are not finite")
    log_weights, khat = psislw(array, r_eff)
    pointwise = np.logaddexp.reduce((log_weights + array).reshape(-1, array.shape[2]), axis=0)
    if not np.all(np.isfinite(pointwise)):
        raise ValueError("leave-one-out gave values that are not finite")
    size = array.shape[0] * array.shape[1]
    full = np.logaddexp.reduce(array.reshape(-1, array.shape[2]), axis=0) - np.log(size)
    units = pointwise.size
    se = float(np.sqrt(units * np.var(pointwise, ddof=1))) if units > 1 else float("nan")
    elpd = float(pointwise.sum())
    return Loo(elpd, se, float(full.sum()) - elpd, pointwise, khat)


def pareto_khat(log_ratios: ArrayLike) -> float:
    """Return the Pareto k of importance ratios, e.g. of a Laplace proposal; -inf when they do not vary.

    Parameters
    ----------
    log_ratios : array_like
        Log target minus log proposal density of every draw, any shape.
    """
    rows = np.asarray(log_ratios, dtype=np.float64).reshape(1, -1, 1)
    return float(psislw(-rows)[1][0])


def psense(values: ArrayLike, log_component: ArrayLike, delta: float = 0.01) -> tuple[float, float]:
    """Return the power-scaling sensitivity of a quantity to one component, and the largest Pareto k of its weights.

    Parameters
    ----------
    values : array_like, dims (chain, draw)
        Draws of the quantity.
    log_component : array_like, dims (chain, draw)
        Log prior of the top-level parameters, or log-likelihood summed over units.
    delta : float
        The component is raised to the powers 1 - delta and 1 + delta.

    Returns
    -------
    sensitivity : float
        Above 0.05 the component matters; 0 when the component does not vary.
    khat : float
        Above 0.7 the sensitivity cannot be trusted.

    References
    ----------
    Kallioinen et al. 2024, doi 10.1007/s11222-023-10366-5.
    """
    array, component = _chains(values), _chains(log_component)
    if array.shape != component.shape:
        raise ValueError(f"values and log_component differ in shape: {array.shape} and {component.shape}")
    if np.ptp(component) == 0:
        return 0.0, float("-inf")
    stats = _stats()
    lower, upper = 1.0 - delta, 1.0 + delta
    flat = component.ravel()
    weights = []
    khats = []
    for power in (lower, upper):
        khats.append(pareto_khat((power - 1.0) * flat))
        log_weights = np.asarray(stats.power_scale_lw(flat, alpha=power, axis=-1))
        weights.append(np.exp(log_weights - np.logaddexp.reduce(log_weights)).reshape(component.shape))
    index = stats.power_scale_sense(array, *weights, lower_alpha=lower, upper_alpha=upper, chain_axis=0, draw_axis=1)
    return float(index), max(khats)
