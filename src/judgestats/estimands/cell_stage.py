"""Cell stage: the posterior of one stage in one cell, as draws and, for the exact engine, as weighted nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from judgestats.draws.fit import StageFit, WeightedNodes
from judgestats.draws.stretched import Stretched
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

_DROPPED = 1e-6
PARAMETERS = ("alpha", "beta", "sigma_item", "sigma_cluster", "sigma_slope")
Function = Callable[[BlockProbabilities], Array]


@dataclass(frozen=True)
class NodeEnds:
    """Block probabilities at both ends of every node's stretch of beta.

    Parameters
    ----------
    low, high : BlockProbabilities, dims (node,)
        At beta - half_width and beta + half_width.
    weights : ndarray, dims (node,)
        Weights, sum 1.
    """

    low: BlockProbabilities
    high: BlockProbabilities
    weights: Array

    @classmethod
    def of(cls, nodes: WeightedNodes, version: Version) -> NodeEnds:
        """Evaluate the block probabilities of a version on weighted nodes."""
        through = {"marginal": marginal, "typical_item": typical_item}[version]
        # Nodes that hold a millionth of the mass together are many and move no end that is reported.
        kept = nodes.weights > _DROPPED / nodes.weights.size
        parameters = {name: values[kept] for name, values in nodes.parameters.items()}
        ends = [through({**parameters, "beta": parameters["beta"] + side * nodes.half_width}) for side in (-1.0, 1.0)]
        return cls(ends[0], ends[1], nodes.weights[kept] / nodes.weights[kept].sum())

    def quantity(self, function: Function, coarse: Quantity | None, ratio: bool = False) -> Quantity:
        """Return a function of the block probabilities; between the ends of a stretch it must be monotone."""
        low, high = function(self.low), function(self.high)
        stretched = Stretched(np.log(low), np.log(high), self.weights) if ratio else Stretched(low, high, self.weights)
        middle = (low + high) / 2.0
        return Quantity(middle, "nodes", self.weights, stretched=stretched, coarse=coarse, ratio=ratio)


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
    def _nodes(self) -> dict[Version, tuple[NodeEnds, NodeEnds | None]]:
        nodes = self.fit.nodes.get(self.cell)
        if nodes is None:
            return {}
        versions: tuple[Version, ...] = ("marginal", "typical_item")
        return {
            version: (
                NodeEnds.of(nodes, version),
                None if nodes.coarse is None else NodeEnds.of(nodes.coarse, version),
            )
            for version in versions
        }

    def quantity(self, function: Function, version: Version, *, ratio: bool = False) -> Quantity:
        """Return a function of this stage's block probabilities, from nodes where there are some, else from draws.

        Parameters
        ----------
        function : callable
            From block probabilities to the quantity, monotone in beta.
        version : {"marginal", "in_sample", "typical_item"}
            Version of the block probabilities.
        ratio : bool
            Whether the quantity is a positive ratio.
        """
        if version in self._nodes:
            fine, coarse = self._nodes[version]
            rough = None if coarse is None else coarse.quantity(function, None, ratio)
            return fine.quantity(function, rough, ratio)
        return Quantity(function(self.draws(version)), self.source, ratio=ratio)

    def unit_draws(self, units: Units) -> BlockProbabilities:
        """Return the block probabilities of units of this cell, dims (chain, draw, unit)."""
        if self.effects is None:
            raise ValueError(f"the {self.fit.stage} stage of {self.cell} has no item effects")
        effects, slopes = self.effects.at(self.index, units)
        return unit_probabilities(self.parameters["alpha"], self.parameters["beta"], effects, slopes)
