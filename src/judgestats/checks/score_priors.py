"""Score priors: the shift under other priors, by reweighting its draws and, where the weights fail, by refitting.

A prior is varied by its width: effects, item standard deviations and scales with half and twice the fitted sd (effects
N(0, 0.75) and N(0, 3) beside N(0, 1.5)), thresholds with half and twice the concentration. The likelihood does not change,
so the ratio of the two posteriors is the ratio of the priors, whose importance weights are smoothed; a Pareto k above 0.7
calls for a refit.

References
----------
Vehtari et al. 2024, arXiv:1507.02646; Kallioinen et al. 2024, doi:10.1007/s11222-023-10366-5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import log_expit

from judgestats.checks.reweighted import Weights, importance_weights, reweighted_summary
from judgestats.checks.score_finding import ScoreSensitivity
from judgestats.checks.shift_rows import DecisionRule, Place, ShiftDraws, outcomes, shift_rows, summary_row
from judgestats.draws.score_fit import ScoreFit
from judgestats.spec.model import ModelSpec, StageSpec
from judgestats.spec.prior import Prior

Array = NDArray[np.float64]
Refit = Callable[[ModelSpec], ShiftDraws]
VARIED = {
    "effect": "effects",
    "sigma_item": "item sd",
    "scale": "scale of a moved pair",
    "threshold": "thresholds",
}
FACTORS = (0.5, 2.0)


@dataclass(frozen=True)
class ScoreAlternative:
    """A model whose stages have other priors of one kind of parameter.

    Parameters
    ----------
    setting : str
        What differs, in words.
    term : str
        The term that was changed.
    model : ModelSpec
        The model with those priors.
    """

    setting: str
    term: str
    model: ModelSpec


def score_prior_alternatives(model: ModelSpec, stages: Mapping[str, ScoreFit]) -> tuple[ScoreAlternative, ...]:
    """Return the alternatives of a model, for the stages that bear on the shift (all but ``validity``).

    Parameters
    ----------
    model : ModelSpec
        The model as fitted.
    stages : mapping of str to ScoreFit
        Its fits; only the stages in it are changed.
    """
    used = [stage for stage in model.stages if stage.name in stages and stage.name != "validity"]
    found = []
    for name, words in VARIED.items():
        priors = {stage.name: stage.term(name).prior for stage in used if stage.has(name)}
        for factor in FACTORS:
            other = {stage: scaled for stage, prior in priors.items() if (scaled := _scaled(prior, factor)) is not None}
            if not other:
                continue
            changed = tuple(s.with_priors({name: other[s.name]}) if s.name in other else s for s in model.stages)
            labels = ", ".join(dict.fromkeys(_label(prior) for prior in other.values()))
            found.append(ScoreAlternative(f"{words} {labels}", name, replace(model, stages=changed)))
    return tuple(found)


def score_prior_grid(
    model: ModelSpec,
    fits: Mapping[str, ScoreFit],
    draws: ShiftDraws,
    rule: DecisionRule,
    *,
    refit: Refit | None = None,
) -> tuple[ScoreSensitivity, ...]:
    """Return the shift of every cell and variant under every alternative prior.

    Parameters
    ----------
    model : ModelSpec
        The model as fitted.
    fits : mapping of str to ScoreFit
        Its fits; ``validity`` is not used, since the shift does not depend on it.
    draws : ShiftDraws
        The reported shift, from these fits or evenly thinned draws of them.
    rule : DecisionRule
        The decision rule. Intervals of reweighted draws are equal-tailed.
    refit : callable, optional
        Returns the shift under a model with other priors. Called once for an alternative some of whose weights fail; without it
        such rows say that they are not to be trusted and carry no numbers.

    Returns
    -------
    tuple of ScoreSensitivity
        Kind ``prior``; the fitted priors first.
    """
    before = shift_rows(draws, "prior", "as fitted", rule)
    decided = outcomes(before)
    rows = list(before)
    for alternative in score_prior_alternatives(model, fits):
        weights = _weights(model, alternative, fits, draws)
        again: dict[Place, ScoreSensitivity] = {}
        if refit is not None and not all(w.trusted for w in weights):
            again = _refitted(refit, alternative, rule, decided)
        for place, values in draws.effects():
            rows.append(_row(place, values, weights[_cell(draws, place)], alternative, draws, rule, decided, again))
    return tuple(rows)


def _row(
    place: Place,
    values: Array,
    weights: Weights,
    alternative: ScoreAlternative,
    draws: ShiftDraws,
    rule: DecisionRule,
    decided: Mapping[Place, str | None],
    again: Mapping[Place, ScoreSensitivity],
) -> ScoreSensitivity:
    if not weights.trusted:
        if place in again:
            return again[place]
        note = f"Not estimated: the Pareto k of the weights is {weights.khat:.2f}, above 0.7, and there was no refit."
        row = summary_row(place, "prior", alternative.setting, None, note=note)
        return replace(row, outcome=None)
    if not np.isfinite(values).all():
        return summary_row(place, "prior", alternative.setting, None)
    summary = reweighted_summary(values, weights, source=draws.source, ci_prob=rule.ci_prob, rope=rule.rope)
    return summary_row(place, "prior", alternative.setting, summary, fitted=decided)


def _refitted(
    refit: Refit, alternative: ScoreAlternative, rule: DecisionRule, decided: Mapping[Place, str | None]
) -> dict[Place, ScoreSensitivity]:
    again = refit(alternative.model)
    notes = {place: "Refitted." for place, _ in again.effects()}
    rows = shift_rows(again, "prior", alternative.setting, rule, fitted=decided, notes=notes)
    return {(row.judge, row.domain, row.cue, row.polarity, row.estimand): row for row in rows}


def _cell(draws: ShiftDraws, place: Place) -> int:
    pairs = list(zip(map(str, draws.shift["judge"].values), map(str, draws.shift["domain"].values), strict=True))
    return pairs.index((place[0], place[1]))


def _weights(
    model: ModelSpec, alternative: ScoreAlternative, fits: Mapping[str, ScoreFit], draws: ShiftDraws
) -> list[Weights]:
    """Return the weights of every cell: its own parameters and those that all cells share."""
    cells = draws.shift.sizes["cell"]
    total = np.zeros((draws.shift.sizes["chain"], draws.shift.sizes["draw"], cells))
    for name, fit in fits.items():
        if name == "validity":
            continue
        old, new = model.stage(name), alternative.model.stage(name)
        if old != new:
            total += _log_ratio(old, new, alternative.term, _as_thinned(fit.posterior, draws.shift))
    return [importance_weights(total[:, :, c]) for c in range(cells)]


def _as_thinned(posterior: xr.Dataset, shift: xr.DataArray) -> xr.Dataset:
    """Return the draws of a fit that the shift was computed at: every k-th."""
    stride = -(-posterior.sizes["draw"] // shift.sizes["draw"])
    kept = posterior.isel(draw=slice(None, None, stride))
    if (kept.sizes["chain"], kept.sizes["draw"]) != (shift.sizes["chain"], shift.sizes["draw"]):
        raise ValueError(
            f"the shift has {shift.sizes['chain']} x {shift.sizes['draw']} draws, which no even thinning of "
            f"{posterior.sizes['chain']} x {posterior.sizes['draw']} gives"
        )
    return kept


def _log_ratio(old: StageSpec, new: StageSpec, name: str, posterior: xr.Dataset) -> Array:
    """Return the log of the new prior over the old one, dims (chain, draw, cell) or (chain, draw, 1) where cells share."""
    variable = f"mu_{name}" if f"mu_{name}" in posterior else name
    values = posterior[variable]
    shared = "cell" not in values.dims
    dims = ("chain", "draw", *([] if shared else ["cell"]))
    array = np.asarray(values.transpose(*dims, ...).values, dtype=np.float64)
    array = array[:, :, None] if shared else array
    before, after = old.term(name).prior, new.term(name).prior
    if name == "threshold":
        return _threshold_ratio(array, before, after)
    if name == "effect" and "variant" in values.dims:
        array = array[..., 1:]  # the base is 0 and has no prior
    ratio = after.log_density(array) - before.log_density(array)
    # A parameter that a cell lacks is NaN and keeps its prior under both.
    ratio = np.where(np.isnan(array), 0.0, ratio)
    return np.asarray(ratio.reshape(*array.shape[:3], -1).sum(axis=3))


def _threshold_ratio(threshold: Array, before: Prior, after: Prior) -> Array:
    """Return the log ratio of two induced Dirichlet priors that differ in their concentration, up to a constant.

    The Jacobian is the same under both, so only (a' - a) sum_k log P(level k) at the anchor remains.
    """
    x = threshold - before.mean
    # log(expit(b) - expit(a)) = log expit(b) + log expit(-a) + log(1 - exp(a - b)): no level far in a tail loses its digits.
    inner = log_expit(x[..., 1:]) + log_expit(-x[..., :-1]) + np.log(-np.expm1(-np.diff(x, axis=-1)))
    logs = log_expit(x[..., 0]) + log_expit(-x[..., -1]) + inner.sum(axis=-1)
    more = float(after.shape or 0.0) - float(before.shape or 0.0)
    return np.asarray(np.where(np.isnan(logs), 0.0, more * logs))


def _scaled(prior: Prior, factor: float) -> Prior | None:
    if prior.family in ("normal", "half_normal"):
        return replace(prior, sd=prior.sd * factor, reason="")
    if prior.family == "induced_dirichlet" and prior.shape is not None:
        return replace(prior, shape=prior.shape * factor, reason="")
    return None


def _label(prior: Prior) -> str:
    return f"Dirichlet({prior.shape:g})" if prior.family == "induced_dirichlet" else prior.label()
