"""Shift rows: the shift of every variant, and the asymmetry of every cue, under one alternative analysis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.checks.score_finding import ScoreSensitivity
from judgestats.draws.intervals import IntervalKind
from judgestats.draws.summary import Quantity, Source, Summary, summarise
from judgestats.estimands.decision import NOT_ESTIMABLE, decide
from judgestats.trials.variant import BASE_CUE

Array = NDArray[np.float64]
Place = tuple[str, str, str, str, str]
"""Judge, domain, cue, polarity, estimand."""


@dataclass(frozen=True)
class DecisionRule:
    """How an effect is summarised and decided on.

    Parameters
    ----------
    rope : tuple of float or None
        Region of practical equivalence, score points; None decides against 0.
    ci_prob, ci_kind : float, {"eti", "hdi"}
        Probability and kind of the interval.
    """

    rope: tuple[float, float] | None = (-0.15, 0.15)
    ci_prob: float = 0.95
    ci_kind: IntervalKind = "eti"


@dataclass(frozen=True)
class ShiftDraws:
    """Draws of the score shift.

    Parameters
    ----------
    shift : xarray.DataArray, dims (chain, draw, cell, variant)
        Score points, with coordinates ``judge`` and ``domain`` (cell), ``cue`` and ``polarity`` (variant); NaN where a cell
        has no trial of a variant.
    source : {"independent", "markov"}
        Whether the draws come from Markov chains.
    """

    shift: xr.DataArray
    source: Source

    def effects(self, *, asymmetry: bool = False) -> Iterator[tuple[Place, Array]]:
        """Yield every shift and, where asked, every asymmetry (shift of pos plus shift of neg), dims (chain, draw)."""
        values = np.asarray(self.shift.transpose("chain", "draw", "cell", "variant").values, dtype=np.float64)
        cells = list(zip(*(map(str, self.shift[name].values) for name in ("judge", "domain")), strict=True))
        names = list(zip(*(map(str, self.shift[name].values) for name in ("cue", "polarity")), strict=True))
        for c, cell in enumerate(cells):
            for v, (cue, polarity) in enumerate(names):
                if cue != BASE_CUE:
                    yield (*cell, cue, polarity, "score_shift"), values[:, :, c, v]
            if asymmetry:
                for cue in sorted({cue for cue, _ in names if {(cue, "pos"), (cue, "neg")} <= set(names)}):
                    both = values[:, :, c, names.index((cue, "pos"))] + values[:, :, c, names.index((cue, "neg"))]
                    yield (*cell, cue, "", "asymmetry"), both


def shift_rows(
    draws: ShiftDraws,
    kind: str,
    setting: str,
    rule: DecisionRule,
    *,
    asymmetry: bool = False,
    fitted: Mapping[Place, str | None] | None = None,
    notes: Mapping[Place, str] | None = None,
) -> tuple[ScoreSensitivity, ...]:
    """Return the rows of one alternative analysis.

    Parameters
    ----------
    draws : ShiftDraws
        The shift under it.
    kind, setting : str
        What was varied, and the alternative in words.
    rule : DecisionRule
        The decision rule; an asymmetry has no ROPE and is decided against 0.
    asymmetry : bool
        Whether to add the asymmetry of cues with both polarities.
    fitted : mapping of Place to outcome, optional
        Outcomes under the reported analysis, to say where this one differs.
    notes : mapping of Place to str, optional
        Sentences of single rows.

    Returns
    -------
    tuple of ScoreSensitivity
        A shift without draws is ``not estimable``.
    """
    rows = []
    for place, values in draws.effects(asymmetry=asymmetry):
        summary = None
        if np.isfinite(values).all() and values.size:
            rope = rule.rope if place[-1] == "score_shift" else None
            summary = summarise(Quantity(values, draws.source), ci_prob=rule.ci_prob, ci_kind=rule.ci_kind, rope=rope)
        rows.append(summary_row(place, kind, setting, summary, fitted=fitted, note=(notes or {}).get(place, "")))
    return tuple(rows)


def summary_row(
    place: Place,
    kind: str,
    setting: str,
    summary: Summary | None,
    *,
    fitted: Mapping[Place, str | None] | None = None,
    note: str = "",
) -> ScoreSensitivity:
    """Return one row; without a summary it is not estimable. The note says where the outcome differs from the reported one."""
    outcome = NOT_ESTIMABLE if summary is None else decide(summary)
    before = None if fitted is None else fitted.get(place)
    sentences = [note] if note else []
    if before is not None and before != outcome:
        sentences.append(f"The outcome changes from {before} to {outcome}.")
    return ScoreSensitivity(
        *place[:4],
        kind=kind,
        setting=setting,
        estimand=place[4],
        mean=None if summary is None else summary.mean,
        lower=None if summary is None else summary.lower,
        upper=None if summary is None else summary.upper,
        p_gt_0=None if summary is None else summary.p_gt_0,
        outcome=outcome,
        note=" ".join(sentences),
    )


def outcomes(rows: Sequence[ScoreSensitivity]) -> dict[Place, str | None]:
    """Return the outcome of every row by place, e.g. of the reported analysis."""
    return {(row.judge, row.domain, row.cue, row.polarity, row.estimand): row.outcome for row in rows}
