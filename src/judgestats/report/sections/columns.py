"""Columns of estimates: one row an estimate, the same columns everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.report.facts import Estimate
from judgestats.report.labels import VERSION_WORDS, outcome_label
from judgestats.report.numbers import NOTHING, Number
from judgestats.report.tables import Cellular, Column, Row, Table

MONTE_CARLO = "Monte Carlo standard error of draws"
PRIOR_ONLY = "Prior only: a block without trials leaves these rows to the prior."


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
    errors = error_note(estimates)
    error = "numerical error" if errors else "MCSE"
    tails = ["P(>0)", "P(in ROPE)", "prior P(in ROPE)", "R-hat", "ESS bulk", "ESS tail", error]
    columns = [Column(h, "number" if i > 1 else "text") for i, h in enumerate(heads)]
    columns += [Column(h, "number") for h in tails] + [Column("outcome")]
    if planted:
        columns.insert(2, Column("planted", "number"))
    note = " ".join((errors, PRIOR_ONLY if any(e.prior_only for e in estimates) else "")).strip()
    return Table(key, caption, tuple(columns), tuple(_row(e, planted) for e in estimates), note).without_empty_columns()


def error_note(estimates: Sequence[Estimate]) -> str:
    """Return which numerical errors of a table are those of a grid and which of draws; empty where none is of a grid."""
    known = [e for e in estimates if e.mcse.value is not None]
    drawn = [e for e in known if not e.on_grid]
    if len(drawn) == len(known):
        return "" if not drawn or any(e.engine != "exact" for e in drawn) else f"Numerical error: {MONTE_CARLO}."
    if not drawn:
        return "Numerical error: that of the exact engine's grid."
    names = "; ".join(
        dict.fromkeys("rows of the observed items" if e.version == "in_sample" else e.label for e in drawn)
    )
    return f"Numerical error: {MONTE_CARLO} for {names}; that of the exact engine's grid for the other rows."


def _row(e: Estimate, planted: bool) -> Row:
    cells: list[Cellular] = [
        f"{e.label} (prior only)" if e.prior_only else e.label,
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
        outcome_label(e.outcome, has_rope=e.rope is not None, null="1" if e.scale == "ratio" else "0"),
    ]
    if planted:
        cells.insert(2, e.planted)
    main = e.estimand == "delta_p" and e.version in (None, "marginal") and not e.prior_only
    return Row(tuple(cells), "main" if main else "")


def informed(table: Table, estimates: Sequence[Estimate]) -> Table:
    """Return a table of comparisons in which a row that the trials do not inform has words in place of numbers."""
    rows = []
    for e, row in zip(estimates, table.rows, strict=True):
        if not e.prior_only:
            rows.append(row)
            continue
        label, *rest = row.cells
        blank: list[Cellular] = [NOTHING if isinstance(c, Number) else c for c in rest]
        rows.append(Row((str(label).removesuffix(" (prior only)"), *blank)))
    note = table.note.replace(PRIOR_ONLY, "").strip()
    return Table(table.key, table.caption, table.columns, tuple(rows), note)
