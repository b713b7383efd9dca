"""Differences: the distribution of the difference, variant minus base, of a new pair under the paired model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import roots_hermitenorm, stdtr

from judgestats.draws.score_fit import ScoreFit
from judgestats.estimands.scores.posterior_draws import MOST_DRAWS, Array, coordinates, parameters
from judgestats.estimands.scores.student_t import StudentT
from judgestats.estimands.scores.validity_probabilities import bernoulli_probabilities
from judgestats.inference.families.rounded_t import allowed_differences
from judgestats.trials.score_rows import ScoreRows

_BLOCK = 30_000  # numbers of one block of draws x edges x nodes
_FEWEST, _MOST = 5, 201
_REACH = 5.0  # standard deviations; 6e-7 of a normal lies beyond
_SMALL = 1e-5  # below this mass of what the base allows, interpolated tails have too few digits


def base_levels(rows: ScoreRows) -> Array:
    """Return the observed distribution of the base's level among the pairs of a variant, dims (cell, variant, level).

    Shares add to 1; NaN where a cell has no pair of a variant.

    Parameters
    ----------
    rows : ScoreRows
        Rows of stage ``moved``: every pair.
    """
    if rows.base is None:
        raise ValueError(f"rows of stage {rows.stage!r} hold no base scores")
    levels = int(rows.base.max(initial=0)) + 1
    found = np.zeros((len(rows.cells), len(rows.variants), levels))
    np.add.at(found, (rows.cell, rows.variant, rows.base), rows.count)
    total = found.sum(axis=2, keepdims=True)
    return np.divide(found, total, out=np.full_like(found, np.nan), where=total > 0)


def difference_probabilities(
    moved: ScoreFit, shift: ScoreFit, *, version: str = "marginal", most: int = MOST_DRAWS
) -> xr.Dataset:
    """Return the distribution of the difference of a new pair, and of its two scores, given the observed base scores.

    P(d | base b) = 1 - P(moved) at d = 0; elsewhere P(moved) E_u[m_d(u) / sum of m_j(u) over the j != 0 that b allows] with
    m_j(u) = T((j + 1/2 - l - u) / s) - T((j - 1/2 - l - u) / s), T the Student t with nu degrees of freedom, location l and
    scale s of the variant, u ~ N(0, sigma_item^2); averaged over the observed base scores of the variant's pairs.

    Parameters
    ----------
    moved : ScoreFit
        Stage ``moved``: whether the scores of a pair differ.
    shift : ScoreFit
        Stage ``shift`` of family ``rounded_t``: the difference in steps where they do; `rows.outcomes` levels.
    version : {"marginal", "typical_item"}
        Item effects integrated out, or 0.
    most : int
        Most draws.

    Returns
    -------
    xarray.Dataset
        ``p_difference`` (chain, draw, cell, variant, difference), by difference in steps; ``p_level`` (chain, draw, cell,
        variant, level), the score with the cue; ``p_base`` (cell, variant, level), the observed base. All NaN where a cell
        has no pair, or no pair that moved, of a variant; the base itself differs from itself by 0.
    """
    theta, probability = parameters(shift, most), np.asarray(bernoulli_probabilities(moved, version=version, most=most))
    chains, draws, cells, variants = theta["effect"].shape
    levels = shift.rows.outcomes
    base = np.zeros((cells, variants, levels))
    observed = base_levels(moved.rows)
    base[..., : observed.shape[2]] = observed
    base[np.isnan(observed).all(axis=2)] = np.nan
    difference = np.full((cells, variants, chains * draws, 2 * levels - 1), np.nan)
    level = np.full((cells, variants, chains * draws, levels), np.nan)
    for cell in range(cells):
        student = StudentT(theta["nu"][:, :, cell].ravel()) if np.isfinite(theta["nu"][:, :, cell]).all() else None
        for variant in range(1, variants):
            cue = _Cue.of(theta, cell, variant, base[cell, variant], version)
            if student is not None and cue.known:
                chance = probability[:, :, cell, variant].reshape(-1, 1)
                if np.isfinite(chance).all():
                    difference[cell, variant], level[cell, variant] = cue.mixed(chance, student)
    difference[:, 0] = np.eye(2 * levels - 1)[levels - 1]
    return _dataset(shift, (chains, draws), difference, level, base)


@dataclass(frozen=True, eq=False)
class _Cue:
    """Parameters of the nonzero differences of one variant of one cell, dims (draw,), and its base scores."""

    location: Array
    scale: Array
    nu: Array
    sigma: Array
    base: Array

    @classmethod
    def of(cls, theta: dict[str, Array], cell: int, variant: int, base: Array, version: str) -> _Cue:
        sigma = theta["sigma_item"][:, :, cell].ravel()
        return cls(
            location=theta["effect"][:, :, cell, variant].ravel(),
            scale=theta["scale"][:, :, cell, variant].ravel(),
            nu=theta["nu"][:, :, cell].ravel(),
            sigma=sigma if version == "marginal" else np.zeros_like(sigma),
            base=base,
        )

    @property
    def known(self) -> bool:
        """Whether every number is finite."""
        return all(bool(np.isfinite(v).all()) for v in vars(self).values())

    def mixed(self, chance: Array, student: StudentT) -> tuple[Array, Array]:
        """Return the distributions of the difference and of the score, zero differences included."""
        difference, level = self.nonzero(student)
        difference *= chance
        difference[:, self.base.size - 1] = 1.0 - chance[:, 0]
        return difference, (1.0 - chance) * self.base + chance * level

    def nonzero(self, student: StudentT) -> tuple[Array, Array]:
        """Return the distributions of nonzero differences, dims (draw, difference), and of their scores, (draw, level)."""
        z, weight = self._nodes()
        levels, draws = self.base.size, self.location.size
        difference, level = np.zeros((draws, 2 * levels - 1)), np.zeros((draws, levels))
        edges = np.arange(-levels + 0.5, levels)
        size = max(1, _BLOCK // (edges.size * z.size))
        for start in range(0, draws, size):
            part = slice(start, min(start + size, draws))
            centre = self.location[part, None] + self.sigma[part, None] * z
            x = (edges[:, None] - centre[:, None, :]) / self.scale[part, None, None]
            mass = np.diff(student.cdf(x, part), axis=1)
            far = self._allowed(mass).min(axis=(1, 2)) < _SMALL
            if far.any():
                mass[far] = _interval_mass(self.nu[part][far, None, None], x[far])
            self._collect(mass, weight, difference[part], level[part])
        return difference, level

    def _nodes(self) -> tuple[Array, Array]:
        """Return the shorter of two quadrature rules with errors of about 1e-5.

        T has its poles at a distance of scale x sqrt(nu), which is a = scale sqrt(nu) / sigma standard deviations: n nodes of
        Gauss-Hermite err by about exp(-a sqrt(2 n)), the trapezium rule of step h by exp(-2 pi a / h).
        """
        if not self.sigma.any():
            return np.zeros(1), np.ones(1)
        near = float(np.quantile(self.scale * np.sqrt(self.nu) / np.maximum(self.sigma, 1e-12), 0.01))
        hermite = max(_FEWEST, int(np.ceil(min(66.0 / near**2, 1e4))))
        step = min(0.8, near / 1.83)
        trapezium = min(_MOST, int(np.ceil(2.0 * _REACH / step)) + 1)
        if hermite <= trapezium:
            z, weight = roots_hermitenorm(hermite)
        else:
            z = np.linspace(-_REACH, _REACH, trapezium)
            weight = np.exp(-0.5 * z * z)
        return z, weight / weight.sum()

    def _allowed(self, mass: Array) -> Array:
        """Return the mass of the nonzero differences that each occurring base score allows, dims (draw, base, node)."""
        window = allowed_differences(self.base.size)[self._occurring]
        # Sums of positive numbers: differences of cumulative sums would lose a small mass beside a large forbidden one.
        return np.asarray(window.astype(np.float64) @ mass)

    @property
    def _occurring(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.base > 0)

    def _collect(self, mass: Array, weight: Array, difference: Array, level: Array) -> None:
        """Add P(base, difference | moved), averaged over the item effect, to both distributions."""
        levels = self.base.size
        share = self.base[self._occurring][:, None] * weight / np.maximum(self._allowed(mass), 1e-300)
        mass[:, levels - 1] = 0.0
        joint = share @ mass.swapaxes(1, 2)  # dims (draw, base, difference)
        for place, b in enumerate(self._occurring):
            reach = slice(levels - 1 - b, 2 * levels - 1 - b)
            difference[:, reach] += joint[:, place, reach]
            level += joint[:, place, reach]


def _interval_mass(nu: Array, x: Array) -> Array:
    """Return P(x_j < T < x_(j+1)) from the nearer tail of each interval, so that far intervals keep their digits."""
    lower, upper = stdtr(nu, x), stdtr(nu, -x)
    right = x[:, :-1] > 0
    # Where even the nearest tail is no number any more, the mass goes to the nearest differences.
    least = 1e-200 * (1.0 + np.minimum(np.abs(x[:, :-1]), np.abs(x[:, 1:]))) ** -20
    mass = np.where(right, upper[:, :-1] - upper[:, 1:], lower[:, 1:] - lower[:, :-1])
    return np.asarray(np.maximum(mass, least))


def _dataset(fit: ScoreFit, size: tuple[int, int], difference: Array, level: Array, base: Array) -> xr.Dataset:
    levels = base.shape[-1]
    dims = ("chain", "draw", "cell", "variant")
    shaped = {
        name: np.moveaxis(v.reshape(*v.shape[:2], *size, v.shape[-1]), (0, 1), (2, 3))
        for name, v in (("p_difference", difference), ("p_level", level))
    }
    return xr.Dataset(
        {
            "p_difference": ((*dims, "difference"), shaped["p_difference"]),
            "p_level": ((*dims, "level"), shaped["p_level"]),
            "p_base": (("cell", "variant", "level"), base),
        },
        coords={**coordinates(fit), "difference": np.arange(-levels + 1, levels), "level": np.arange(levels)},
    )
