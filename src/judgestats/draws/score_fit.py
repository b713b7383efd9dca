"""Score fit: what an engine returns for one stage of a score model."""

from __future__ import annotations

from dataclasses import dataclass

import xarray as xr

from judgestats.draws.gate import GateRow
from judgestats.trials.score_rows import ScoreRows


@dataclass(frozen=True)
class ScoreFit:
    """The posterior of one stage of a score model.

    Parameters
    ----------
    stage : str
        ``"validity"``, ``"moved"`` or ``"shift"``.
    family : str
        ``bernoulli_logit``, ``cumulative_logit`` or ``rounded_t``.
    engine, why : str
        Engine that ran and, in a sentence, why it was chosen.
    rows : ScoreRows
        The data that were fitted.
    posterior : xarray.Dataset, dims (chain, draw, cell, ...)
        ``effect`` (cell, variant): the effect of each variant on the latent scale, 0 for the base; NaN where a cell
        has no trial of a variant. ``sigma_item`` (cell): sd of item effects, latent scale. By family:
        ``bernoulli_logit``: ``alpha`` (cell), log-odds of the base (of a moved pair, averaged over variants, where there is no
        base); ``cumulative_logit``: ``threshold`` (cell, threshold), P(level <= k) = expit(threshold_k - effect - u_item);
        ``rounded_t``: ``effect`` is the location in steps of the scale, ``scale`` (cell, variant) in steps, ``nu`` (cell).
        Pooled fits add the hyperparameters. ``cell`` is flat with companions ``judge`` and ``domain``, ``variant`` flat
        with companions ``cue`` and ``polarity``. A cell without trials keeps its place and holds NaN.
    sample_stats : xarray.Dataset or None
        NUTS statistics, dims (chain, draw, cell) or (chain, draw).
    gate : tuple of GateRow
        The engine's own gate over parameters.
    seconds : float
        Wall time of the fit.
    notes : tuple of str
        Sentences that the report must print.
    """

    stage: str
    family: str
    engine: str
    why: str
    rows: ScoreRows
    posterior: xr.Dataset
    sample_stats: xr.Dataset | None
    gate: tuple[GateRow, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
