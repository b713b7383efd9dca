"""Posterior box: the smallest ranges outside which a posterior has died out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from judgestats.errors import SamplingError
from judgestats.inference.lattice import Box, Lattice, Range

DEPTH = 24.0  # nats below the mode: e^-24 = 4e-11
ALIVE = 18.0  # an edge is alive above this; the gap to DEPTH keeps a range from growing and shrinking in turn
_POINTS = 13
_ROUNDS = 60

LogPosterior = Callable[[Lattice], NDArray[np.float64]]


def locate(log_posterior: LogPosterior, start: Box) -> Box:
    """Return ranges that hold the posterior down to `DEPTH` nats below its mode.

    Each round evaluates a coarse lattice, keeps for every parameter the nodes whose profile reaches within `DEPTH` of the
    top and one step beyond, and widens a side on which the profile is still alive at the edge. A posterior far narrower than
    the first step is found because the density is log-concave along each parameter near its mode.

    Parameters
    ----------
    log_posterior : callable
        Unnormalised log posterior on a lattice, dims (scales..., alpha, beta).
    start : Box
        First guess, usually the prior's ranges.

    Raises
    ------
    SamplingError
        If the ranges do not settle, or the log posterior is not finite at any node.
    """
    box = start
    for _ in range(_ROUNDS):
        lattice = Lattice.over(box, _POINTS, _POINTS)
        values = log_posterior(lattice)
        top = values.max()
        if not np.isfinite(top):
            raise SamplingError("The log posterior is not finite at any node of the grid.")
        settled = True
        ranges: list[Range] = []
        for dim, nodes in enumerate(lattice.axes):
            others = tuple(d for d in range(values.ndim) if d != dim)
            new, done = _kept(nodes, top - values.max(axis=others), is_scale=dim < len(box.scales))
            ranges.append(new)
            settled &= done
        box = Box(tuple(ranges[:-2]), ranges[-2], ranges[-1])
        if settled:
            return box
    raise SamplingError(
        f"The ranges of the posterior did not settle in {_ROUNDS} rounds; the last were {box}.",
        remedy="Use engine = 'numpyro' for this analysis and report the data that caused it.",
    )


def _kept(nodes: NDArray[np.float64], depth: NDArray[np.float64], *, is_scale: bool) -> tuple[Range, bool]:
    """Return the range to keep along one dim, given the depth of its profile, and whether it has settled."""
    index = np.flatnonzero(depth < DEPTH)
    step = float(nodes[1] - nodes[0])
    width = float(nodes[-1] - nodes[0])
    low, high = float(nodes[max(index[0] - 1, 0)]), float(nodes[min(index[-1] + 1, nodes.size - 1)])
    bounded = is_scale and nodes[0] == 0.0
    grows_down = not bounded and depth[0] < ALIVE
    grows_up = depth[-1] < ALIVE
    if grows_down:
        low = max(low - width / 2, 0.0) if is_scale else low - width / 2
    if grows_up:
        high += width / 2
    if is_scale and low < step:
        low = 0.0
    settled = not (grows_down or grows_up) and (high - low) > 0.7 * width
    return (low, high), bool(settled)
