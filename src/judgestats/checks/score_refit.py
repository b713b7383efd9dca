"""Score refit: draws of the marginal score shift from fits, and from refits under other priors or of other trials."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from judgestats.checks.shift_rows import ShiftDraws
from judgestats.draws.score_fit import ScoreFit
from judgestats.estimands.scores.differences import difference_probabilities
from judgestats.estimands.scores.levels import level_probabilities
from judgestats.estimands.scores.posterior_draws import MOST_DRAWS, source_of
from judgestats.estimands.scores.score_shift import score_shift
from judgestats.inference.contract import EngineSettings
from judgestats.inference.score_stage import fit_score_stage
from judgestats.spec.model import ModelSpec
from judgestats.trials.score_coding import pair_rows, score_rows
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.table import Score, TrialTable

PAIRED = "moved"


def shift_draws(fits: Mapping[str, ScoreFit], scale: Score, *, most: int = MOST_DRAWS) -> ShiftDraws:
    """Return draws of the marginal score shift of every cell and variant, whichever model was fitted.

    Parameters
    ----------
    fits : mapping of str to ScoreFit
        Stage ``shift``, with ``moved`` for the paired model; other stages are not used.
    scale : Score
        The declared scale.
    most : int
        Most draws.
    """
    points = np.asarray(scale.levels)
    if PAIRED in fits:
        found = difference_probabilities(fits[PAIRED], fits["shift"], most=most)["p_difference"]
        differences = found["difference"].values * scale.step
        shift = (found * xr.DataArray(differences, dims="difference")).sum("difference", skipna=False)
    else:
        levels = level_probabilities(fits["shift"], most=most)
        values = np.asarray(levels.values)
        moved = score_shift(values[:, :, :, :1], values, points)
        shift = xr.DataArray(moved, dims=levels.dims[:-1], coords=levels.isel(level=0, drop=True).coords)
    return ShiftDraws(shift.transpose("chain", "draw", "cell", "variant"), source_of(fits["shift"]))


def fit_shift(
    model: ModelSpec, rows: Mapping[str, ScoreRows], settings: EngineSettings, scale: Score
) -> dict[str, ScoreFit]:
    """Fit every stage that bears on the shift: all but ``validity``."""
    stages = [stage for stage in model.stages if stage.name != "validity"]
    return {stage.name: fit_score_stage(stage, rows[stage.name], settings, scale=scale) for stage in stages}


def refit_priors(
    rows: Mapping[str, ScoreRows], settings: EngineSettings, scale: Score
) -> Callable[[ModelSpec], ShiftDraws]:
    """Return a function that gives the shift of these rows under a model with other priors."""

    def refit(model: ModelSpec) -> ShiftDraws:
        return shift_draws(fit_shift(model, rows, settings, scale), scale)

    return refit


def refit_trials(model: ModelSpec, settings: EngineSettings) -> Callable[[TrialTable], ShiftDraws]:
    """Return a function that gives the shift of other trials under this model."""

    def refit(table: TrialTable) -> ShiftDraws:
        paired = any(stage.name == PAIRED for stage in model.stages)
        rows = pair_rows(table) if paired else score_rows(table)
        return shift_draws(fit_shift(model, rows, settings, table.score), table.score)

    return refit
