"""Cell joint: both stages of one cell together, from paired draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from judgestats.draws.summary import Quantity, Source
from judgestats.estimands.cell_stage import CellStage
from judgestats.estimands.probabilities import Array, BlockProbabilities, Version
from judgestats.estimands.valid_and_consistent import valid_and_consistent, valid_and_consistent_correlated

CORRELATION = "rho_item"
JointFunction = Callable[[BlockProbabilities, BlockProbabilities], Array]


@dataclass(frozen=True, eq=False)
class CellJoint:
    """Both stages of one cell; draw i of the validity stage belongs to draw i of the shift stage.

    Stages that were fitted apart have independent posteriors, so any pairing is right; pairing by index keeps the
    mirror symmetry of the exact engine's draws. Stages that were fitted together must be paired so.

    Parameters
    ----------
    validity, shift : CellStage
        The stages, with equal numbers of chains and draws.
    """

    validity: CellStage
    shift: CellStage

    def __post_init__(self) -> None:
        shapes = {s.parameters["alpha"].shape for s in (self.validity, self.shift)}
        if len(shapes) != 1:
            raise ValueError(f"joint quantities need equal numbers of chains and draws, got {sorted(shapes)}")

    @property
    def source(self) -> Source:
        """Markov chains as soon as one stage comes from them."""
        return "markov" if "markov" in (self.validity.source, self.shift.source) else "independent"

    @property
    def versions(self) -> tuple[Version, ...]:
        """The versions that both stages offer."""
        # Item effects of the shift stage exist even where no item was answered validly: they then hold the prior.
        if "in_sample" in self.validity.versions and self.shift.effects is not None:
            return ("marginal", "in_sample", "typical_item")
        return ("marginal", "typical_item")

    def valid(self, version: Version) -> BlockProbabilities:
        """Return draws of P(valid) by block."""
        return self.validity.draws(version)

    def both(self, version: Version) -> BlockProbabilities:
        """Return draws of P(valid and consistent) by block.

        In sample it is the mean over the units of the validity stage of each unit's own product.
        """
        return self._both[version]

    @cached_property
    def _both(self) -> dict[Version, BlockProbabilities]:
        found: dict[Version, BlockProbabilities] = {
            "typical_item": valid_and_consistent(self.validity.draws("typical_item"), self.shift.draws("typical_item")),
            "marginal": self._marginal(),
        }
        if "in_sample" in self.versions:
            valid = self.validity.unit_draws(self.validity.units)
            both = valid_and_consistent(valid, self.shift.unit_draws(self.validity.units))
            found["in_sample"] = BlockProbabilities(both.congruent.mean(axis=-1), both.incongruent.mean(axis=-1))
        return found

    def _marginal(self) -> BlockProbabilities:
        for stage in (self.shift, self.validity):
            if CORRELATION in stage.fit.posterior:
                rho = stage.fit.posterior[CORRELATION].isel(cell=stage.index).transpose("chain", "draw")
                return valid_and_consistent_correlated(
                    self.validity.parameters, self.shift.parameters, np.asarray(rho.values)
                )
        return valid_and_consistent(self.validity.draws("marginal"), self.shift.draws("marginal"))

    def quantity(self, function: JointFunction, version: Version) -> Quantity:
        """Return a function of P(valid) and P(valid and consistent) by block."""
        return Quantity(function(self.valid(version), self.both(version)), self.source)
