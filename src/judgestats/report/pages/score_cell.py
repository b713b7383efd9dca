"""The page of one judge and domain on scores."""

from __future__ import annotations

from pathlib import PurePosixPath

from judgestats.report.document import Download, Downloads, Link, Page, Pill, Section
from judgestats.report.numbers import percent
from judgestats.report.score_facts import ScoreCellFacts, ScoreReportFacts
from judgestats.report.score_results import score_records_csv
from judgestats.report.sections import (
    score_answer,
    score_computation,
    score_cues,
    score_decision,
    score_distributions,
    score_falsification,
    score_fit,
    score_methods,
    score_model,
    score_room,
    score_sensitivity,
    score_validity,
)
from judgestats.report.sections.reproduce import reproduction


def page(cell: ScoreCellFacts, report: ScoreReportFacts) -> Page:
    """Return the page: sections 1 to 13, none left out; one that does not apply says why."""
    card = report.analysis
    files = _downloads(cell)
    return Page(
        path=cell.path,
        title=f"{cell.judge} × {cell.domain}",
        lead=(card.title or card.name, report.date, f"judgestats {report.version}"),
        pills=pills(cell),
        links=_links(cell, report),
        downloads=files,
        sections=(
            score_validity.section(cell, report),
            score_answer.section(cell, report),
            score_cues.section(cell, report),
            score_decision.section(cell, report),
            score_distributions.section(cell, report),
            score_room.section(cell, report),
            score_sensitivity.section(cell, report),
            score_fit.section(cell),
            score_falsification.section(cell),
            score_model.section(report),
            score_computation.section(cell, report),
            score_methods.section(report),
            Section(13, "reproduce", "Reproduce", (Downloads(files), *reproduction(report))),
        ),
    )


def _downloads(cell: ScoreCellFacts) -> tuple[Download, ...]:
    stem = PurePosixPath(cell.path).stem
    return (
        Download("Records (CSV)", f"{stem}.csv", content=score_records_csv(cell.records)),
        Download("results.json", "results.json", href="../results.json"),
        Download("draws.nc", "draws.nc", href="../draws.nc"),
    )


def pills(cell: ScoreCellFacts) -> tuple[Pill, ...]:
    """Return loss, computation and outcome at a glance."""
    lost = Pill(f"Lost {percent(cell.lost, cell.asked)} of trials", "warn" if cell.unequal else "plain")
    gate = Pill(cell.gate.words, cell.gate.status)
    if not cell.quotable:
        return (lost, gate, Pill("Outcome: none", "plain"))
    moved = [v for v in cell.cues if v.standing in ("beyond", "excludes")]
    return (lost, gate, Pill(f"Outcome: {len(moved)} of {len(cell.cues)} cue variants beyond the ROPE", "plain"))


def _links(cell: ScoreCellFacts, report: ScoreReportFacts) -> tuple[Link, ...]:
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
