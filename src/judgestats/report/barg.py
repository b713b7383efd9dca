"""BARG: which items of the Bayesian analysis reporting guidelines the report holds, and where.

Kruschke 2021, doi 10.1038/s41562-021-01177-7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from judgestats.report.facts import CellFacts, ReportFacts
from judgestats.report.gather.provenance import lookup
from judgestats.report.tables import Column, Row, Table

State = Literal["there", "missing", "does not apply"]
Check = Callable[[CellFacts], object]


@dataclass(frozen=True)
class BargItem:
    """One item of the list.

    Parameters
    ----------
    code, words : str
        Number and content.
    home : str
        Where the report holds it.
    state : {"there", "missing", "does not apply"}
        Whether it does.
    """

    code: str
    words: str
    home: str
    state: State


def checklist(report: ReportFacts) -> tuple[BargItem, ...]:
    """Return the checklist; an item that any cell lacks is missing."""
    return (*_model_items(report), *_posterior_items(report), *_sensitivity_items(report), *_open_items(report))


def complete(report: ReportFacts) -> bool:
    """Whether nothing is missing."""
    return all(item.state != "missing" for item in checklist(report))


def _there(condition: object) -> State:
    return "there" if condition else "missing"


def _everywhere(report: ReportFacts, check: Check) -> State:
    return _there(report.cells and all(check(cell) for cell in report.cells))


def _has_predictive(source: str) -> Check:
    return lambda cell: any(row.source == source for row in cell.predictive)


def _model_items(report: ReportFacts) -> tuple[BargItem, ...]:
    card = report.analysis
    return (
        BargItem("P", "Goals of the analysis and why it is Bayesian", "index", _there(card.question)),
        BargItem(
            "1A",
            "Data described, losses counted",
            "index; page sections 2, 5",
            _everywhere(report, lambda c: c.loss.asked),
        ),
        BargItem("1B", "Likelihood and parameters", "page section 6", _there(card.formulas)),
        BargItem(
            "1C",
            "Priors with a reason each",
            "page section 6",
            _there(report.priors and all(p.reason for p in report.priors)),
        ),
        BargItem("1D", "Formal specification", "page section 6", _there(card.model and card.formulas)),
        BargItem("1E", "Prior predictive check", "page section 6", _everywhere(report, _has_predictive("prior"))),
    )


def _posterior_items(report: ReportFacts) -> tuple[BargItem, ...]:
    exact = set(report.analysis.engine.values()) <= {"exact"}
    settings = lookup(report.provenance, "chains", "draws") is not None
    return (
        BargItem(
            "2A", "Software and versions", "page sections 7, 13", _there(report.analysis.engine and report.version)
        ),
        BargItem(
            "2B",
            "Convergence, or the exact engine's own gate",
            "page section 7",
            _everywhere(report, lambda c: c.gate.rows),
        ),
        BargItem(
            "2C", "Resolution of every reported quantity (ESS, MCSE)", "page section 4", _everywhere(report, _resolved)
        ),
        BargItem(
            "2D",
            "If not MCMC: what was done instead",
            "page sections 7, 12",
            _there(all(report.analysis.engine_why.get(s) for s in report.analysis.engine))
            if exact
            else "does not apply",
        ),
        BargItem("2E", "Sampler settings", "page section 13", _there(settings or exact)),
        BargItem(
            "3A", "Posterior predictive check", "page section 8", _everywhere(report, _has_predictive("posterior"))
        ),
        BargItem(
            "3B",
            "Posterior summaries with interval, its kind and probability",
            "page sections 1, 4",
            _everywhere(report, _summarised),
        ),
        BargItem("3C", "Bayes factors with the prior of each model", "none are reported", "does not apply"),
    )


def _resolved(cell: CellFacts) -> bool:
    return cell.headline is not None and (
        cell.headline.mcse.value is not None or cell.headline.ess_bulk.value is not None
    )


def _summarised(cell: CellFacts) -> bool:
    return cell.headline is not None and (cell.headline.lower.value is not None or _exempt(cell))


def _exempt(cell: CellFacts) -> bool:
    """Whether a cell was analysed and found not estimable, so that alternatives have nothing to vary."""
    return cell.headline is not None and not cell.estimable


def _sensitivity_items(report: ReportFacts) -> tuple[BargItem, ...]:
    card = report.analysis

    def ran(*kinds: str) -> State:
        return _everywhere(report, lambda c: _exempt(c) or any(row.kind in kinds for row in c.sensitivity))

    decided = _everywhere(report, lambda c: c.headline is not None and c.headline.outcome is not None)
    return (
        BargItem("4A", "Decision rule, fixed before the run", "page section 3", _there(card.decision_rule)),
        BargItem("4B", "Loss function", "the rule compares interval and ROPE", "does not apply"),
        BargItem("4C", "ROPE limits", "page section 3", _there(card.rope[0] < card.rope[1])),
        BargItem("4D", "Outcome of the rule", "page section 3; index", decided),
        BargItem("4E", "The estimates beside the decision", "page sections 1, 4", _everywhere(report, _summarised)),
        BargItem(
            "5A",
            "Sensitivity of estimates to broad, informed and default priors",
            "page section 9",
            ran("prior", "power_scaling"),
        ),
        BargItem(
            "5B", "Sensitivity of decisions to the prior", "page section 9", _everywhere(report, _decision_varied)
        ),
        BargItem("5C", "Sensitivity to the treatment of lost trials", "page section 9", ran("loss_rule")),
    )


def _decision_varied(cell: CellFacts) -> bool:
    return _exempt(cell) or any(row.outcome is not None for row in cell.sensitivity if row.kind == "prior")


def _open_items(report: ReportFacts) -> tuple[BargItem, ...]:
    provenance = report.provenance
    return (
        BargItem(
            "6A",
            "Software and versions to run it again",
            "page section 13",
            _there(lookup(provenance, "python", "judgestats")),
        ),
        BargItem("6B", "The command", "page section 13", _there(_command(report))),
        BargItem("6C", "Data: hashes of the trial files", "page section 13; provenance.json", _there(_hashes(report))),
        BargItem("6D", "Readable results", "results.json, report.md", "there"),
        BargItem("6E", "Seeds", "page section 13", _there(report.analysis.seed is not None)),
        BargItem("6F", "Draws", "draws.nc", "there"),
        BargItem("6G", "Limitations said", "page section 13", _there(report.analysis.limitations)),
    )


def _command(report: ReportFacts) -> bool:
    return lookup(report.provenance, "command") is not None or isinstance(
        report.provenance.get("command"), list | tuple
    )


def _hashes(report: ReportFacts) -> bool:
    return "sha256" in str(report.provenance) or lookup(report.provenance, "trials_hash", "trials") is not None


def table(report: ReportFacts) -> Table:
    """Return the checklist as a table; a missing item is marked."""
    return item_table(checklist(report))


def item_table(items: Sequence[BargItem]) -> Table:
    """Return items of the checklist as a table; a missing one is marked."""
    rows = tuple(Row((i.code, i.words, i.home, i.state), "warn" if i.state == "missing" else "") for i in items)
    heads = (Column("item"), Column("what it asks"), Column("where"), Column("state"))
    return Table("barg", "Bayesian analysis reporting guidelines, item by item", heads, rows)
