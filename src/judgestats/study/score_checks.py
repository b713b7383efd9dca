"""Score checks: the pieces of work of a run on scores, each from its setup and fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from judgestats.checks.cue_permutation import falsify_cues
from judgestats.checks.cue_rank_agreement import cue_rank_agreement
from judgestats.checks.finding import PriorRow
from judgestats.checks.gates import record_gates
from judgestats.checks.prior_predictive import prior_rows
from judgestats.checks.raw_scores import raw_scores
from judgestats.checks.score_alternatives import room_rows, score_loss_rules
from judgestats.checks.score_finding import CueFalsification, RawScores, ScorePredictive, ScoreSensitivity
from judgestats.checks.score_predictive import score_predictive
from judgestats.checks.score_priors import score_prior_grid
from judgestats.checks.score_refit import refit_priors, refit_trials, shift_draws
from judgestats.checks.shift_rows import DecisionRule
from judgestats.draws.gate import GateRow
from judgestats.draws.record import Record
from judgestats.draws.score_fit import ScoreFit
from judgestats.estimands.scores.score_records import score_records
from judgestats.inference.contract import EngineSettings, Progress
from judgestats.report.score_findings import VariantCount
from judgestats.seeds import Seed
from judgestats.study.notes import sorted_notes
from judgestats.study.score_setup import ScoreSetup
from judgestats.trials.score_coding import pair_rows
from judgestats.trials.variant import Variant

Fits = Mapping[str, ScoreFit]
Place = tuple[str, str, str, str]
_RANKED = 1
"""Cells and variants whose permuted data are refitted in full to show how the raw difference ranks them; each is a long fit."""
_LEAST_REFITS = 3  # a rank correlation of fewer says nothing
_REFIT_CHAINS, _REFIT_WARMUP, _REFIT_DRAWS = 4, 200, 250
"""Length of chains of alternatives, whose interval ends are read to fewer digits than those of the main analysis."""


def planted(setup: ScoreSetup) -> dict[Place, float]:
    """Return the planted score shift by judge, domain, cue and polarity; empty for real trials."""
    simulation = setup.analysis.simulation
    return {} if simulation is None else dict(simulation.planted_shifts())


def counts(setup: ScoreSetup) -> tuple[VariantCount, ...]:
    """Return the counts of trials by judge, domain, cue, polarity and status."""
    rows = setup.table.variant_counts().itertuples(index=False)
    return tuple(
        VariantCount(str(r.judge), str(r.domain), str(r.cue), str(r.polarity), str(r.status), int(str(r.n)))
        for r in rows
    )


def raw(setup: ScoreSetup) -> tuple[RawScores, ...]:
    """Return plain arithmetic on the scores of every cell and variant."""
    return raw_scores(setup.table)


def priors(setup: ScoreSetup) -> tuple[PriorRow, ...]:
    """Return every prior with what it implies."""
    return prior_rows(setup.model)


def records(setup: ScoreSetup, fits: Fits, progress: Progress | None) -> tuple[Record, ...]:
    """Return every reported quantity."""
    decision = setup.analysis.decision
    return score_records(
        setup.model,
        fits,
        setup.scale,
        setup.table.variant_counts(),
        rope=setup.rope,
        ci_prob=decision.ci_prob,
        ci_kind=decision.ci_kind,
        setting="unpooled" if setup.model.options.pooling == "none" else "pooled",
        planted=planted(setup),
        placebo=setup.analysis.scores.placebo,
        seed=Seed(setup.analysis.seed),
    )


def predictive(setup: ScoreSetup, fits: Fits, progress: Progress | None) -> tuple[ScorePredictive, ...]:
    """Return posterior predictive shares of levels."""
    return score_predictive(fits, setup.scale, Seed(setup.analysis.seed))


def prior_sensitivity(setup: ScoreSetup, fits: Fits, progress: Progress | None) -> tuple[ScoreSensitivity, ...]:
    """Return the shift under other priors."""
    if not setup.analysis.sensitivity.prior_grid:
        return ()
    refit = refit_priors(setup.rows, _short(setup, progress), setup.scale)
    return score_prior_grid(setup.model, fits, shift_draws(fits, setup.scale), _rule(setup), refit=refit)


def room(setup: ScoreSetup, fits: Fits, progress: Progress | None) -> tuple[ScoreSensitivity, ...]:
    """Return shift and asymmetry on items with room both ways and by prompt configuration, and under rules for lost trials."""
    if not setup.analysis.sensitivity.loss_rules:
        return ()
    refit = refit_trials(setup.model, _short(setup, progress))
    reported, rule = shift_draws(fits, setup.scale), _rule(setup)
    middle = setup.analysis.scores.room_on(setup.scale)
    return (
        *room_rows(setup.table, reported, refit, rule, room=middle),
        *score_loss_rules(setup.table, reported, refit, rule),
    )


def falsification(setup: ScoreSetup, fits: Fits, progress: Progress | None) -> tuple[CueFalsification, ...]:
    """Return permutation falsification of every cell and variant, with what full refits say of the ranking."""
    section = setup.analysis.falsification
    if not section.permutations:
        return ()
    settings = setup.settings(progress)
    rows = falsify_cues(
        pair_rows(setup.table), setup.scale, permutations=section.permutations, seed=settings.seed, progress=progress
    )
    if section.rank_refits < _LEAST_REFITS:
        return rows
    cells, variants = setup.rows["validity"].cells, setup.rows["validity"].variants
    at = {(c.judge, c.domain): c for c in cells}
    # The largest shifts are those whose p is read.
    largest = sorted(rows, key=lambda row: row.p_value)[:_RANKED]
    places = [(at[row.judge, row.domain], Variant(row.cue, row.polarity)) for row in largest]
    places = [place for place in places if place[1] in variants]
    said = cue_rank_agreement(setup.model, setup.rows, settings, setup.scale, places, refits=section.rank_refits)
    words = {(cell.judge, cell.domain, v.cue, v.polarity): text for (cell, v), text in said.items()}
    return tuple(
        replace(row, notes=(*row.notes, words[place])) if (place := _place(row)) in words else row for row in rows
    )


def gates(fits: Fits, reported: Sequence[Record]) -> tuple[GateRow, ...]:
    """Return the engine's own gate rows and those of every reported quantity."""
    own = [row for fit in fits.values() for row in fit.gate]
    return (*own, *record_gates(reported))


def notes(setup: ScoreSetup, texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return notes of the fits under the cell that they begin with, others under ``fits``; notices under ``trials``."""
    return sorted_notes(setup.rows["validity"].cells, texts, [notice.text for notice in setup.table.notices])


def _rule(setup: ScoreSetup) -> DecisionRule:
    decision = setup.analysis.decision
    return DecisionRule((-setup.rope, setup.rope), decision.ci_prob, decision.ci_kind)


def _short(setup: ScoreSetup, progress: Progress | None) -> EngineSettings:
    settings = setup.settings(progress)
    return replace(
        settings,
        chains=min(settings.chains, _REFIT_CHAINS),
        warmup=min(settings.warmup, _REFIT_WARMUP),
        draws=min(settings.draws, _REFIT_DRAWS),
    )


def _place(row: CueFalsification) -> Place:
    return row.judge, row.domain, row.cue, row.polarity
