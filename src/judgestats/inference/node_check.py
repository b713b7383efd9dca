"""Node check: how many quadrature nodes a collapsed likelihood needs, and what doubling them still changes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.gate import GateRow
from judgestats.inference.collapsed import CollapsedRows, pattern_log_likelihood
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import StageCounts

NODES = (31, 61, 121, 241, 481)
NODE_ERROR = 1e-4  # nats of the whole log-likelihood
CHECKED_DRAWS = 64
TAIL = 3.0  # prior standard deviations of the item sd at which the first choice of nodes is made


def nodes_needed(stage: StageSpec, counts: StageCounts, rows: CollapsedRows, scales: int) -> int:
    """Return the fewest nodes that are accurate at the raw rates and an item sd in the far tail of its prior.

    Parameters
    ----------
    stage : StageSpec
        Gives the prior of the item sd.
    counts : StageCounts
        Counts of the cells that are fitted together.
    rows : CollapsedRows
        Their collapsed rows.
    scales : int
        Number of item standard deviations.
    """
    totals = counts.totals().astype(np.float64)
    logit = np.log((totals[..., 1] + 0.5) / (totals[..., 0] - totals[..., 1] + 0.5))
    values = {
        "alpha": logit.mean(axis=1)[None],
        "beta": (logit[:, 0] - logit[:, 1])[None],
        "sigma_item": np.full((1, scales), TAIL * stage.term("sigma_item").prior.sd),
    }
    return next((n for n in NODES if node_error(rows, values, n) < NODE_ERROR), NODES[-1])


def node_error(rows: CollapsedRows, values: Mapping[str, NDArray[np.float64]], nodes: int) -> float:
    """Return the largest change of the log-likelihood, in nats over some draws, when the nodes are doubled.

    Parameters
    ----------
    rows : CollapsedRows
        Collapsed rows.
    values : mapping of str to ndarray, dims (..., cell) and (..., scale)
        Draws of ``alpha``, ``beta`` and ``sigma_item``, log-odds scale; evenly spaced ones are checked.
    nodes : int
        Nodes to check.
    """
    if not len(rows.count):
        return 0.0
    flat = {name: values[name].reshape(-1, values[name].shape[-1]) for name in ("alpha", "beta", "sigma_item")}
    size = len(flat["alpha"])
    pick = np.linspace(0, size - 1, min(size, CHECKED_DRAWS)).astype(np.int64)
    alpha, beta, sigma = (flat[name][pick] for name in ("alpha", "beta", "sigma_item"))
    coarse = pattern_log_likelihood(rows, alpha, beta, sigma, nodes)
    fine = pattern_log_likelihood(rows, alpha, beta, sigma, 2 * nodes - 1)
    return float(np.max(np.abs((fine - coarse) @ rows.count)))


def node_row(stage: str, error: float) -> GateRow:
    """Return the gate row of a node error."""
    passed = error < NODE_ERROR
    action = "" if passed else "items hold so many trials that the quadrature is too coarse; use pymc"
    return GateRow(
        stage, None, None, "log_likelihood", "node_error", error, NODE_ERROR, "pass" if passed else "fail", action
    )
