"""Gate rows: the engines' own gates, those of every reported quantity, and the agreement of a second engine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from judgestats.checks.gates import record_gates
from judgestats.draws.fit import StageFit
from judgestats.draws.gate import GateRow, GateStatus
from judgestats.draws.record import Record
from judgestats.inference.contract import Progress
from judgestats.study.setup import STAGES, Setup

AGREEMENT_LIMIT = 3.0
_SHOWN = 5
_COMPARED = ("delta_p", "validity_difference")


@dataclass(frozen=True)
class GateSummary:
    """The verdict on a whole run.

    Parameters
    ----------
    status : {"pass", "warn", "fail"}
        The worst cell.
    failed, warned : tuple of GateRow
        Rows that did not pass.
    """

    status: GateStatus
    failed: tuple[GateRow, ...]
    warned: tuple[GateRow, ...]

    def lines(self) -> list[str]:
        """Return the verdict as text, with the first rows that did not pass."""
        if self.status == "pass":
            return ["Gate: every reported quantity passed."]
        out = [f"Gate: {len(self.failed)} failed, {len(self.warned)} warned."]
        for row in (*self.failed, *self.warned)[:_SHOWN]:
            where = " x ".join(name for name in (row.judge, row.domain) if name is not None) or "all cells"
            value = "undefined" if row.value is None else f"{row.value:.3g}"
            limit = "" if row.threshold is None else f", limit {row.threshold:g}"
            out.append(f"  {row.stage}, {where}, {row.quantity}: {row.criterion} {value}{limit}. {row.action}".rstrip())
        return out


def gate_summary(rows: Sequence[GateRow]) -> GateSummary:
    """Return the verdict on a run; undefined rows neither pass nor fail."""
    failed = tuple(row for row in rows if row.status == "fail")
    warned = tuple(row for row in rows if row.status == "warn")
    return GateSummary("fail" if failed else "warn" if warned else "pass", failed, warned)


def gate_rows(
    setup: Setup, fits: Mapping[str, StageFit], records: Sequence[Record], progress: Progress | None
) -> tuple[GateRow, ...]:
    """Return all gate rows of a run.

    Parameters
    ----------
    setup : Setup
        Trials and model.
    fits : mapping of str to StageFit
        The fits that are reported.
    records : sequence of Record
        Every reported quantity.
    progress : callable, optional
        Progress callback.
    """
    own = [row for fit in fits.values() for row in fit.gate]
    return (*own, *record_gates(records), *second_engine_rows(setup, records, progress))


def second_engine_rows(setup: Setup, records: Sequence[Record], progress: Progress | None) -> tuple[GateRow, ...]:
    """Fit both stages again with the engine of ``[engine] check`` and compare the marginal effects.

    The criterion ``agreement`` is the difference of the two posterior means in combined Monte Carlo standard errors; the
    limit is 3. Rows of the second fit's own gate name its engine, so that nobody takes them for the first's. Empty where the
    analysis asks for no check.
    """
    from judgestats.estimands.evaluate import evaluate
    from judgestats.inference.choose import fit_stage

    engine = setup.analysis.engine.check
    if engine is None:
        return ()
    settings = setup.settings(progress)
    fits = {s: fit_stage(setup.model.stage(s), setup.counts[s], settings, engine) for s in STAGES}
    decision = setup.analysis.decision
    again = evaluate(
        setup.model,
        fits,
        ci_prob=decision.ci_prob,
        ci_kind=decision.ci_kind,
        seed=settings.seed,
        status_counts=setup.table.status_counts(),
    )
    second = {_place(r): r for r in again if _is_compared(r)}
    own = [
        replace(row, quantity=f"{row.quantity}, second engine ({fit.engine})")
        for fit in fits.values()
        for row in fit.gate
    ]
    return (*own, *(agreement_row(r, second[_place(r)]) for r in records if _is_compared(r) and _place(r) in second))


def agreement_row(first: Record, second: Record) -> GateRow:
    """Return how many combined Monte Carlo errors apart two engines' posterior means of one quantity are.

    Two means whose combined error is not known cannot be compared: a warning, since the comparison was asked for.
    """
    value: float | None = None
    both = first.mean is not None and second.mean is not None
    if first.mean is not None and second.mean is not None and first.mcse is not None and second.mcse is not None:
        error = math.hypot(first.mcse, second.mcse)
        value = abs(first.mean - second.mean) / error if error > 0 else None
    passed = value is not None and value <= AGREEMENT_LIMIT
    unknown: GateStatus = "warn" if both else "undefined"
    why = (
        "differ: raise draws, then look at both fits"
        if value is not None
        else "could not be compared: an error is unknown"
    )
    return GateRow(
        stage=first.stage,
        judge=first.judge,
        domain=first.domain,
        quantity=f"{first.estimand}[{first.version}]",
        criterion="agreement",
        value=value,
        threshold=AGREEMENT_LIMIT,
        status=unknown if value is None else "pass" if passed else "fail",
        action="" if passed else f"{first.engine} and {second.engine} {why}",
    )


def _is_compared(record: Record) -> bool:
    return record.estimand in _COMPARED and record.version == "marginal" and record.domain is not None


def _place(record: Record) -> tuple[str | None, str | None, str]:
    return (record.judge, record.domain, record.estimand)
