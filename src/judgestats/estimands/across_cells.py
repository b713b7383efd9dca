"""Across cells: contrasts between judges and between domains, ranks of judges, averages over domains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from judgestats.draws.record import Record
from judgestats.draws.summary import Quantity, summarise
from judgestats.estimands.average import average_observed, new_domain_coefficient
from judgestats.estimands.cell_stage import CellStage, Function
from judgestats.estimands.contrast import contrast
from judgestats.estimands.decision import missing_blocks
from judgestats.estimands.delta_p import delta_p
from judgestats.estimands.prior_mass import PriorMasses
from judgestats.estimands.probabilities import Array, marginal
from judgestats.estimands.rank import rank
from judgestats.estimands.recorder import Context, Recorder
from judgestats.estimands.validity_difference import validity_difference
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell

EFFECTS: dict[str, tuple[str, Function]] = {
    "validity": ("validity_difference", validity_difference),
    "shift": ("delta_p", delta_p),
}
OBSERVED = "observed domains, equal weight"
NEW = "new domain"
Planted = Mapping[tuple[str, str], float]


@dataclass(frozen=True, eq=False)
class Effects:
    """Draws of one stage's marginal effect in every cell, paired by index.

    Parameters
    ----------
    stage : StageSpec
        The stage.
    cells : mapping of Cell to CellStage
        Its cells.
    planted : mapping of (judge, domain) to float
        Planted Delta P; empty where nothing is planted.
    """

    stage: StageSpec
    cells: Mapping[Cell, CellStage]
    planted: Planted

    @property
    def name(self) -> str:
        """Name of the effect."""
        return EFFECTS[self.stage.name][0]

    def draws(self, cell: Cell) -> Array:
        """Return draws of the effect, dims (chain, draw)."""
        return EFFECTS[self.stage.name][1](self.cells[cell].draws("marginal"))

    def estimable(self, *cells: Cell) -> bool:
        """Return whether every one of the cells has trials in both blocks."""
        return not any(missing_blocks(self.cells[c].fit.counts, self.cells[c].index) for c in cells)

    def quantity(self, values: Array) -> Quantity:
        """Return draws as a quantity."""
        return Quantity(values, next(iter(self.cells.values())).source)

    def known(self, cell: Cell) -> float | None:
        """Return the planted Delta P of a cell; None in the validity stage and where nothing is planted."""
        return self.planted.get((cell.judge, cell.domain)) if self.name == "delta_p" else None


def contrast_records(effects: Effects, recorder: Recorder) -> Iterator[Record]:
    """Yield the contrasts of an effect: judges within each domain, then domains within each judge.

    ``cue`` names the factor that is contrasted (``judge`` or ``domain``), ``reference`` its other side and ``target``
    the effect.
    """
    cells = sorted(effects.cells)
    for factor, shared in (("judge", "domain"), ("domain", "judge")):
        for first, second in combinations(cells, 2):
            if getattr(first, shared) != getattr(second, shared):
                continue
            known = effects.known(first), effects.known(second)
            context = Context(
                "contrast",
                (first, second),
                (effects.stage.name,),
                "marginal",
                reference=getattr(second, factor),
                target=effects.name,
                cue=factor,
                estimable=effects.estimable(first, second),
                planted=None if known[0] is None or known[1] is None else known[0] - known[1],
            )
            yield recorder.record(effects.quantity(contrast(effects.draws(first), effects.draws(second))), context)


def rank_records(effects: Effects, recorder: Recorder) -> Iterator[Record]:
    """Yield the rank of every judge by the effect within each domain that has at least two judges.

    A judge whose effect is not estimable there is not ranked: its place would be the prior's. Ends of the interval are
    ranks that occur, not interpolated.
    """
    cells = sorted(effects.cells)
    for domain in dict.fromkeys(c.domain for c in cells):
        ranked = [c for c in cells if c.domain == domain and effects.estimable(c)]
        if len(ranked) < 2:
            continue
        ranks = rank(np.stack([effects.draws(c) for c in ranked]))
        known = [effects.known(c) for c in ranked]
        truth = rank(np.array([k if k is not None else np.nan for k in known])) if None not in known else None
        for place, cell in enumerate(ranked):
            quantity = effects.quantity(ranks[place])
            summary = summarise(quantity, ci_prob=recorder.ci_prob, ci_kind="eti", signed=False)
            tail = (1.0 - recorder.ci_prob) / 2.0
            ends = np.quantile(ranks[place], (tail, 0.5, 1.0 - tail), method="inverted_cdf")
            summary = replace(summary, lower=float(ends[0]), median=float(ends[1]), upper=float(ends[2]))
            others = tuple(c for c in ranked if c != cell)
            context = Context(
                "rank",
                (cell, *others),
                (effects.stage.name,),
                "marginal",
                reference=f"{len(ranked)} judges",
                target=effects.name,
                planted=None if truth is None else float(truth[place]),
            )
            yield recorder.row(summary, context, quantity.source, None)


def average_records(effects: Effects, recorder: Recorder, masses: PriorMasses, seed: Seed) -> Iterator[Record]:
    """Yield each judge's effect averaged over its domains, and in a new domain where cells are partially pooled.

    ``domain`` is None and ``target`` says which average it is.
    """
    cells = sorted(effects.cells)
    rope = recorder.ropes.get(effects.name)
    function = EFFECTS[effects.stage.name][1]
    for judge in dict.fromkeys(c.judge for c in cells):
        own = tuple(c for c in cells if c.judge == judge)
        known = [effects.known(c) for c in own]
        observed = Context(
            effects.name,
            own,
            (effects.stage.name,),
            "marginal",
            reference="incongruent",
            target=OBSERVED,
            over_domains=True,
            estimable=effects.estimable(*own),
            planted=float(np.mean([k for k in known if k is not None])) if None not in known else None,
        )
        if len(own) > 1:
            mass = masses.of_stage(effects.stage, function, "marginal", rope, domains=len(own)) if rope else None
            draws = average_observed([effects.draws(c) for c in own])
            yield recorder.record(effects.quantity(draws), replace(observed, p_rope_prior=mass))
        if effects.stage.pooled("block"):
            mass = masses.of_stage(effects.stage, function, "marginal", rope) if rope else None
            context = replace(observed, target=NEW, estimable=True, planted=None, p_rope_prior=mass)
            yield recorder.record(effects.quantity(_new_domain(effects, own, function, seed)), context)


def _new_domain(effects: Effects, own: tuple[Cell, ...], function: Function, seed: Seed) -> Array:
    """Return draws of a judge's effect in a domain that was not observed.

    Its standard deviations of items and clusters are those of one of the judge's observed domains, drawn at random
    for every draw: they are not pooled.
    """
    posterior = effects.cells[own[0]].fit.posterior
    rng = seed.generator(f"estimands/new_domain/{effects.stage.name}/{own[0].judge}")
    parameters: dict[str, Array] = {}
    for name, of in (("alpha", "intercept"), ("beta", "block")):
        scales, judge = {}, np.zeros(())
        for term in effects.stage.pooled(of):
            if term.group == "judge":
                levels = posterior[f"{name}_judge"].sel(judge_level=own[0].judge)
                judge = np.asarray(levels.transpose("chain", "draw").values)
            else:
                scales[term.name] = np.asarray(posterior[term.name].transpose("chain", "draw").values)
        mean = np.asarray(posterior[f"mu_{name}"].transpose("chain", "draw").values)
        parameters[name] = new_domain_coefficient(mean, judge, scales, rng)
    pick = rng.integers(len(own), size=parameters["alpha"].shape)
    for name in ("sigma_item", "sigma_cluster", "sigma_slope"):
        if name in effects.cells[own[0]].parameters:
            stacked = np.stack([effects.cells[c].parameters[name] for c in own])
            parameters[name] = np.take_along_axis(stacked, pick[None], axis=0)[0]
    return function(marginal(parameters))
