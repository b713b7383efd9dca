"""Score nodes: how many quadrature nodes a score block needs, and what doubling them still changes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.gate import GateRow, GateStatus
from judgestats.inference.score_block import ScoreBlock
from judgestats.inference.score_density import CELL_VALUES, cell_log_likelihood
from judgestats.inference.score_parameters import score_parameters
from judgestats.inference.score_sampler import Mode

NODES = (15, 21, 31, 41, 51, 61, 81, 121, 161, 241, 321, 481)
NODE_ERROR = 1e-4  # nats of the whole log-likelihood of a block
CHECKED_DRAWS = 32
TAIL = 3.0  # standard deviations above its mode at which the item sd is taken for the first choice
MARGIN = 0.3  # share of the limit that the first choice may use


def nodes_needed(block: ScoreBlock, mode: Mode) -> int:
    """Return the fewest nodes that are accurate at the mode, with item standard deviations far above theirs."""
    import jax

    with jax.enable_x64(True):
        cells = block.shape.cells
        points = []
        for away in (0.0, TAIL):
            point = mode.point.copy()
            point[-cells:] += away * np.minimum(mode.spread()[-cells:], 0.5)
            points.append(point)
        made = [score_parameters(block.shape, block.data, point)[0] for point in points]
        values = {name: np.stack([np.asarray(m[name]) for m in made])[None] for name in CELL_VALUES if name in made[0]}
    limit = MARGIN * NODE_ERROR
    return next((n for n in NODES if block_node_error(block, values, n) < limit), NODES[-1])


def block_node_error(block: ScoreBlock, values: Mapping[str, NDArray[np.float64]], nodes: int) -> float:
    """Return the largest change of the log-likelihood, in nats over some draws, when the nodes are doubled.

    Parameters
    ----------
    block : ScoreBlock
        Cells.
    values : mapping of str to ndarray, dims (chain, draw, cell, ...)
        Parameters; evenly spaced draws are checked.
    nodes : int
        Nodes to check; one node, without item effects, has no error.
    """
    if not block.shape.items:
        return 0.0
    flat = {name: values[name].reshape(-1, *values[name].shape[2:]) for name in CELL_VALUES if name in values}
    size = len(flat["effect"])
    worst = 0.0
    for draw in np.linspace(0, size - 1, min(size, CHECKED_DRAWS)).astype(np.int64):
        change = 0.0
        for cell in range(block.shape.cells):
            one = {name: array[draw, cell] for name, array in flat.items()}
            counts = {name: array[cell] for name, array in block.data["cell"].items()}
            coarse, fine = (
                float(cell_log_likelihood(block.shape.family, one, counts, n)) for n in (nodes, 2 * nodes - 1)
            )
            change += fine - coarse
        worst = max(worst, abs(change))
    return worst


def score_node_row(stage: str, block: ScoreBlock, error: float) -> GateRow:
    """Return the gate row of a node error of a block."""
    passed = error < NODE_ERROR
    action = "" if passed else "items hold so many trials that the quadrature is too coarse; split the repeats"
    alone = len(block.cells) == 1
    judge, domain = (block.cells[0].judge, block.cells[0].domain) if alone else (None, None)
    status: GateStatus = "pass" if passed else "fail"
    return GateRow(stage, judge, domain, "log_likelihood", "node_error", error, NODE_ERROR, status, action)
