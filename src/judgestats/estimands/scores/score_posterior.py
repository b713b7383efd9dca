"""Score posterior: the predictive distributions of every cell and variant of a run, whichever model it fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from judgestats.draws.score_fit import ScoreFit
from judgestats.estimands.scores.differences import difference_probabilities
from judgestats.estimands.scores.independent_noise import independent_noise
from judgestats.estimands.scores.levels import level_probabilities
from judgestats.estimands.scores.posterior_draws import MOST_DRAWS, Array
from judgestats.estimands.scores.validity_probabilities import bernoulli_probabilities
from judgestats.trials.cell import Cell
from judgestats.trials.table import Score
from judgestats.trials.variant import Variant

VERSIONS: tuple[str, ...] = ("marginal", "typical_item")
PAIRED = "moved"


@dataclass(frozen=True, eq=False)
class ScorePosterior:
    """Predictive distributions of a run on scores.

    Parameters
    ----------
    cells, variants : tuple
        As in the fits; the base is the first variant.
    points : ndarray, dims (level,)
        Scores of the levels.
    shift_stages : tuple of str
        Stages behind what is said of scores; empty where none was fitted.
    valid : dict of str to ndarray, dims (chain, draw, cell, variant)
        P(valid) by version; empty where the stage was not fitted.
    base : dict of str to ndarray, dims (chain, draw, cell, 1, level) or (cell, variant, level)
        Distribution of the base's score by version: of the ordinal model, or as observed among the pairs of a variant.
    levels : dict of str to ndarray, dims (chain, draw, cell, variant, level)
        Distribution of the score by version.
    differences : ndarray or None, dims (chain, draw, cell, variant, difference)
        Distribution of the paired difference; None for the ordinal model.
    noise : dict of str to ndarray, dims (chain, draw, cell, variant)
        What `independent_noise` gives for the ordinal model; empty for the paired one.
    """

    cells: tuple[Cell, ...]
    variants: tuple[Variant, ...]
    points: Array
    shift_stages: tuple[str, ...]
    valid: dict[str, Array]
    base: dict[str, Array]
    levels: dict[str, Array]
    differences: Array | None
    noise: dict[str, Array]

    @classmethod
    def of(cls, fits: Mapping[str, ScoreFit], scale: Score, most: int = MOST_DRAWS) -> ScorePosterior:
        """Compute the distributions of every cell and variant.

        Parameters
        ----------
        fits : mapping of str to ScoreFit
            ``validity`` and ``shift``, with ``moved`` for the paired model; one of the first two may be missing.
        scale : Score
            The declared scale.
        most : int
            Most draws.
        """
        rows = next(iter(fits.values())).rows
        points = np.asarray(scale.levels)
        valid = {}
        if "validity" in fits:
            valid = {v: np.asarray(bernoulli_probabilities(fits["validity"], version=v, most=most)) for v in VERSIONS}
        base: dict[str, Array] = {}
        levels: dict[str, Array] = {}
        noise: dict[str, Array] = {}
        differences = None
        stages: tuple[str, ...] = ()
        if PAIRED in fits and "shift" in fits:
            stages = (PAIRED, "shift")
            for version in VERSIONS:
                found = difference_probabilities(fits[PAIRED], fits["shift"], version=version, most=most)
                base[version], levels[version] = np.asarray(found["p_base"]), np.asarray(found["p_level"])
                differences = np.asarray(found["p_difference"]) if version == "marginal" else differences
        elif "shift" in fits:
            stages = ("shift",)
            empty = fits["shift"].rows.totals().sum(axis=2) == 0
            for version in VERSIONS:
                whole = np.asarray(level_probabilities(fits["shift"], version=version, most=most))
                whole[:, :, empty] = np.nan
                base[version], levels[version] = whole[:, :, :, :1], whole
            given = independent_noise(fits["shift"], points, most=most)
            noise = {str(name): np.asarray(values) for name, values in given.items()}
            for values in noise.values():
                values[:, :, empty] = np.nan
        return cls(rows.cells, rows.variants, points, stages, valid, base, levels, differences, noise)

    @property
    def difference_points(self) -> Array:
        """Return the possible paired differences in score points, dims (difference,)."""
        steps = np.arange(-self.points.size + 1, self.points.size, dtype=np.float64)
        return steps * float(self.points[1] - self.points[0])

    def pair(self, version: str, cell: int, variant: int) -> tuple[Array, Array]:
        """Return the distributions of the base's and of the variant's score, dims (chain, draw, level)."""
        base = self.base[version]
        of_base = base[cell, variant] if base.ndim == 3 else base[:, :, cell, 0]
        of_variant = self.levels[version][:, :, cell, variant]
        return np.broadcast_to(of_base, of_variant.shape), of_variant
