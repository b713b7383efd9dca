"""Lines: a posterior over a cell's parameters, stored along straight lines of the block effect beta.

An engine that evaluates a posterior on a regular grid holds it as lines: the other parameters are fixed on a line, beta runs
along it. Every reported quantity is monotone in beta when the others are fixed, so a distribution function is a sum over
lines of the mass up to the point at which each line crosses a threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

Array = NDArray[np.float64]
FINER = 4  # pieces per step of beta on which mass is accumulated
_DROPPED = 1e-9  # total mass of the lines that are left out
_FIFTH = np.array([11.0, -93.0, 802.0, 802.0, -93.0, 11.0]) / 1440.0


@dataclass(frozen=True, eq=False)
class Lines:
    """A posterior on lines along beta.

    Parameters
    ----------
    parameters : dict of str to ndarray, dims (line,)
        ``alpha``, ``sigma_item`` (and ``sigma_cluster``), link scale.
    beta : ndarray, dims (node,)
        Evenly spaced values of beta, the same on every line, link scale.
    mass : ndarray, dims (line, node)
        Posterior mass of each node by the trapezium rule, sum 1.
    pieces : ndarray, dims (line, piece)
        Posterior density per step of beta at `FINER` points per step, whose integral is 1 as well.
    index : ndarray, dims (line,)
        Which of the lines that were handed over each kept line is.
    coarse : Lines or None
        The same posterior with twice the grid step and half the quadrature nodes: the difference of a quantity between
        the two is its grid error.
    """

    parameters: dict[str, Array]
    beta: Array
    mass: Array
    pieces: Array
    index: NDArray[np.int64]
    coarse: Lines | None = None

    @classmethod
    def of(cls, parameters: dict[str, Array], beta: Array, log_mass: Array, coarse: Lines | None = None) -> Lines:
        """Return lines from the log of their unnormalised mass, dims (line, node); lines without mass are left out."""
        log_mass = log_mass - log_mass.max()
        mass = np.exp(log_mass)
        of_line = mass.sum(axis=1)
        index = np.flatnonzero(of_line > _DROPPED / of_line.size * of_line.sum())
        pieces = np.exp(log_mass[index] @ refinement(beta.size, FINER))
        # As accumulated, so that mass counted from the other end is the rest to the last bit.
        pieces /= _accumulated(pieces)[:, -1].sum()
        kept = {name: values[index] for name, values in parameters.items()}
        return cls(kept, beta, mass[index] / mass[index].sum(), pieces, index, coarse)

    def broadcast(self) -> dict[str, Array]:
        """Return the parameters at every node, dims (line, node) after broadcasting, ``beta`` among them."""
        return {**{name: values[:, None] for name, values in self.parameters.items()}, "beta": self.beta[None, :]}

    @cached_property
    def cumulative(self) -> Array:
        """Mass of each line up to each piece's start, dims (line, piece); the last column is the mass of the line."""
        return _accumulated(self.pieces)

    def up_to(self, position: Array) -> tuple[Array, Array]:
        """Return the mass of every line below a position and the density per step there, dims (..., line) each.

        Parameters
        ----------
        position : ndarray, dims (..., line)
            In steps of beta from the first node.
        """
        at = position * FINER
        left = np.clip(at.astype(np.int64), 0, self.pieces.shape[1] - 2)
        u = at - left
        flat = left + self._starts
        low, high = self.cumulative.take(flat), self.cumulative.take(flat + 1)
        rise, fall = self.pieces.take(flat) / FINER, self.pieces.take(flat + 1) / FINER
        # Cubic Hermite: mass at both ends of the piece, density as its slope there.
        gap = high - low
        second, third = 3 * gap - 2 * rise - fall, rise + fall - 2 * gap
        mass = low + u * (rise + u * (second + u * third))
        return mass, FINER * (rise + u * (2 * second + 3 * u * third))

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.asarray(np.arange(self.pieces.shape[0]) * self.pieces.shape[1])


def _accumulated(pieces: Array) -> Array:
    """Return the integral up to every point, in steps of beta, dims (line, point).

    Each piece is integrated by the rule that is exact for polynomials of degree five; beyond both ends the density is 0.
    """
    size = pieces.shape[1] - 1
    padded = np.pad(pieces, ((0, 0), (2, 2)))
    steps = np.zeros((pieces.shape[0], size))
    for k, weight in enumerate(_FIFTH):
        steps += (weight / FINER) * padded[:, k : k + size]
    out = np.zeros_like(pieces)
    np.cumsum(steps, axis=1, out=out[:, 1:])
    return out


@lru_cache(maxsize=64)
def refinement(nodes: int, finer: int) -> Array:
    """Return the matrix that takes values at evenly spaced nodes to those of their cubic spline at `finer` points a step.

    Parameters
    ----------
    nodes : int
        Number of nodes, at least 4.
    finer : int
        Points per step, at least 1.

    Returns
    -------
    ndarray, dims (node, point)
        A spline is linear in its values, so one product serves all rows.
    """
    x = np.linspace(0.0, nodes - 1.0, finer * (nodes - 1) + 1)
    matrix = np.asarray(CubicSpline(np.arange(nodes), np.eye(nodes))(x).T)
    matrix.setflags(write=False)
    return matrix
