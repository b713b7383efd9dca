"""Prior: one distribution with the reason for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

PriorFamily = Literal["normal", "half_normal"]


@dataclass(frozen=True)
class Prior:
    """A prior on the link scale.

    Parameters
    ----------
    family : {"normal", "half_normal"}
        Distribution; a half-normal has location 0.
    sd : float
        Scale, positive.
    mean : float
        Location of a normal; must be 0 for a half-normal.
    reason : str
        Why this prior, as a sentence for the report.
    """

    family: PriorFamily
    sd: float
    mean: float = 0.0
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.sd > 0:
            raise ValueError(f"prior sd must be positive, got {self.sd}")
        if self.family == "half_normal" and self.mean != 0.0:
            raise ValueError("a half-normal prior has mean 0 before folding; remove `mean`")

    def log_density(self, value: ArrayLike) -> NDArray[np.float64]:
        """Return the log density at `value`, normalised; -inf outside the support."""
        x = np.asarray(value, dtype=np.float64)
        z = (x - self.mean) / self.sd
        log_pdf = -0.5 * z * z - np.log(self.sd) - 0.5 * np.log(2 * np.pi)
        if self.family == "half_normal":
            return np.where(x >= 0, log_pdf + np.log(2.0), -np.inf)
        return np.asarray(log_pdf)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> NDArray[np.float64]:
        """Return independent draws of shape `size`."""
        draws = rng.normal(self.mean, self.sd, size)
        return np.abs(draws) if self.family == "half_normal" else draws

    def label(self) -> str:
        """Return the usual notation, e.g. ``N(0, 1.5)`` or ``half-normal(1)``."""
        return f"half-normal({self.sd:g})" if self.family == "half_normal" else f"N({self.mean:g}, {self.sd:g})"
