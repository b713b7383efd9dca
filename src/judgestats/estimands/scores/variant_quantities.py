"""Variant quantities: everything that is said of one variant of one cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from judgestats.estimands.scores.cohens_d import cohens_d
from judgestats.estimands.scores.cohens_dz import cohens_dz
from judgestats.estimands.scores.drop import drop
from judgestats.estimands.scores.posterior_draws import Array
from judgestats.estimands.scores.quantity import ScoreQuantity
from judgestats.estimands.scores.range_share import range_share
from judgestats.estimands.scores.score_bounds import score_worst_case_high, score_worst_case_low
from judgestats.estimands.scores.score_posterior import VERSIONS, ScorePosterior
from judgestats.estimands.scores.score_recorder import BASE, ScoreContext
from judgestats.estimands.scores.score_shift import mean_score, score_shift
from judgestats.estimands.scores.spread_shift import spread_shift
from judgestats.estimands.scores.wasserstein1 import wasserstein1

INDEPENDENT = "independent_noise"
Planted = Mapping[tuple[str, str, str, str], float]


@dataclass(frozen=True, eq=False)
class VariantQuantities:
    """Quantities of one variant of one cell.

    Parameters
    ----------
    posterior : ScorePosterior
        Distributions of the run.
    cell, variant : int
        Positions in it.
    repeated : bool
        Whether items of the cell were asked again.
    planted : mapping
        Planted score shift by (judge, domain, cue, polarity).
    """

    posterior: ScorePosterior
    cell: int
    variant: int
    repeated: bool = False
    planted: Planted = field(default_factory=dict)

    def all(self) -> Iterator[ScoreQuantity]:
        """Yield validity, then the effect on scores, then the worst case; of the base its levels only."""
        effect = self.variant != 0
        yield from self._validity(effect)
        if not self.posterior.shift_stages:
            return
        if effect:
            for version in VERSIONS:
                yield self._of("score_shift", self._pairwise(score_shift, version), version, planted=self.known)
            yield from self._marginal()
            yield from self._paired()
        if self.repeated and "instability" in self.posterior.noise:
            yield self._of("instability", self._noise("instability"), "marginal", effect=False)
        if effect and self.posterior.valid:
            yield from self._worst_case()

    @property
    def known(self) -> float | None:
        """Return the planted score shift."""
        cell, variant = self.posterior.cells[self.cell], self.posterior.variants[self.variant]
        return self.planted.get((cell.judge, cell.domain, variant.cue, variant.polarity))

    def _validity(self, effect: bool) -> Iterator[ScoreQuantity]:
        for version, valid in self.posterior.valid.items():
            own, base = valid[:, :, self.cell, self.variant], valid[:, :, self.cell, 0]
            stages = ("validity",)
            yield self._of("validity", own, version, stages, effect=False)
            if effect:
                yield self._of("validity_difference", own - base, version, stages)

    def _marginal(self) -> Iterator[ScoreQuantity]:
        for name, function in (
            ("spread_shift", spread_shift),
            ("cohens_d", cohens_d),
            ("wasserstein1", wasserstein1),
        ):
            yield self._of(name, self._pairwise(function, "marginal"), "marginal")
        width = float(self.posterior.points[-1] - self.posterior.points[0])
        share = range_share(self._pairwise(score_shift, "marginal"), width)
        yield self._of("range_share", share, "marginal", planted=None if self.known is None else self.known / width)

    def _paired(self) -> Iterator[ScoreQuantity]:
        """Yield what needs the joint distribution of both scores; of an ordinal model under its own version."""
        if self.posterior.differences is None:
            for name in ("cohens_dz", "drop_1", "drop_2"):
                yield self._of(name, self._noise(name), INDEPENDENT)
            return
        found, points = self.posterior.differences[:, :, self.cell, self.variant], self.posterior.difference_points
        yield self._of("cohens_dz", cohens_dz(found, points), "marginal")
        yield self._of("drop_1", drop(found, points, 1.0), "marginal")
        yield self._of("drop_2", drop(found, points, 2.0), "marginal")

    def _worst_case(self) -> Iterator[ScoreQuantity]:
        points, valid = self.posterior.points, self.posterior.valid["marginal"]
        base, variant = self.posterior.pair("marginal", self.cell, self.variant)
        chains, draws = (min(a, b) for a, b in zip(valid.shape[:2], base.shape[:2], strict=True))
        both = valid[:chains, :draws, self.cell, 0], valid[:chains, :draws, self.cell, self.variant]
        mean = mean_score(base[:chains, :draws], points), mean_score(variant[:chains, :draws], points)
        ends = float(points[0]), float(points[-1])
        stages = ("validity", *self.posterior.shift_stages)
        yield self._of("worst_case_low", score_worst_case_low(both, mean, ends), "marginal", stages)
        yield self._of("worst_case_high", score_worst_case_high(both, mean, ends), "marginal", stages)

    def _pairwise(self, function: Callable[[Array, Array, Array], Array], version: str) -> Array:
        base, variant = self.posterior.pair(version, self.cell, self.variant)
        return function(base, variant, self.posterior.points)

    def _noise(self, name: str) -> Array:
        values = self.posterior.noise[name][:, :, self.cell, self.variant]
        # A pair has no quantity where its base has no trial.
        return (
            values
            if np.isfinite(self.posterior.base["marginal"][:, :, self.cell]).all()
            else np.full_like(values, np.nan)
        )

    def _of(
        self,
        name: str,
        values: Array,
        version: str,
        stages: tuple[str, ...] = (),
        *,
        effect: bool = True,
        planted: float | None = None,
    ) -> ScoreQuantity:
        cell, variant = self.posterior.cells[self.cell], self.posterior.variants[self.variant]
        context = ScoreContext(
            name,
            (cell,),
            stages or self.posterior.shift_stages,
            (BASE, variant) if effect else (variant,),
            variant.cue,
            variant.polarity,
            version,
            cell.judge,
            cell.domain,
            reference=BASE.cue if effect else None,
            planted=planted,
        )
        return ScoreQuantity(context, values)
