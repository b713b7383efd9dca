"""Gates: whether every reported quantity, not only every parameter, can be trusted."""

from __future__ import annotations

import math
from collections.abc import Iterable

from judgestats.draws.gate import GateRow, GateStatus
from judgestats.draws.record import Record

RHAT_LIMIT = 1.01
ESS_LIMIT = 400.0
MCSE_SHARE = 0.02  # of the width of the interval; ESS 400 gives .013 for a normal posterior
END_SHARE = 0.085  # of the width; a tail ESS of 400 gives .034 for a normal posterior, .085 for an exponential one
_LONGER = "Draw more, or lengthen the warm-up."


def record_gates(records: Iterable[Record]) -> tuple[GateRow, ...]:
    """Return the gate rows of every reported quantity.

    Quantities from Markov chains: rank-normalised split R-hat below 1.01, bulk and tail effective sample sizes of at
    least 400, else fail; constants have none, so they are undefined. Every quantity with an interval: a Monte Carlo
    or numerical error of the mean above 2 % of the interval's width, or of an end of the interval above 8.5 % of it (ranks
    apart), is a warning, because it shows in the digits that are printed. The exact engine's own gate watches the 95 %
    interval; this one holds for whatever interval is reported.

    Parameters
    ----------
    records : iterable of Record
        Reported quantities.

    References
    ----------
    Vehtari et al. 2021, doi:10.1214/20-BA1221.
    """
    rows: list[GateRow] = []
    for record in records:
        if record.rhat is not None or record.ess_bulk is not None or _from_chains(record):
            rows += [
                _row(record, "rhat", record.rhat, RHAT_LIMIT, below=True),
                _row(record, "ess_bulk", record.ess_bulk, ESS_LIMIT, below=False),
                _row(record, "ess_tail", record.ess_tail, ESS_LIMIT, below=False),
            ]
        if record.lower is not None and record.upper is not None and record.mcse is not None:
            width = record.upper - record.lower
            share = record.mcse / width if width > 0 else None
            rows.append(_row(record, "mcse_share", share, MCSE_SHARE, below=True, failing="warn"))
            # Ends of ranks are whole numbers: their error is half a step or none.
            if record.mcse_end is not None and width > 0 and record.scale != "rank":
                rows.append(_row(record, "end_share", record.mcse_end / width, END_SHARE, below=True, failing="warn"))
    return tuple(rows)


def gate_status(rows: Iterable[GateRow], judge: str, domain: str) -> GateStatus:
    """Return whether the numbers of a cell can be trusted.

    Parameters
    ----------
    rows : iterable of GateRow
        All gate rows of a run: engines' own and `record_gates`.
    judge, domain : str
        The cell. Rows about the whole fit (judge and domain None) and about a judge over its domains count for it too.

    Returns
    -------
    {"pass", "warn", "fail"}
        ``fail`` if a criterion failed, ``warn`` if one warned or if nothing that could be judged was there; a criterion
        that is undefined (the R-hat of a constant) neither passes nor fails.
    """
    found = {row.status for row in rows if row.judge in (None, judge) and row.domain in (None, domain)}
    if "fail" in found:
        return "fail"
    return "pass" if "pass" in found and "warn" not in found else "warn"


def quantity_label(record: Record) -> str:
    """Return what a gate row calls a reported quantity, e.g. ``score_shift[marginal] age pos``."""
    parts = [f"{record.estimand}[{record.version}]" if record.version else record.estimand]
    parts += [word for word in (record.block, record.cue, record.polarity) if word]
    if record.estimand in ("contrast", "rank") and record.target:
        parts.append(f"of {record.target}")
    if record.estimand == "contrast" and record.reference:
        parts.append(f"against {record.reference}")
    return " ".join(parts)


def _from_chains(record: Record) -> bool:
    engines = set(record.engine.split("+"))
    return record.mean is not None and bool(engines & {"numpyro", "pymc"})


def _row(
    record: Record,
    criterion: str,
    value: float | None,
    limit: float,
    *,
    below: bool,
    failing: GateStatus = "fail",
) -> GateRow:
    status: GateStatus = failing
    if value is None or not math.isfinite(value):
        status, value = "undefined", None
    elif (value < limit) if below else (value >= limit):
        status = "pass"
    return GateRow(
        stage=record.stage,
        judge=record.judge,
        domain=record.domain,
        quantity=quantity_label(record),
        criterion=criterion,
        value=value,
        threshold=limit,
        status=status,
        action=_LONGER if status in ("warn", "fail") else "",
    )
