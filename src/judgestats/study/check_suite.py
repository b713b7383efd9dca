"""Check suite: the checks that an analysis asks for, each as a piece of work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from judgestats.checks.falsification import Falsification
from judgestats.checks.finding import ItemRow, LooRow, PredictiveRow, SensitivityRow
from judgestats.draws.fit import StageFit
from judgestats.inference.contract import Progress
from judgestats.seeds import Seed
from judgestats.study.setup import STAGES, Setup

Fits = Mapping[str, StageFit]


def rope_of(setup: Setup) -> tuple[float, float]:
    """Return the ROPE of Delta P as an interval."""
    half = setup.analysis.decision.rope
    return (-half, half)


def predictive(setup: Setup, fits: Fits, progress: Progress | None) -> tuple[PredictiveRow, ...]:
    """Return prior and posterior predictive rows of both stages."""
    from judgestats.checks.posterior_predictive import posterior_predictive_rows
    from judgestats.checks.prior_predictive import prior_predictive_rows

    seed = Seed(setup.analysis.seed)
    rows: list[PredictiveRow] = []
    for done, name in enumerate(STAGES):
        stage, counts = setup.model.stage(name), setup.counts[name]
        rope = rope_of(setup) if name == "shift" else None
        rows += prior_predictive_rows(stage, counts, seed, rope=rope)
        rows += posterior_predictive_rows(stage, fits[name], seed)
        _tell(progress, "predictive checks", done + 1, len(STAGES))
    return tuple(rows)


@dataclass(frozen=True)
class ItemChecks:
    """What the items of both stages show.

    Parameters
    ----------
    loo : tuple of LooRow
        Leave-one-item-out cross-validation.
    items : tuple of ItemRow
        Raw counts, item effects and influence.
    extremes : tuple of SensitivityRow
        The effect without the item that lowers it most and without the one that raises it most.
    """

    loo: tuple[LooRow, ...]
    items: tuple[ItemRow, ...]
    extremes: tuple[SensitivityRow, ...]


def item_checks(setup: Setup, fits: Fits, progress: Progress | None) -> ItemChecks:
    """Return the items of both stages; cross-validation and influence only where the analysis asks for them."""
    from judgestats.checks.item_rows import item_rows
    from judgestats.checks.leave_one_out import leave_one_out_rows, leave_out_cells
    from judgestats.checks.loo import loo_by_item

    seed, decision = Seed(setup.analysis.seed), setup.analysis.decision
    loo: list[LooRow] = []
    items: list[ItemRow] = []
    extremes: list[SensitivityRow] = []
    for done, name in enumerate(STAGES):
        stage, fit, counts = setup.model.stage(name), fits[name], setup.counts[name]
        left_out = leave_out_cells(stage, fit) if setup.analysis.sensitivity.leave_one_item_out else {}
        items += item_rows(stage, fit, seed, left_out=left_out, ci_prob=decision.ci_prob)
        if setup.analysis.sensitivity.leave_one_item_out:
            rope = rope_of(setup) if name == "shift" else None
            loo += loo_by_item(stage, fit, seed, left_out=left_out)
            extremes += leave_one_out_rows(stage, counts, left_out, rope=rope, ci_prob=decision.ci_prob)
        _tell(progress, "leave one item out", done + 1, len(STAGES))
    return ItemChecks(tuple(loo), tuple(items), tuple(extremes))


def prior_sensitivity(setup: Setup, fits: Fits, progress: Progress | None) -> tuple[SensitivityRow, ...]:
    """Return the effect under other priors, by refits and by power-scaling."""
    from judgestats.checks.power_scaling import power_scaling
    from judgestats.checks.prior_sensitivity import prior_grid

    asked = setup.analysis.sensitivity
    rows: list[SensitivityRow] = []
    for name in STAGES:
        if asked.prior_grid:
            rope = rope_of(setup) if name == "shift" else None
            ci_prob = setup.analysis.decision.ci_prob
            settings = setup.settings(progress)
            rows += prior_grid(setup.model, setup.counts[name], settings, rope=rope, ci_prob=ci_prob)
        if asked.power_scaling:
            rows += power_scaling(setup.model.stage(name), fits[name], Seed(setup.analysis.seed))
    return tuple(rows)


def loss_sensitivity(setup: Setup, fits: Fits, progress: Progress | None) -> tuple[SensitivityRow, ...]:
    """Return the effect with lost trials left out, counted inconsistent, and modelled."""
    from judgestats.checks.loss_rules import loss_rules
    from judgestats.trials.coding import invalid_as_inconsistent

    if not setup.analysis.sensitivity.loss_rules:
        return ()
    return loss_rules(
        setup.model,
        fits,
        invalid_as_inconsistent(setup.table),
        setup.settings(progress),
        rope=rope_of(setup),
        ci_prob=setup.analysis.decision.ci_prob,
    )


def pooling_sensitivity(setup: Setup, progress: Progress | None) -> tuple[SensitivityRow, ...]:
    """Return the effect under partial pooling beside the unpooled one; empty unless the analysis asks for it."""
    from judgestats.checks.pooling import pooling_rows

    if not setup.analysis.sensitivity.pooling:
        return ()
    return pooling_rows(setup.model, setup.counts["shift"], setup.settings(progress), rope=rope_of(setup))


def falsification(setup: Setup, progress: Progress | None) -> tuple[Falsification, ...]:
    """Return where the observed effect sits among refits under permuted block labels; empty for 0 permutations."""
    from judgestats.checks.permutation import falsify

    asked = setup.analysis.falsification
    if not asked.permutations or not asked.schemes:
        return ()
    return falsify(
        setup.model.stage("shift"),
        setup.counts["shift"],
        schemes=asked.schemes,
        permutations=asked.permutations,
        seed=Seed(setup.analysis.seed),
        engine=setup.analysis.engine.name,
        progress=progress,
    )


def _tell(progress: Progress | None, what: str, done: int, of: int) -> None:
    if progress is not None:
        progress(what, done, of)
