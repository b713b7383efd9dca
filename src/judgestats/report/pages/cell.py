"""The page of one judge and domain."""

from __future__ import annotations

from pathlib import PurePosixPath

from judgestats.report.document import Download, Link, Page, Pill
from judgestats.report.facts import CellFacts, ReportFacts
from judgestats.report.labels import outcome_label
from judgestats.report.results import cell_records_csv, cell_records_json
from judgestats.report.sections import (
    answer,
    computation,
    decision,
    estimates,
    falsification,
    fit,
    items,
    mechanism,
    methods,
    model,
    reproduce,
    sensitivity,
    validity,
)


def page(cell: CellFacts, report: ReportFacts) -> Page:
    """Return the page: sections 1 to 13, none left out; one that does not apply says why."""
    card = report.analysis
    stem = PurePosixPath(cell.path).stem
    return Page(
        path=cell.path,
        title=f"{cell.judge} × {cell.domain}",
        lead=(card.title or card.name, report.date, f"judgestats {report.version}"),
        pills=pills(cell),
        links=_links(cell, report),
        downloads=(
            Download("Records (CSV)", f"{stem}.csv", content=cell_records_csv(cell)),
            Download("Records (JSON)", f"{stem}.json", content=cell_records_json(cell), media_type="application/json"),
            Download("results.json", "results.json", href="../results.json"),
            Download("draws.nc", "draws.nc", href="../draws.nc"),
        ),
        sections=(
            answer.section(cell, report),
            validity.section(cell, report),
            decision.section(cell, report),
            estimates.section(cell, report),
            items.section(cell, report),
            model.section(cell, report),
            computation.section(cell, report),
            fit.section(cell),
            sensitivity.section(cell, report),
            falsification.section(cell, report),
            mechanism.section(),
            methods.section(report),
            reproduce.section(report),
        ),
    )


def pills(cell: CellFacts) -> tuple[Pill, ...]:
    """Return the state of the computation and the outcome of the rule, at a glance."""
    gate = Pill(cell.gate.words, cell.gate.status)
    if not cell.quotable or cell.headline is None or cell.headline.outcome is None:
        word = "Outcome: none" if cell.gate.status == "fail" or cell.headline is None else "Outcome: not estimable"
        return (gate, Pill(word, "plain"), loss_pill(cell))
    return (
        gate,
        Pill(f"Outcome: {outcome_label(cell.headline.outcome, has_rope=cell.headline.rope is not None)}", "plain"),
        loss_pill(cell),
    )


def loss_pill(cell: CellFacts) -> Pill:
    """Return the share of lost trials; set off where the loss depends on the block."""
    return Pill(f"Lost {cell.loss.loss} of trials", "warn" if cell.loss.dependence == "depends" else "plain")


def _links(cell: CellFacts, report: ReportFacts) -> tuple[Link, ...]:
    mine = [c for c in report.cells if c.cell.judge == cell.cell.judge]
    at = mine.index(cell)
    links = [Link("All judges and domains", "../index.html")]
    if at > 0:
        links.append(Link(f"Previous domain: {mine[at - 1].domain}", f"../{mine[at - 1].path}"))
    if at + 1 < len(mine):
        links.append(Link(f"Next domain: {mine[at + 1].domain}", f"../{mine[at + 1].path}"))
    same = [c for c in report.cells if c.cell.domain == cell.cell.domain and c is not cell]
    links += [Link(f"{c.judge}, same domain", f"../{c.path}") for c in same[:3]]
    return tuple(links)
