"""Prior mass: what the prior alone says about an effect inside its ROPE, by seeded simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.summary import probability_inside
from judgestats.estimands.observed_units import Units
from judgestats.estimands.probabilities import Array, BlockProbabilities, Version, in_sample, marginal, typical_item
from judgestats.estimands.valid_and_consistent import valid_and_consistent
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec

Function = Callable[[BlockProbabilities], Array]
DRAWS = 40_000
_IN_SAMPLE_DRAWS = 4_000
_SCALES = ("sigma_item", "sigma_cluster", "sigma_slope")


def prior_parameters(stage: StageSpec, rng: np.random.Generator, size: int, domains: int = 1) -> dict[str, Array]:
    """Return prior draws of one judge's parameters in some domains, log-odds scale, dims (draw, domain) each.

    Cells apart are independent. Under partial pooling a coefficient is a mean and a judge's deviation, which its
    domains share, plus the deviations of domain and cell.

    Parameters
    ----------
    stage : StageSpec
        Active terms and priors.
    rng : numpy.random.Generator
        Source of the draws.
    size, domains : int
        Number of draws and of domains.
    """
    found: dict[str, Array] = {}
    for name, of in (("alpha", "intercept"), ("beta", "block")):
        pooled = stage.pooled(of)
        total = stage.term(name).prior.sample(rng, (size, 1 if pooled else domains))
        for term in pooled:
            levels = 1 if term.group == "judge" else domains
            total = total + term.prior.sample(rng, (size, 1)) * rng.standard_normal((size, levels))
        found[name] = np.broadcast_to(total, (size, domains))
    for name in _SCALES:
        if stage.has(name):
            found[name] = stage.term(name).prior.sample(rng, (size, domains))
    return found


def prior_probabilities(
    stage: StageSpec, version: Version, seed: Seed, units: Units | None = None, domains: int = 1
) -> BlockProbabilities:
    """Return prior draws of a stage's block probabilities, dims (draw, domain).

    Parameters
    ----------
    stage : StageSpec
        Active terms and priors.
    version : {"marginal", "in_sample", "typical_item"}
        Version of the probabilities.
    seed : Seed
        Root seed.
    units : Units, optional
        Observed units of one cell; needed by ``in_sample``.
    domains : int
        Number of domains of one judge; 1 in sample.
    """
    rng = seed.generator(f"estimands/prior/{stage.name}")
    if version != "in_sample":
        parameters = prior_parameters(stage, rng, DRAWS, domains)
        return marginal(parameters) if version == "marginal" else typical_item(parameters)
    if units is None or units.size == 0:
        raise ValueError("the in-sample prior needs the observed units")
    parameters = {name: draws[:, 0] for name, draws in prior_parameters(stage, rng, _IN_SAMPLE_DRAWS, 1).items()}
    effects = _level_effects(parameters, "sigma_item", units.item, rng)
    if units.cluster is not None and "sigma_cluster" in parameters:
        effects = effects + _level_effects(parameters, "sigma_cluster", units.cluster, rng)
    slopes = _level_effects(parameters, "sigma_slope", units.item, rng) if "sigma_slope" in parameters else None
    found = in_sample(parameters["alpha"], parameters["beta"], effects, slopes)
    return BlockProbabilities(found.congruent[:, None], found.incongruent[:, None])


def _level_effects(
    parameters: dict[str, Array], scale: str, level: NDArray[np.int64], rng: np.random.Generator
) -> Array:
    distinct, which = np.unique(level, return_inverse=True)
    raw = rng.standard_normal((parameters["alpha"].size, distinct.size))
    return np.asarray((parameters[scale][:, None] * raw)[:, which])


@dataclass
class PriorMasses:
    """Prior mass of effects inside a ROPE; cells with the same prior share its draws.

    Parameters
    ----------
    seed : Seed
        Root seed.
    """

    seed: Seed
    _known: dict[tuple[str, Version, int], BlockProbabilities] = field(default_factory=dict)

    def of_stage(
        self,
        stage: StageSpec,
        function: Function,
        version: Version,
        rope: tuple[float, float],
        units: Units | None = None,
        domains: int = 1,
    ) -> float:
        """Return the prior probability that an effect of one stage lies inside the ROPE, in [0, 1].

        Over several domains it is the mean effect with equal weights.
        """
        effect = function(self._probabilities(stage, version, units, domains))
        return probability_inside(effect.mean(axis=1), rope)

    def of_both(
        self,
        validity: StageSpec,
        shift: StageSpec,
        function: Callable[[BlockProbabilities, BlockProbabilities], Array],
        version: Version,
        rope: tuple[float, float],
    ) -> float:
        """Return the prior probability that a joint quantity lies inside the ROPE, effects independent over stages.

        In sample the marginal prior stands in: averaging over many items changes it little.
        """
        like: Version = "marginal" if version == "in_sample" else version
        valid, consistent = (self._probabilities(stage, like, None, 1) for stage in (validity, shift))
        return probability_inside(function(valid, valid_and_consistent(valid, consistent)), rope)

    def _probabilities(
        self, stage: StageSpec, version: Version, units: Units | None, domains: int
    ) -> BlockProbabilities:
        if version == "in_sample":
            return prior_probabilities(stage, version, self.seed, units)
        key = (stage.name, version, domains)
        if key not in self._known:
            self._known[key] = prior_probabilities(stage, version, self.seed, domains=domains)
        return self._known[key]
