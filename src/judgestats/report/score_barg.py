"""BARG for scores: which items of the reporting guidelines a report on scores holds, and where.

Kruschke 2021, doi 10.1038/s41562-021-01177-7.
"""

from __future__ import annotations

from collections.abc import Callable

from judgestats.report.barg import BargItem, State
from judgestats.report.gather.provenance import lookup
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts


def score_checklist(report: ScoreReportFacts) -> tuple[BargItem, ...]:
    """Return the checklist; an item that any cell lacks is missing."""
    card, given = report.analysis, report.provenance

    def everywhere(check: Callable[[ScoreCellFacts], object]) -> State:
        return _there(report.cells and all(check(c) for c in report.cells))

    def varied(*kinds: str) -> State:
        return everywhere(lambda c: not c.quotable or any(r.kind in kinds for v in c.variants for r in v.sensitivity))

    return (
        BargItem("P", "Goals of the analysis and why it is Bayesian", "index", _there(card.question)),
        BargItem("1A", "Data described, losses counted", "index; page sections 1, 5", everywhere(lambda c: c.asked)),
        BargItem("1B", "Likelihood and parameters", "page section 10", _there(card.formulas)),
        BargItem("1C", "Priors with a reason each", "page section 10", _there(_reasons(report))),
        BargItem("1D", "Formal specification", "page section 10", _there(card.model and card.formulas)),
        BargItem("1E", "What the priors imply", "page section 10", _there(any(p.implied for p in report.priors))),
        BargItem("2A", "Software and versions", "page sections 11, 13", _there(card.engine and report.version)),
        BargItem("2B", "Convergence", "page section 11", everywhere(lambda c: c.gate.rows)),
        BargItem("2C", "Resolution of every shift (ESS, MCSE)", "page section 3", everywhere(_resolved)),
        BargItem("2E", "Sampler settings", "page section 13", _there(lookup(given, "chains", "draws") is not None)),
        BargItem("3A", "Posterior predictive check", "page section 8", everywhere(_predicted)),
        BargItem("3B", "Summaries with interval, kind and probability", "page sections 2, 3", everywhere(_summarised)),
        BargItem("4A", "Decision rule, fixed before the run", "page section 4", _there(card.decision_rule)),
        BargItem("4C", "ROPE limits", "page section 2", _there(card.rope[0] < card.rope[1])),
        BargItem("4D", "Outcome of the rule", "page section 4; index", everywhere(_decided)),
        BargItem("5A", "Sensitivity to priors", "page section 7", varied("prior")),
        BargItem("5C", "Sensitivity to the treatment of lost trials", "page sections 1, 7", everywhere(_bounded)),
        BargItem("6A", "Software and versions to run it again", "page section 13", _there(lookup(given, "python"))),
        BargItem("6B", "The command", "page section 13", _there(given.get("command"))),
        BargItem("6C", "Data: hashes of the trial files", "page section 13", _there("sha256" in str(given))),
        BargItem("6D", "Readable results", "results.json, report.md", "there"),
        BargItem("6E", "Seeds", "page section 13", _there(card.seed is not None)),
        BargItem("6F", "Draws", "draws.nc", "there"),
        BargItem("6G", "Limitations said", "page section 13", _there(card.limitations)),
    )


def _there(condition: object) -> State:
    return "there" if condition else "missing"


def _reasons(report: ScoreReportFacts) -> bool:
    return bool(report.priors) and all(p.reason for p in report.priors)


def _resolved(cell: ScoreCellFacts) -> bool:
    shifts = [v.shift for v in cell.shifted if v.estimable and v.shift is not None]
    return all(e.mcse.value is not None or e.ess_bulk.value is not None for e in shifts)


def _predicted(cell: ScoreCellFacts) -> bool:
    return any(v.predictive for v in cell.variants)


def _summarised(cell: ScoreCellFacts) -> bool:
    return all(v.shift is not None for v in cell.shifted)


def _decided(cell: ScoreCellFacts) -> bool:
    return all(v.shift is not None and v.shift.outcome is not None for v in cell.shifted)


def _bounded(cell: ScoreCellFacts) -> bool:
    bounds = any("worst_case_low" in v.effects for v in cell.shifted)
    return bounds or any(r.kind == "loss_rule" for v in cell.variants for r in v.sensitivity)
