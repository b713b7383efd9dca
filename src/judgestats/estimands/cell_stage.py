"""Cell stage: the posterior of one stage in one cell, as draws and, for the exact engine, on posterior lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from judgestats.draws.fit import StageFit
from judgestats.draws.line_quantity import LineQuantity
from judgestats.draws.lines import Lines
from judgestats.draws.summary import Quantity, Source
from judgestats.estimands.observed_units import EffectDraws, Units
from judgestats.estimands.probabilities import (
    Array,
    BlockProbabilities,
    Version,
    marginal,
    typical_item,
    unit_probabilities,
)
from judgestats.trials.cell import Cell

PARAMETERS = ("alpha", "beta", "sigma_item", "sigma_cluster", "sigma_slope")
Function = Callable[[BlockProbabilities], Array]


@dataclass(frozen=True, eq=False)
class CellStage:
    """One stage of one cell.

    Parameters
    ----------
    fit : StageFit
        The stage fit.
    cell : Cell
        The cell.
    effects : EffectDraws, optional
        Item and cluster effects of the stage; without them there is no in-sample version.
    """

    fit: StageFit
    cell: Cell
    effects: EffectDraws | None = None

    @property
    def index(self) -> int:
        """Position of the cell in the fit."""
        return self.fit.counts.cells.index(self.cell)

    @property
    def source(self) -> Source:
        """Where draws come from: Markov chains have sampler statistics, other engines' draws are independent."""
        return "independent" if self.fit.sample_stats is None else "markov"

    @cached_property
    def parameters(self) -> dict[str, Array]:
        """Draws of the cell's parameters, log-odds scale, dims (chain, draw) each."""
        posterior = self.fit.posterior
        found = {}
        for name in PARAMETERS:
            if name in posterior:
                variable = posterior[name]
                if "cell" in variable.dims:
                    variable = variable.isel(cell=self.index)
                found[name] = np.asarray(variable.transpose("chain", "draw").values, dtype=np.float64)
        return found

    @cached_property
    def units(self) -> Units:
        """The items, or item x cluster pairs, that the cell met in this stage."""
        return Units.of(self.fit.counts, self.index)

    @property
    def versions(self) -> tuple[Version, ...]:
        """The versions that can be computed."""
        observed = self.effects is not None and self.units.size > 0
        return ("marginal", "in_sample", "typical_item") if observed else ("marginal", "typical_item")

    def draws(self, version: Version) -> BlockProbabilities:
        """Return draws of the block probabilities, dims (chain, draw)."""
        return self._draws[version]

    @cached_property
    def _draws(self) -> dict[Version, BlockProbabilities]:
        found: dict[Version, BlockProbabilities] = {
            "marginal": marginal(self.parameters),
            "typical_item": typical_item(self.parameters),
        }
        if "in_sample" in self.versions:
            units = self.unit_draws(self.units)
            found["in_sample"] = BlockProbabilities(units.congruent.mean(axis=-1), units.incongruent.mean(axis=-1))
        return found

    @cached_property
    def _on_lines(self) -> dict[Version, tuple[tuple[Lines, BlockProbabilities], ...]]:
        """The fine and the coarse lines with their block probabilities, by version; empty for engines without lines."""
        fine = self.fit.lines.get(self.cell)
        if fine is None:
            return {}
        grids = [fine] if fine.coarse is None else [fine, fine.coarse]
        return {
            "marginal": tuple((lines, marginal(lines.broadcast())) for lines in grids),
            "typical_item": tuple((lines, typical_item(lines.broadcast())) for lines in grids),
        }

    def quantity(self, function: Function, version: Version, *, ratio: bool = False) -> Quantity:
        """Return a function of this stage's block probabilities, from posterior lines where there are some, else from draws.

        Parameters
        ----------
        function : callable
            From block probabilities to the quantity, monotone in beta.
        version : {"marginal", "in_sample", "typical_item"}
            Version of the block probabilities.
        ratio : bool
            Whether the quantity is a positive ratio.
        """
        if version in self._on_lines:
            found: Quantity | None = None
            for lines, blocks in reversed(self._on_lines[version]):
                values = np.ascontiguousarray(np.broadcast_to(function(blocks), lines.mass.shape))
                on_lines = LineQuantity(np.log(values) if ratio else values, lines)
                found = Quantity(
                    np.exp(on_lines.values) if ratio else on_lines.values, "lines", on_lines, found, ratio=ratio
                )
            assert found is not None
            return found
        return Quantity(function(self.draws(version)), self.source, ratio=ratio)

    def unit_draws(self, units: Units) -> BlockProbabilities:
        """Return the block probabilities of units of this cell, dims (chain, draw, unit)."""
        if self.effects is None:
            raise ValueError(f"the {self.fit.stage} stage of {self.cell} has no item effects")
        effects, slopes = self.effects.at(self.index, units)
        return unit_probabilities(self.parameters["alpha"], self.parameters["beta"], effects, slopes)
