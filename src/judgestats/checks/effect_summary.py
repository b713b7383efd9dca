"""Effect summary: the marginal difference between the blocks of a cell as a sensitivity row states it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from judgestats.checks.cell_lattice import CellLattice
from judgestats.checks.finding import SensitivityRow
from judgestats.draws.fit import StageFit
from judgestats.draws.intervals import IntervalKind
from judgestats.draws.line_quantity import LineQuantity
from judgestats.draws.summary import Quantity, Summary, summarise
from judgestats.estimands.cell_stage import CellStage
from judgestats.estimands.decision import NOT_ESTIMABLE, decide, missing_blocks
from judgestats.estimands.probabilities import BlockProbabilities
from judgestats.inference.cell_posterior import CellModel
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]
LATTICE_ERROR = 1e-4  # of an interval end; measured against the exact engine in the tests


def effect_name(stage: str) -> str:
    """Return the name of the difference between the blocks in a stage."""
    return "delta_p" if stage == "shift" else "validity_difference"


def lattice_summary(
    effect: LineQuantity, mean: float, *, ci_prob: float, ci_kind: IntervalKind, rope: tuple[float, float] | None
) -> Summary:
    """Return the summary of an effect on a lattice, with the lattice's error as that of its ends.

    Parameters
    ----------
    effect : LineQuantity
        The effect, probability scale.
    mean : float
        Its posterior mean from the nodes themselves.
    ci_prob, ci_kind : float, {"eti", "hdi"}
        Probability and kind of the interval.
    rope : tuple of float or None
        Region of practical equivalence.
    """
    quantity = Quantity(effect.values, "lines", effect)
    ends = quantity.interval(ci_prob, ci_kind)
    return Summary(
        mean=mean,
        median=effect.quantile(0.5),
        sd=effect.sd(),
        lower=ends.lower,
        upper=ends.upper,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        p_gt_0=1.0 - effect.below(0.0),
        p_rope=None if rope is None else effect.below(rope[1]) - effect.below(rope[0]),
        rope=rope,
        rhat=None,
        ess_bulk=None,
        ess_tail=None,
        mcse=LATTICE_ERROR,
        mcse_lower=LATTICE_ERROR,
        mcse_upper=LATTICE_ERROR,
    )


def fit_summary(
    fit: StageFit, index: int, *, ci_prob: float, ci_kind: IntervalKind, rope: tuple[float, float] | None
) -> Summary:
    """Return the summary of the marginal difference of one cell, from posterior lines where a fit has them."""
    quantity = CellStage(fit, fit.counts.cells[index]).quantity(_difference, "marginal")
    return summarise(quantity, ci_prob=ci_prob, ci_kind=ci_kind, rope=rope)


def delta_draws(fit: StageFit, index: int) -> Array:
    """Return draws of the marginal difference between the blocks of one cell, dims (chain, draw), probability scale."""
    return _difference(CellStage(fit, fit.counts.cells[index]).draws("marginal"))


def refit_summary(
    stage: StageSpec,
    counts: StageCounts,
    index: int,
    *,
    ci_prob: float,
    ci_kind: IntervalKind,
    rope: tuple[float, float] | None,
) -> Summary:
    """Return the summary of the marginal difference of one cell refitted on a lattice of its own."""
    lattice = CellLattice.over(CellModel.of(stage, counts.select(index)))
    mean = lattice.mean_delta(lattice.log_posterior())
    return lattice_summary(lattice.effect(), mean, ci_prob=ci_prob, ci_kind=ci_kind, rope=rope)


def _difference(blocks: BlockProbabilities) -> Array:
    return np.asarray(blocks.congruent - blocks.incongruent)


def sensitivity_row(
    cell: Cell,
    kind: str,
    setting: str,
    estimand: str,
    summary: Summary,
    outcome: str,
    note: str = "",
) -> SensitivityRow:
    """Return the row of one alternative analysis."""
    return SensitivityRow(
        judge=cell.judge,
        domain=cell.domain,
        kind=kind,
        setting=setting,
        estimand=estimand,
        version="marginal",
        mean=summary.mean,
        lower=summary.lower,
        upper=summary.upper,
        p_gt_0=summary.p_gt_0,
        outcome=outcome,
        note=note,
    )


def outcome_of(summary: Summary, counts: StageCounts, index: int) -> str:
    """Return the outcome of the decision rule, ``not estimable`` where a block has no trial."""
    return NOT_ESTIMABLE if missing_blocks(counts, index) else decide(summary)
