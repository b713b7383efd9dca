"""Density: the posterior density curve of a quantity, for half-eye figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from judgestats.draws.fit import StageFit
from judgestats.draws.line_quantity import LineQuantity
from judgestats.draws.summary import Quantity
from judgestats.estimands.cell_stage import CellStage
from judgestats.estimands.delta_p import delta_p
from judgestats.estimands.probabilities import Array

POINTS = 256
_FINER = 8
_MARGIN = 0.25  # standard deviations that a curve reaches beyond its tails
_TAIL = 5e-4
_KERNEL_REACH = 5.0


@dataclass(frozen=True)
class Curve:
    """A density curve of one effect of one cell.

    Parameters
    ----------
    judge, domain, estimand, version : str
        What it belongs to.
    x, y : tuple of float
        Points on the scale of the estimand and the density there.
    """

    judge: str
    domain: str
    estimand: str
    version: str
    x: tuple[float, ...]
    y: tuple[float, ...]


def density(
    quantity: Quantity, bounds: tuple[float, float] = (-np.inf, np.inf), points: int = POINTS
) -> tuple[Array, Array]:
    """Return the density of a quantity at evenly spaced points.

    On posterior lines it is the slope of the distribution function. Draws are binned linearly, reflected at the bounds, so
    that no mass leaks past them, and smoothed by a Gaussian kernel of Silverman's bandwidth.

    Parameters
    ----------
    quantity : Quantity
        Draws or posterior lines.
    bounds : tuple of float
        Range that the quantity cannot leave.
    points : int
        Points of the curve.

    Returns
    -------
    x, y : ndarray, dims (point,)
        Points from the 0.05 % to the 99.95 % quantile and a little beyond, inside the bounds, and the density there;
        its integral is 1 up to the tails that are cut.
    """
    if quantity.lines is not None and not quantity.ratio:
        return _density_on_lines(quantity.lines, bounds, points)
    values = np.asarray(quantity.values, dtype=np.float64).ravel()
    bandwidth = _bandwidth(quantity)
    low, high = quantity.quantiles((_TAIL, 1.0 - _TAIL))
    if not bandwidth > 0:
        # All mass at one point: a narrow bump that shows where it is.
        bandwidth = 1e-3 * max(1.0, abs(float(low)))
    low, high = max(low - 3 * bandwidth, bounds[0]), min(high + 3 * bandwidth, bounds[1])
    x = np.linspace(low, high, points)
    margin = _KERNEL_REACH * bandwidth
    step = min((high - low) / (_FINER * (points - 1)), bandwidth / 4)
    grid_low = low - margin
    size = int(np.ceil((high + margin - grid_low) / step)) + 2
    mass = np.zeros(size)
    for copy in (values, 2 * bounds[0] - values, 2 * bounds[1] - values):
        mass += _binned(copy, grid_low, step, size) / values.size
    reach = int(np.ceil(margin / step))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / bandwidth) ** 2)
    smooth = np.convolve(mass, kernel / (kernel.sum() * step), mode="same")
    return x, np.interp(x, grid_low + step * np.arange(size), smooth)


def _density_on_lines(quantity: LineQuantity, bounds: tuple[float, float], points: int) -> tuple[Array, Array]:
    """Return the mean density within half a step of each point, from the rise of the distribution function."""
    margin = _MARGIN * quantity.sd()
    low, high = quantity.quantiles((_TAIL, 1.0 - _TAIL))
    x = np.linspace(max(low - margin, bounds[0]), min(high + margin, bounds[1]), points)
    middles = (x[1:] + x[:-1]) / 2
    edges = np.clip(np.concatenate([[2 * x[0] - middles[0]], middles, [2 * x[-1] - middles[-1]]]), *bounds)
    return x, np.diff(quantity.distribution(edges)) / np.diff(edges)


def _bandwidth(quantity: Quantity) -> float:
    """Return Silverman's bandwidth."""
    sd = quantity.sd()
    quartiles = quantity.quantiles((0.25, 0.75))
    spread = min(sd, float(quartiles[1] - quartiles[0]) / 1.34) or sd
    width: float = 0.9 * spread * float(quantity.values.size) ** -0.2
    return width


def _binned(values: Array, start: float, step: float, size: int) -> Array:
    """Return the number of values at every grid point, each shared between its two neighbours."""
    position = (values - start) / step
    inside = np.isfinite(position) & (position >= 0) & (position < size - 1)
    left = position[inside].astype(np.int64)
    share = position[inside] - left
    below = np.bincount(left, weights=1.0 - share, minlength=size)
    return np.asarray(below + np.bincount(left + 1, weights=share, minlength=size))


def delta_p_curves(fits: Mapping[str, StageFit], points: int = POINTS) -> tuple[Curve, ...]:
    """Return the density of Delta P, marginal version, of every cell of the shift stage.

    Parameters
    ----------
    fits : mapping of str to StageFit
        By stage name.
    points : int
        Points of each curve.
    """
    curves = []
    for cell in fits["shift"].counts.cells:
        quantity = CellStage(fits["shift"], cell).quantity(delta_p, "marginal")
        x, y = density(quantity, (-1.0, 1.0), points)
        curves.append(Curve(cell.judge, cell.domain, "delta_p", "marginal", tuple(x.tolist()), tuple(y.tolist())))
    return tuple(curves)
