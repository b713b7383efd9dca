"""Lattice probabilities: the probability of success of a new item in each block, at every node of a lattice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.lattice import Lattice
from judgestats.inference.quadrature import logistic_normal_mean

Array = NDArray[np.float64]


def block_probabilities(lattice: Lattice, nodes: int = 61) -> tuple[Array, Array]:
    """Return the marginal probabilities of the congruent and the incongruent block, dims (line, beta) each.

    Linear predictors of a lattice fall on two short grids, so one quadrature per scale and grid value serves all nodes.

    Parameters
    ----------
    lattice : Lattice
        Its lines run over (scales..., alpha), the last dim fastest.
    nodes : int
        Quadrature nodes of the item (and cluster) effect.
    """
    squares = np.zeros(1)
    for scale in lattice.scales:
        squares = (squares[:, None] + scale**2).ravel()
    spread = np.sqrt(squares)[:, None]
    congruent, incongruent = (
        logistic_normal_mean(eta[None, :], spread, nodes)[:, at].reshape(-1, lattice.beta.size)
        for eta, at in zip(lattice.eta(), lattice.gather(), strict=True)
    )
    return congruent, incongruent
