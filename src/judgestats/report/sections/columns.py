"""Columns of estimates: one row an estimate, the same columns everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.report.facts import Estimate
from judgestats.report.labels import VERSION_WORDS, outcome_label
from judgestats.report.tables import Cellular, Column, Row, Table


def interval_heads(estimates: Sequence[Estimate], kind: str, prob: float) -> tuple[str, str]:
    """Return the heads of the interval's ends with their probability and kind, e.g. ``lower 95 % (eti)``."""
    shares = {e.ci_prob for e in estimates if e.ci_prob is not None} or {prob}
    share = f"{100 * shares.pop():g} %" if len(shares) == 1 else "mixed"
    return f"lower {share} ({kind})", f"upper {share} ({kind})"


def estimate_table(
    key: str, caption: str, estimates: Sequence[Estimate], kind: str, prob: float, *, planted: bool = False
) -> Table:
    """Return the estimates of one scale as a table with diagnostics.

    Parameters
    ----------
    key, caption : str
        Name and caption of the table.
    estimates : sequence of Estimate
        All on one scale: probability and log-odds never share a column.
    kind, prob : str, float
        Kind and probability of the intervals.
    planted : bool
        Whether to show the planted value.
    """
    lower, upper = interval_heads(estimates, kind, prob)
    heads = ["quantity", "version", "median", "mean", "sd", lower, upper]
    tails = ["P(>0)", "P(in ROPE)", "prior P(in ROPE)", "R-hat", "ESS bulk", "ESS tail", "MCSE"]
    columns = [Column(h, "number" if i > 1 else "text") for i, h in enumerate(heads)]
    columns += [Column(h, "number") for h in tails] + [Column("outcome")]
    if planted:
        columns.insert(2, Column("planted", "number"))
    return Table(key, caption, tuple(columns), tuple(_row(e, planted) for e in estimates)).without_empty_columns()


def _row(e: Estimate, planted: bool) -> Row:
    cells: list[Cellular] = [
        e.label,
        VERSION_WORDS.get(e.version or "", e.version or ""),
        e.median,
        e.mean,
        e.sd,
        e.lower,
        e.upper,
        e.p_gt_0,
        e.p_rope,
        e.p_rope_prior,
        e.rhat,
        e.ess_bulk,
        e.ess_tail,
        e.mcse,
        outcome_label(e.outcome, has_rope=e.rope is not None),
    ]
    if planted:
        cells.insert(2, e.planted)
    return Row(tuple(cells), "main" if e.estimand == "delta_p" and e.version in (None, "marginal") else "")
