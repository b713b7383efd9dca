"""Check suite: the checks that an analysis asks for, each as a piece of work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from judgestats.checks.falsification import Falsification
from judgestats.checks.finding import DensityRow, ItemRow, LooRow, PredictiveRow, SensitivityRow
from judgestats.draws.fit import StageFit
from judgestats.inference.contract import EngineSettings, Progress
from judgestats.seeds import Seed
from judgestats.study.likelihoods import Likelihoods
from judgestats.study.setup import STAGES, Setup
from judgestats.study.stages_apart import refits_apart, stages_apart
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Fits = Mapping[str, StageFit]


@dataclass(frozen=True)
class Evidence:
    """What checks look at: trials, model and fits.

    Parameters
    ----------
    setup : Setup
        Trials and model.
    fits : mapping of str to StageFit
        Fits by stage.
    likelihoods : Likelihoods
        Log-likelihoods by item, computed when first asked for.
    progress : callable, optional
        Progress callback.
    """

    setup: Setup
    fits: Fits
    likelihoods: Likelihoods
    progress: Progress | None = None

    def tell(self, what: str, done: int, of: int) -> None:
        """Say how far a check is."""
        if self.progress is not None:
            self.progress(what, done, of)


def rope_of(setup: Setup) -> tuple[float, float]:
    """Return the ROPE of Delta P as an interval."""
    half = setup.analysis.decision.half_width("choice")
    return (-half, half)


def densities(evidence: Evidence) -> tuple[DensityRow, ...]:
    """Return the posterior density of the marginal Delta P of every cell."""
    from judgestats.estimands.density import delta_p_curves

    return tuple(DensityRow(c.judge, c.domain, c.estimand, c.version, c.x, c.y) for c in delta_p_curves(evidence.fits))


def predictive(evidence: Evidence) -> tuple[PredictiveRow, ...]:
    """Return prior and posterior predictive rows of both stages."""
    from judgestats.checks.posterior_predictive import posterior_predictive_rows
    from judgestats.checks.prior_predictive import prior_predictive_rows

    setup = evidence.setup
    seed = Seed(setup.analysis.seed)
    rows: list[PredictiveRow] = []
    for done, name in enumerate(STAGES):
        stage, counts = setup.model.stage(name), setup.counts[name]
        rows += prior_predictive_rows(stage, counts, seed, rope=_stage_rope(setup, name))
        rows += posterior_predictive_rows(stage, evidence.fits[name], seed)
        evidence.tell("predictive checks", done + 1, len(STAGES))
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


def item_checks(evidence: Evidence) -> ItemChecks:
    """Return the items of both stages; cross-validation and influence only where the analysis asks for them."""
    from judgestats.checks.item_rows import item_rows
    from judgestats.checks.leave_one_out import leave_one_out_rows, leave_out_cells
    from judgestats.checks.loo import loo_by_item

    setup = evidence.setup
    seed, ci_prob = Seed(setup.analysis.seed), setup.analysis.decision.ci_prob
    loo: list[LooRow] = []
    items: list[ItemRow] = []
    extremes: list[SensitivityRow] = []
    for done, name in enumerate(STAGES):
        stage, fit, counts = setup.model.stage(name), evidence.fits[name], setup.counts[name]
        left_out = leave_out_cells(stage, fit) if setup.analysis.sensitivity.leave_one_item_out else {}
        items += item_rows(stage, fit, seed, left_out=left_out, ci_prob=ci_prob)
        if setup.analysis.sensitivity.leave_one_item_out:
            loo += loo_by_item(stage, fit, seed, likelihood=evidence.likelihoods.of(name), left_out=left_out)
            found = leave_one_out_rows(
                stage,
                counts,
                left_out,
                rope=_stage_rope(setup, name),
                ci_prob=ci_prob,
                ci_kind=setup.analysis.decision.ci_kind,
            )
            extremes += stages_apart(setup, found)
        evidence.tell("leave one item out", done + 1, len(STAGES))
    return ItemChecks(tuple(loo), tuple(items), tuple(extremes))


def prior_sensitivity(evidence: Evidence) -> tuple[SensitivityRow, ...]:
    """Return the effect under other priors, by refits and by power-scaling."""
    from judgestats.checks.power_scaling import power_scaling
    from judgestats.checks.prior_sensitivity import prior_grid

    setup = evidence.setup
    asked, decision = setup.analysis.sensitivity, setup.analysis.decision
    rows: list[SensitivityRow] = []
    for name in STAGES:
        if asked.prior_grid:
            settings, rope = setup.settings(evidence.progress), _stage_rope(setup, name)
            found = prior_grid(
                setup.model, setup.counts[name], settings, rope=rope, ci_prob=decision.ci_prob, ci_kind=decision.ci_kind
            )
            rows += stages_apart(setup, found)
        if asked.power_scaling:
            stage, seed = setup.model.stage(name), Seed(setup.analysis.seed)
            rows += power_scaling(stage, evidence.fits[name], seed, likelihood=evidence.likelihoods.of(name))
    return tuple(rows)


def loss_sensitivity(evidence: Evidence) -> tuple[SensitivityRow, ...]:
    """Return the effect with lost trials left out, counted inconsistent, and modelled."""
    from judgestats.checks.loss_rules import loss_rules

    setup = evidence.setup
    if not setup.analysis.sensitivity.loss_rules:
        return ()
    return loss_rules(
        setup.model,
        evidence.fits,
        _all_lost_inconsistent(setup),
        setup.settings(evidence.progress),
        rope=rope_of(setup),
        ci_prob=setup.analysis.decision.ci_prob,
        ci_kind=setup.analysis.decision.ci_kind,
    )


def pooling_sensitivity(evidence: Evidence) -> tuple[SensitivityRow, ...]:
    """Return the effect under partial pooling beside the unpooled one; empty unless the analysis asks for it."""
    from judgestats.checks.pooling import pooling_rows

    setup = evidence.setup
    if not setup.analysis.sensitivity.pooling:
        return ()
    return pooling_rows(
        setup.model,
        setup.counts["shift"],
        setup.settings(evidence.progress),
        rope=rope_of(setup),
        ci_prob=setup.analysis.decision.ci_prob,
        ci_kind=setup.analysis.decision.ci_kind,
        unpooled=evidence.fits["shift"],
    )


def joint_claims(evidence: Evidence, claimed: tuple[Cell, ...]) -> tuple[str, ...]:
    """Return in words how sure one can be that all claimed signs are right; empty below two claims."""
    from judgestats.checks.multiplicity import joint_signs

    if len(claimed) < 2:
        return ()
    options = evidence.setup.model.options
    shared = options.pooling != "none" or options.items == "shared"
    return (joint_signs(evidence.fits["shift"], claimed, shared=shared).sentence(),)


def falsification(setup: Setup, progress: Progress | None) -> tuple[Falsification, ...]:
    """Return where the observed effect sits among refits under permuted block labels; empty for 0 permutations."""
    from judgestats.checks.permutation import falsify

    asked = setup.analysis.falsification
    if not asked.permutations or not asked.schemes:
        return ()
    rows = falsify(
        setup.model.stage("shift"),
        setup.counts["shift"],
        asked=setup.counts["validity"],
        schemes=asked.schemes,
        permutations=asked.permutations,
        seed=Seed(setup.analysis.seed),
        engine=setup.analysis.engine.name,
        progress=progress,
    )
    rows = refits_apart(setup, rows)
    if not any(row.statistic == "raw_difference" for row in rows):
        return rows
    notes = _rank_notes(setup, progress)
    return tuple(
        replace(row, notes=(*row.notes, notes[Cell(row.judge, row.domain)]))
        if row.statistic == "raw_difference"
        else row
        for row in rows
    )


def _rank_notes(setup: Setup, progress: Progress | None) -> dict[Cell, str]:
    """Return for each cell how the raw difference ranks permuted data sets beside full refits."""
    from judgestats.checks.rank_agreement import rank_agreement

    refits = setup.analysis.falsification.rank_refits
    shift = setup.counts["shift"]
    if not refits:
        unchecked = (
            "The statistic is the raw conditional difference because one refit takes over 0.1 s; "
            "whether full refits rank permuted data the same was not checked (rank_refits = 0)."
        )
        return dict.fromkeys(shift.cells, unchecked)
    settings = EngineSettings(Seed(setup.analysis.seed), target_accept=setup.analysis.engine.target_accept)
    engine = setup.analysis.engine.name
    return rank_agreement(
        setup.model.stage("shift"),
        shift,
        settings,
        asked=setup.counts["validity"],
        engine=engine,
        refits=refits,
        progress=progress,
    )


def _all_lost_inconsistent(setup: Setup) -> StageCounts:
    """Return a shift stage in which no lost trial is a success, coded as the shift stage of the run is."""
    from judgestats.trials.coding import invalid_as_inconsistent

    counted = invalid_as_inconsistent(setup.table)
    if not setup.table.choice.free_assignment:
        return counted
    # In free assignment a success is the default label, so a lost trial adds to the trials of a row and to nothing else.
    won = {_row(setup.counts["shift"], i): int(n) for i, n in enumerate(setup.counts["shift"].successes)}
    successes = np.array([won.get(_row(counted, i), 0) for i in range(len(counted.trials))], dtype=np.int64)
    return replace(counted, successes=successes)


def _row(counts: StageCounts, i: int) -> tuple[int, int, int, float]:
    cluster = 0 if counts.cluster is None else int(counts.cluster[i])
    return (int(counts.cell[i]), int(counts.item[i]), cluster, float(counts.block[i]))


def _stage_rope(setup: Setup, stage: str) -> tuple[float, float] | None:
    return rope_of(setup) if stage == "shift" else None
