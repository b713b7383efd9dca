"""Prior: one distribution with the reason for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, expit, gammaincc, gammainccinv, gammaln, log_expit, logit

PriorFamily = Literal["normal", "half_normal", "gamma", "induced_dirichlet", "lkj"]
PRIOR_FAMILIES: tuple[str, ...] = get_args(PriorFamily)
SHAPED = ("gamma", "induced_dirichlet", "lkj")
LOGISTIC_SD = float(np.pi / np.sqrt(3.0))


@dataclass(frozen=True)
class Prior:
    """A prior on the link scale.

    Parameters
    ----------
    family : {"normal", "half_normal", "gamma", "induced_dirichlet", "lkj"}
        Distribution; a half-normal has location 0; a ``gamma`` has `shape` and `sd` and is cut
        off below `mean`; ``induced_dirichlet`` is the prior of ordered thresholds under which the level probabilities at the
        anchor `mean` of the latent scale are Dirichlet(shape, ..., shape); ``lkj`` is the LKJ distribution of one
        correlation in (-1, 1), of which (rho + 1) / 2 is Beta(shape, shape).
    sd : float
        Scale, positive; of a gamma its standard deviation before the cut, of an LKJ its standard deviation
        (2 shape + 1) ** -0.5, of an induced Dirichlet the sd pi / sqrt(3) of a standard logistic, which a threshold
        between two levels has at shape 1.
    mean : float
        Location of a normal, lower end of a gamma, anchor of an induced Dirichlet; must be 0 for the others.
    reason : str
        Why this prior, as a sentence for the report.
    shape : float, optional
        Shape of a gamma; concentration of an induced Dirichlet; shape of an LKJ; 1 is uniform. None for the others.

    References
    ----------
    Juarez & Steel (2010), doi 10.1198/jbes.2009.07145 (gamma prior of degrees of freedom);
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
        if (self.family in SHAPED) != (self.shape is not None):
            raise ValueError(f"`shape` belongs to priors of family {', '.join(SHAPED)}, and those need it")
        shape = 1.0 if self.shape is None else self.shape
        if self.family in ("gamma", "induced_dirichlet") and not (np.isfinite(shape) and shape > 0):
            raise ValueError(f"the shape of a {self.family} prior must be positive and finite, got {shape}")
        if self.family == "gamma" and self.mean < 0:
            raise ValueError(f"the lower end of a gamma prior must not be negative, got {self.mean}")
        if self.family == "lkj" and not (shape > 0 and self.mean == 0.0 and np.isclose(self.sd, lkj_sd(shape))):
            raise ValueError(
                "an LKJ prior needs shape > 0, mean 0 and the sd that follows from its shape; use Prior.lkj"
            )

    @classmethod
    def lkj(cls, shape: float, reason: str = "") -> Prior:
        """Return the LKJ prior of one correlation with this shape."""
        if not (np.isfinite(shape) and shape > 0):
            raise ValueError(f"the shape of an LKJ prior must be positive and finite, got {shape}")
        return cls("lkj", lkj_sd(shape), 0.0, reason, shape)

    @classmethod
    def induced_dirichlet(cls, shape: float, anchor: float = 0.0, reason: str = "") -> Prior:
        """Return the prior of thresholds under which level probabilities at `anchor` are Dirichlet(shape, ..., shape)."""
        return cls("induced_dirichlet", LOGISTIC_SD, anchor, reason, shape)

    def log_density(self, value: ArrayLike) -> NDArray[np.float64]:
        """Return the log density at `value`, normalised; -inf outside the support.

        Of an induced Dirichlet, `value` holds ordered thresholds along its last dim and the density is joint over it.
        """
        x = np.asarray(value, dtype=np.float64)
        if self.shape is not None and self.family == "induced_dirichlet":
            return _induced_dirichlet(x - self.mean, self.shape)
        if self.shape is not None and self.family == "gamma":
            rate = np.sqrt(self.shape) / self.sd
            inside = np.where((x > 0) & (x >= self.mean), x, 1.0)
            constant = self.shape * np.log(rate) - gammaln(self.shape) - np.log(gammaincc(self.shape, rate * self.mean))
            value_inside = (self.shape - 1) * np.log(inside) - rate * inside + constant
            return np.where((x > 0) & (x >= self.mean), value_inside, -np.inf)
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
        """Return independent draws of shape `size`; of an induced Dirichlet those of the one threshold of two levels."""
        if self.shape is not None and self.family == "induced_dirichlet":
            return np.asarray(self.mean + logit(rng.beta(self.shape, self.shape, size)))
        if self.shape is not None and self.family == "gamma":
            # The inverse of the survival function keeps every draw above the lower end.
            rate = np.sqrt(self.shape) / self.sd
            above = gammaincc(self.shape, rate * self.mean)
            return np.asarray(gammainccinv(self.shape, above * (1.0 - rng.random(size))) / rate)
        if self.shape is not None:
            return np.asarray(2 * rng.beta(self.shape, self.shape, size) - 1)
        draws = rng.normal(self.mean, self.sd, size)
        return np.abs(draws) if self.family == "half_normal" else draws

    def label(self) -> str:
        """Return the usual notation, e.g. ``N(0, 1.5)``, ``half-normal(1)`` or ``LKJ(2)``."""
        if self.shape is not None and self.family == "gamma":
            cut = f", at least {self.mean:g}" if self.mean > 0 else ""
            return f"gamma({self.shape:g}, {np.sqrt(self.shape) / self.sd:.3g}){cut}"
        if self.shape is not None and self.family == "induced_dirichlet":
            return f"induced Dirichlet({self.shape:g})" + (f" at {self.mean:g}" if self.mean else "")
        if self.shape is not None:
            return f"LKJ({self.shape:g})"
        return f"half-normal({self.sd:g})" if self.family == "half_normal" else f"N({self.mean:g}, {self.sd:g})"


def lkj_sd(shape: float) -> float:
    """Return the standard deviation of one correlation under LKJ(shape): that of 2 Beta(shape, shape) - 1."""
    return float((2 * shape + 1) ** -0.5)


def _induced_dirichlet(threshold: NDArray[np.float64], shape: float) -> NDArray[np.float64]:
    """Return the log density of ordered thresholds: Dirichlet of the level probabilities times the Jacobian.

    P(level <= k) = expit(threshold_k), so the Jacobian is triangular with the logistic density of each threshold on its
    diagonal.
    """
    ends = np.full((*threshold.shape[:-1], 1), np.inf)
    below = expit(np.concatenate([-ends, threshold, ends], axis=-1))
    above = expit(-np.concatenate([-ends, threshold, ends], axis=-1))
    # Differences of the smaller tail keep their digits on both sides.
    probability = np.where(below[..., 1:] < 0.5, np.diff(below, axis=-1), -np.diff(above, axis=-1))
    levels = probability.shape[-1]
    if np.any(probability <= 0):
        ordered = np.all(probability > 0, axis=-1)
        probability = np.where(probability > 0, probability, 1.0)
    else:
        ordered = np.ones(threshold.shape[:-1], dtype=bool)
    jacobian = (log_expit(threshold) + log_expit(-threshold)).sum(axis=-1)
    constant = gammaln(levels * shape) - levels * gammaln(shape)
    total = (shape - 1) * np.log(probability).sum(axis=-1) + jacobian + constant
    return np.where(ordered, total, -np.inf)
