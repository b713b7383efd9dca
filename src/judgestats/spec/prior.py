"""Prior: one distribution with the reason for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln

PriorFamily = Literal["normal", "half_normal", "lkj"]
PRIOR_FAMILIES: tuple[str, ...] = get_args(PriorFamily)


@dataclass(frozen=True)
class Prior:
    """A prior on the link scale.

    Parameters
    ----------
    family : {"normal", "half_normal", "lkj"}
        Distribution; a half-normal has location 0; ``lkj`` is the LKJ distribution of one correlation in (-1, 1), of
        which (rho + 1) / 2 is Beta(shape, shape).
    sd : float
        Scale, positive; of an LKJ its standard deviation (2 shape + 1) ** -0.5.
    mean : float
        Location of a normal; must be 0 for the others.
    reason : str
        Why this prior, as a sentence for the report.
    shape : float, optional
        Shape of an LKJ; 1 is uniform. None for the others.

    References
    ----------
    Lewandowski, Kurowicka & Joe (2009), doi 10.1016/j.jmva.2009.04.008.
    """

    family: PriorFamily
    sd: float
    mean: float = 0.0
    reason: str = ""
    shape: float | None = None

    def __post_init__(self) -> None:
        if self.family not in PRIOR_FAMILIES:
            raise ValueError(f"prior family {self.family!r} is unknown; use one of {', '.join(PRIOR_FAMILIES)}")
        if not (np.isfinite(self.sd) and self.sd > 0):
            raise ValueError(f"prior sd must be positive and finite, got {self.sd}")
        if not np.isfinite(self.mean):
            raise ValueError(f"prior mean must be finite, got {self.mean}")
        if self.family == "half_normal" and self.mean != 0.0:
            raise ValueError("a half-normal prior has mean 0 before folding; remove `mean`")
        if (self.family == "lkj") != (self.shape is not None):
            raise ValueError("`shape` belongs to an LKJ prior, and an LKJ prior needs it")
        if self.shape is not None and not (
            self.shape > 0 and self.mean == 0.0 and np.isclose(self.sd, lkj_sd(self.shape))
        ):
            raise ValueError(
                "an LKJ prior needs shape > 0, mean 0 and the sd that follows from its shape; use Prior.lkj"
            )

    @classmethod
    def lkj(cls, shape: float, reason: str = "") -> Prior:
        """Return the LKJ prior of one correlation with this shape."""
        if not (np.isfinite(shape) and shape > 0):
            raise ValueError(f"the shape of an LKJ prior must be positive and finite, got {shape}")
        return cls("lkj", lkj_sd(shape), 0.0, reason, shape)

    def log_density(self, value: ArrayLike) -> NDArray[np.float64]:
        """Return the log density at `value`, normalised; -inf outside the support."""
        x = np.asarray(value, dtype=np.float64)
        if self.shape is not None:
            inside = np.abs(x) < 1
            square = np.where(inside, x * x, 0.0)
            constant = (2 * self.shape - 1) * np.log(2.0) + betaln(self.shape, self.shape)
            return np.where(inside, (self.shape - 1) * np.log1p(-square) - constant, -np.inf)
        z = (x - self.mean) / self.sd
        log_pdf = -0.5 * z * z - np.log(self.sd) - 0.5 * np.log(2 * np.pi)
        if self.family == "half_normal":
            return np.where(x >= 0, log_pdf + np.log(2.0), -np.inf)
        return np.asarray(log_pdf)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> NDArray[np.float64]:
        """Return independent draws of shape `size`."""
        if self.shape is not None:
            return np.asarray(2 * rng.beta(self.shape, self.shape, size) - 1)
        draws = rng.normal(self.mean, self.sd, size)
        return np.abs(draws) if self.family == "half_normal" else draws

    def label(self) -> str:
        """Return the usual notation, e.g. ``N(0, 1.5)``, ``half-normal(1)`` or ``LKJ(2)``."""
        if self.shape is not None:
            return f"LKJ({self.shape:g})"
        return f"half-normal({self.sd:g})" if self.family == "half_normal" else f"N({self.mean:g}, {self.sd:g})"


def lkj_sd(shape: float) -> float:
    """Return the standard deviation of one correlation under LKJ(shape): that of 2 Beta(shape, shape) - 1."""
    return float((2 * shape + 1) ** -0.5)
