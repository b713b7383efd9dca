"""Recorder: a posterior quantity and its context, made into one record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from judgestats.draws.fit import StageFit
from judgestats.draws.gate import GateRow, worst
from judgestats.draws.intervals import IntervalKind
from judgestats.draws.record import Record
from judgestats.draws.summary import Quantity, Source, Summary, summarise
from judgestats.estimands.catalog import estimand
from judgestats.estimands.decision import NOT_ESTIMABLE, decide
from judgestats.estimands.tally import BLOCKS, Tally
from judgestats.trials.cell import Cell

RHAT_LIMIT = 1.01
ESS_LIMIT = 400.0
GATE_WORDS = {"pass": "pass", "warn": "warn", "fail": "fail", "undefined": "not computed"}


@dataclass(frozen=True)
class Context:
    """What a quantity is about.

    Parameters
    ----------
    name : str
        Estimand of the catalog.
    cells : tuple of Cell
        Cells it draws on; the first one is named in the record.
    stages : tuple of str
        Stages it draws on.
    version, block, reference, target, cue : str, optional
        As in the record.
    over_domains : bool
        Whether it averages over domains, so that no domain is named.
    estimable : bool
        Whether the data say anything about it.
    planted : float, optional
        Planted value of simulated trials.
    p_rope_prior : float, optional
        Prior mass inside the ROPE.
    """

    name: str
    cells: tuple[Cell, ...]
    stages: tuple[str, ...]
    version: str | None = None
    block: str | None = None
    reference: str | None = None
    target: str | None = None
    cue: str | None = None
    over_domains: bool = False
    estimable: bool = True
    planted: float | None = None
    p_rope_prior: float | None = None


@dataclass(frozen=True)
class Recorder:
    """Settings that all records of a run share.

    Parameters
    ----------
    model : str
        Name of the model.
    fits : mapping of str to StageFit
        By stage name.
    status_counts : pandas.DataFrame
        Columns ``judge domain block status n``.
    ropes : mapping of str to tuple of float
        ROPE by estimand.
    ci_prob, ci_kind : float, {"eti", "hdi"}
        Interval.
    setting : str
        ``unpooled``, ``pooled``, ``joint`` ...
    """

    model: str
    fits: Mapping[str, StageFit]
    status_counts: pd.DataFrame
    ropes: Mapping[str, tuple[float, float]]
    ci_prob: float
    ci_kind: IntervalKind
    setting: str

    def record(self, quantity: Quantity, context: Context) -> Record:
        """Summarise a quantity and return its record."""
        entry = estimand(context.name, of_blocks=context.block is None)
        summary = summarise(
            quantity,
            ci_prob=self.ci_prob,
            ci_kind=self.ci_kind,
            rope=self.ropes.get(context.name),
            signed=entry.signed,
        )
        outcome: str | None = None if entry.null is None else decide(summary, entry.null)
        return self.row(summary, context, quantity.source, outcome if context.estimable else NOT_ESTIMABLE)

    def row(self, summary: Summary, context: Context, source: Source, outcome: str | None) -> Record:
        """Return the record of a summary."""
        tally = Tally.of(self.status_counts, context.cells, BLOCKS if context.block is None else (context.block,))
        engines = dict.fromkeys(self.fits[stage].engine for stage in context.stages)
        return Record(
            judge=context.cells[0].judge,
            domain=None if context.over_domains else context.cells[0].domain,
            estimand=context.name,
            stage=context.stages[0] if len(context.stages) == 1 else "joint",
            model=self.model,
            engine="+".join(engines),
            scale=estimand(context.name, of_blocks=context.block is None).scale,
            version=context.version,
            block=context.block,
            cue=context.cue,
            setting=self.setting,
            reference=context.reference,
            target=context.target,
            mean=summary.mean,
            median=summary.median,
            sd=summary.sd,
            lower=summary.lower,
            upper=summary.upper,
            ci_prob=summary.ci_prob,
            ci_kind=summary.ci_kind,
            p_gt_0=summary.p_gt_0,
            p_rope=summary.p_rope,
            p_rope_prior=None if summary.rope is None else context.p_rope_prior,
            rope=summary.rope,
            rhat=summary.rhat,
            ess_bulk=summary.ess_bulk,
            ess_tail=summary.ess_tail,
            mcse=summary.mcse,
            mcse_end=summary.mcse_end,
            n_asked=tally.asked,
            n_valid=tally.valid,
            n_lost=tally.lost,
            gate=self.gate(summary, context, source),
            outcome=outcome,
            planted=context.planted,
        )

    def gate(self, summary: Summary, context: Context, source: Source) -> str:
        """Return ``pass``, ``warn``, ``fail`` or ``not computed``.

        Markov chains: R-hat and effective sample sizes of this very quantity, with the criteria of the whole fit
        (divergences, E-BFMI). Other engines: the engine's own gate of the cells.
        """
        rows = [row for stage in context.stages for row in self.fits[stage].gate]
        whole = [row for row in rows if row.judge is None]
        if source != "markov":
            return GATE_WORDS[worst(whole + _of_cells(rows, context.cells))]
        if any(row.status == "fail" for row in whole):
            return "fail"
        if summary.rhat is None or summary.ess_bulk is None or summary.ess_tail is None:
            return "not computed"
        enough = min(summary.ess_bulk, summary.ess_tail) >= ESS_LIMIT
        return "pass" if summary.rhat < RHAT_LIMIT and enough else "fail"


def _of_cells(rows: Sequence[GateRow], cells: tuple[Cell, ...]) -> list[GateRow]:
    wanted = {(c.judge, c.domain) for c in cells}
    return [row for row in rows if (row.judge, row.domain) in wanted]
