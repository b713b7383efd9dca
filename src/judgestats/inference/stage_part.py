"""Stage part: cells of one stage that are sampled in one run, as the arrays that their full model takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.inference.terms.product import OF, group_levels
from judgestats.inference.units import Units, cluster_units, item_units
from judgestats.spec.model import POOLED_GROUPS, StageSpec
from judgestats.spec.term import Term
from judgestats.trials.counts import StageCounts


@dataclass(frozen=True)
class StagePart:
    """Cells of one stage of a full model.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    counts : StageCounts
        Counts of the cells.
    prefix : str
        Put before variable names: empty for a model of one stage.
    units : dict of str to Units
        Levels of each varying term by the term's name.
    sizes : dict of str to int
        Number of levels of each group to pad to, so that cells of different size share a compiled model; a padding
        level has no trial and holds its prior. Empty for no padding.
    """

    stage: StageSpec
    counts: StageCounts
    prefix: str
    units: dict[str, Units]
    sizes: Mapping[str, int]

    @classmethod
    def of(
        cls, stage: StageSpec, counts: StageCounts, prefix: str = "", sizes: Mapping[str, int] | None = None
    ) -> StagePart:
        """Return the part for these counts, with the levels of its varying terms."""
        units = {
            term.name: (item_units if term.group == "item" else cluster_units)(term, counts)
            for term in effect_terms(stage)
        }
        return cls(stage, counts, prefix, units, sizes or {})

    def size(self, term: Term) -> int:
        """Return the number of levels of a varying term, padding included."""
        return max(self.units[term.name].size, self.sizes.get(str(term.group), 0))

    def data(self) -> dict[str, NDArray[Any]]:
        """Return counts, indices and priors by the names that the model gives them."""
        counts = self.counts
        data: dict[str, NDArray[Any]] = {
            "block": counts.block,
            "trials": counts.trials.astype(np.float64),
            "successes": counts.successes.astype(np.float64),
        }
        if len(counts.cells) > 1:
            data["row_cell"] = counts.cell
        for name in OF:
            data[f"{name}_mean"] = np.array(self.stage.term(name).prior.mean)
            data[f"{name}_sd"] = np.array(self.stage.term(name).prior.sd)
        for term in self.stage.terms:
            if term.kind == "varying":
                data[f"{term.name}_sd"] = np.array(term.prior.sd)
        for term in effect_terms(self.stage):
            units = self.units[term.name]
            data[f"{term.name}_unit"] = units.of_row
            if units.scales > 1:
                data[f"{term.name}_scale"] = np.pad(units.scale, (0, self.size(term) - units.size))
        return data

    def structure(self) -> tuple[Any, ...]:
        """Return everything that a compiled model of this part depends on, data and priors aside."""
        levels = group_levels(self.counts.cells)
        terms = tuple((t.name, t.kind, t.group, t.of, t.factors) for t in self.stage.terms)
        sizes = tuple((self.size(t), self.units[t.name].scales) for t in effect_terms(self.stage))
        pooled = bool(self.stage.pooled("intercept") or self.stage.pooled("block"))
        groups = tuple(len(names) for names in levels.values()) if pooled else (len(self.counts.cells),)
        # Under pooling the index of judges and domains is part of the model, not of the data.
        return (self.prefix, terms, sizes, groups, self.counts.cells if pooled else ())


def effect_terms(stage: StageSpec) -> tuple[Term, ...]:
    """Return the active varying terms whose effects belong to items or clusters, not to pooled cells."""
    return tuple(t for t in stage.terms if t.kind == "varying" and t.group not in POOLED_GROUPS)


POOLED_ACCEPT = 0.97


def acceptance(stage: StageSpec, asked: float) -> float:
    """Return the NUTS target acceptance rate for a stage: that asked for, and at least 0.97 where cells are pooled.

    The standard deviations over a handful of judges or domains make a funnel that longer steps diverge in.
    """
    pooled = stage.pooled("intercept") or stage.pooled("block")
    return max(asked, POOLED_ACCEPT) if pooled else asked


def separate_cells(stage: StageSpec) -> bool:
    """Return whether no parameter is shared by cells, so that each cell can be sampled apart."""
    pooled = stage.pooled("intercept") or stage.pooled("block")
    return not pooled and not any("domain" in t.factors for t in stage.terms)
