"""Facts of a whole report."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats import __version__
from judgestats.draws.record import Record
from judgestats.report.facts import Estimate, ReportFacts
from judgestats.report.findings import AnalysisCard, Findings
from judgestats.report.gather.cell import cell_facts, effect_first
from judgestats.report.gather.estimate import estimate
from judgestats.report.gather.provenance import lookup
from judgestats.report.labels import visible
from judgestats.report.numbers import as_given
from judgestats.report.paths import safe_names
from judgestats.trials.cell import Cell

WHEN = ("finished", "date", "time", "created", "started")


def report_facts(findings: Findings) -> ReportFacts:
    """Return the facts of a report; cells in the declared order of judges and domains, undeclared ones after them."""
    cells = ordered(findings.cells, findings.analysis)
    paths = cell_paths(cells)
    keys = {str(cell) for cell in cells}
    shared = {key: texts for key, texts in findings.notes.items() if not of_a_cell(key, keys)}
    joint = shared.pop("multiplicity", ())
    general = [visible(text) for texts in shared.values() for text in texts]
    analysis = findings.analysis
    return ReportFacts(
        analysis=analysis,
        cells=tuple(cell_facts(findings, cell, paths[cell]) for cell in cells),
        ranks=_named(findings, "rank"),
        contrasts=_named(findings, "contrast"),
        averages=tuple(estimate(r, analysis.success_word) for r in findings.records if _is_average(r, set(cells))),
        priors=findings.priors,
        rope=(as_given(analysis.rope[0]), as_given(analysis.rope[1])),
        version=str(lookup(findings.provenance, "judgestats", "version") or __version__),
        date=str(lookup(findings.provenance, *WHEN) or "not recorded"),
        warnings=tuple(visible(text) for text in findings.warnings),
        joint_claims=tuple(visible(text) for text in joint),
        notes=tuple(dict.fromkeys(general)),
        provenance=findings.provenance,
    )


def cell_paths(cells: Sequence[Cell]) -> dict[Cell, str]:
    """Return the page of every cell inside the report folder."""
    judges = safe_names(cell.judge for cell in cells)
    paths: dict[Cell, str] = {}
    for judge in judges:
        domains = safe_names(cell.domain for cell in cells if cell.judge == judge)
        paths |= {Cell(judge, domain): f"{judges[judge]}/{name}.html" for domain, name in domains.items()}
    return paths


def ordered(cells: Sequence[Cell], analysis: AnalysisCard) -> tuple[Cell, ...]:
    """Return cells in the declared order of judges and domains, undeclared ones after them."""
    judges = {name: i for i, name in enumerate(analysis.judges)}
    domains = {name: i for i, name in enumerate(analysis.domains)}
    last = len(cells) + len(judges) + len(domains)
    return tuple(sorted(cells, key=lambda c: (judges.get(c.judge, last), domains.get(c.domain, last), c)))


def _named(findings: Findings, name: str) -> tuple[Estimate, ...]:
    return effect_first((r for r in findings.records if r.estimand == name), findings.analysis.success_word)


def _is_average(record: Record, cells: set[Cell]) -> bool:
    """Whether a record is about no single cell, such as an average over domains."""
    if record.estimand in ("contrast", "rank"):
        return False
    return record.judge is None or record.domain is None or Cell(record.judge, record.domain) not in cells


def of_a_cell(key: str, names: set[str]) -> bool:
    """Whether the notes under `key` are filed under one of the named cells."""
    return key in names or any(key.endswith(f": {name}") for name in names)
