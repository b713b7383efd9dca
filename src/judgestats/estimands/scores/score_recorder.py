"""Score recorder: a posterior quantity of scores and its context, made into one record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgestats.draws.gate import worst
from judgestats.draws.intervals import IntervalKind
from judgestats.draws.record import Record
from judgestats.draws.score_fit import ScoreFit
from judgestats.draws.summary import Quantity, Summary, summarise
from judgestats.estimands.decision import NOT_ESTIMABLE, decide
from judgestats.estimands.recorder import ESS_LIMIT, GATE_WORDS, RHAT_LIMIT
from judgestats.estimands.score_catalog import score_estimand
from judgestats.estimands.scores.posterior_draws import Array, source_of
from judgestats.trials.cell import Cell
from judgestats.trials.status import LOST, Status
from judgestats.trials.variant import BASE_CUE, Variant

Counts = Mapping[tuple[str, str, str, str], Mapping[str, int]]
BASE = Variant()


def variant_counts(status_counts: pd.DataFrame) -> Counts:
    """Return counts by status of every (judge, domain, cue, polarity) of a table ``judge domain cue polarity status n``.

    A missing cue is the base, a missing polarity none.
    """
    found: dict[tuple[str, str, str, str], dict[str, int]] = {}
    frame = status_counts.assign(
        cue=status_counts["cue"].fillna(BASE_CUE), polarity=status_counts["polarity"].fillna("")
    )
    for *key, status, n in frame[["judge", "domain", "cue", "polarity", "status", "n"]].itertuples(index=False):
        judge, domain, cue, polarity = map(str, key)
        by_status = found.setdefault((judge, domain, cue, polarity), {})
        by_status[str(status)] = by_status.get(str(status), 0) + int(n)
    return found


@dataclass(frozen=True)
class ScoreContext:
    """What a quantity is about.

    Parameters
    ----------
    name : str
        Estimand of the score catalog.
    cells : tuple of Cell
        Cells that it draws on.
    stages : tuple of str
        Stages that it draws on.
    variants : tuple of Variant
        Variants whose trials stand behind it, the base among them for an effect.
    cue, polarity : str or None
        As in the record: the variant, or the name of an aggregate.
    version, reference, target : str or None
        As in the record.
    judge, domain : str or None
        As in the record; None where it is over judges or domains.
    planted : float or None
        Planted value of simulated trials.
    """

    name: str
    cells: tuple[Cell, ...]
    stages: tuple[str, ...]
    variants: tuple[Variant, ...]
    cue: str | None
    polarity: str | None
    version: str | None
    judge: str | None
    domain: str | None
    reference: str | None = BASE_CUE
    target: str | None = None
    planted: float | None = None


@dataclass(frozen=True)
class ScoreRecorder:
    """Settings that all records of a run share.

    Parameters
    ----------
    model : str
        Name of the model.
    fits : mapping of str to ScoreFit
        By stage name.
    counts : mapping
        Trials by (judge, domain, cue, polarity) and status.
    ropes : mapping of str to tuple of float
        ROPE by estimand.
    ci_prob, ci_kind : float, {"eti", "hdi"}
        Interval.
    setting : str
        ``unpooled``, ``pooled`` ...
    """

    model: str
    fits: Mapping[str, ScoreFit]
    counts: Counts
    ropes: Mapping[str, tuple[float, float]]
    ci_prob: float
    ci_kind: IntervalKind
    setting: str

    def record(self, values: Array, context: ScoreContext) -> Record:
        """Return the record of a quantity, dims (chain, draw); without numbers where some draw is not finite."""
        entry = score_estimand(context.name)
        if not np.isfinite(values).all():
            return self._row(None, context, NOT_ESTIMABLE)
        summary = summarise(
            Quantity(np.ascontiguousarray(values), source_of(self.fits[context.stages[-1]])),
            ci_prob=self.ci_prob,
            ci_kind=self.ci_kind,
            rope=self.ropes.get(context.name),
            signed=entry.signed,
        )
        return self._row(summary, context, None if entry.null is None else decide(summary, entry.null))

    def asked(self, cell: Cell, variant: Variant) -> int:
        """Return how many trials of a cell and variant were asked."""
        return sum(self.counts.get((cell.judge, cell.domain, variant.cue, variant.polarity), {}).values())

    def _row(self, summary: Summary | None, context: ScoreContext, outcome: str | None) -> Record:
        totals: dict[str, int] = {}
        for cell in context.cells:
            for variant in context.variants:
                counted = self.counts.get((cell.judge, cell.domain, variant.cue, variant.polarity), {})
                for status, n in counted.items():
                    totals[status] = totals.get(status, 0) + n
        numbers = {} if summary is None else {name: getattr(summary, name) for name in _NUMBERS}
        return Record(
            judge=context.judge,
            domain=context.domain,
            estimand=context.name,
            stage=context.stages[0] if len(context.stages) == 1 else "joint",
            model=self.model,
            engine="+".join(dict.fromkeys(self.fits[stage].engine for stage in context.stages)),
            scale=score_estimand(context.name).scale,
            version=context.version,
            cue=context.cue,
            polarity=context.polarity,
            setting=self.setting,
            reference=context.reference,
            target=context.target,
            ci_prob=self.ci_prob,
            ci_kind=self.ci_kind,
            n_asked=sum(totals.values()),
            n_valid=totals.get(Status.VALID.value, 0),
            n_lost={s.value: totals[s.value] for s in LOST if totals.get(s.value)},
            gate="not computed" if summary is None else self._gate(summary, context),
            outcome=outcome,
            planted=context.planted,
            **numbers,
        )

    def _gate(self, summary: Summary, context: ScoreContext) -> str:
        """Return ``pass``, ``warn``, ``fail`` or ``not computed``, as the records of choices do."""
        rows = [row for stage in context.stages for row in self.fits[stage].gate]
        wanted = {(c.judge, c.domain) for c in context.cells}
        whole = [row for row in rows if row.judge is None]
        if source_of(self.fits[context.stages[-1]]) != "markov":
            return GATE_WORDS[worst(whole + [r for r in rows if (r.judge, r.domain) in wanted])]
        if any(row.status == "fail" for row in whole):
            return "fail"
        if summary.rhat is None or summary.ess_bulk is None or summary.ess_tail is None:
            return "not computed"
        enough = min(summary.ess_bulk, summary.ess_tail) >= ESS_LIMIT
        return "pass" if summary.rhat < RHAT_LIMIT and enough else "fail"


_NUMBERS: Sequence[str] = (
    "mean",
    "median",
    "sd",
    "lower",
    "upper",
    "p_gt_0",
    "p_rope",
    "rope",
    "rhat",
    "ess_bulk",
    "ess_tail",
    "mcse",
    "mcse_end",
)
