"""Score facts of a whole report."""

from __future__ import annotations

from collections.abc import Iterable

from judgestats import __version__
from judgestats.draws.record import Record
from judgestats.report.facts import Estimate
from judgestats.report.gather.provenance import lookup
from judgestats.report.gather.report import WHEN, cell_paths, of_a_cell, ordered
from judgestats.report.gather.score_cell import BETWEEN, score_cell_facts
from judgestats.report.gather.score_estimate import main_of, score_estimate, variant_name, variant_of
from judgestats.report.labels import visible
from judgestats.report.numbers import NOTHING, Number, as_given, fixed
from judgestats.report.score_facts import Ranked, ScoreReportFacts
from judgestats.report.score_findings import ScoreFindings
from judgestats.report.score_labels import is_aggregate, places
from judgestats.trials.table import Score


def score_report_facts(findings: ScoreFindings) -> ScoreReportFacts:
    """Return the facts of a report on scores; cells in the declared order of judges and domains."""
    card = findings.analysis
    cells = ordered(findings.cells, card)
    paths = cell_paths(cells)
    keys = {str(cell) for cell in cells}
    shared = {key: texts for key, texts in findings.notes.items() if not of_a_cell(key, keys)}
    joint = shared.pop("multiplicity", ())
    wide = [r for r in findings.records if r.judge is None or r.domain is None]
    return ScoreReportFacts(
        analysis=card,
        scale=findings.scale,
        cells=tuple(score_cell_facts(findings, cell, paths[cell]) for cell in cells),
        variants=findings.variants,
        names={v: variant_name(v) for v in findings.variants},
        placebo=findings.placebo,
        averages=_paired(r for r in wide if r.estimand not in BETWEEN),
        between=_paired(r for r in findings.records if r.estimand in BETWEEN),
        shifts=_paired(r for r in findings.records if r.estimand == "score_shift" and r.version in (None, "marginal")),
        ranking=_ranking(findings),
        priors=findings.priors,
        rope=(as_given(card.rope[0]), as_given(card.rope[1])),
        version=str(lookup(findings.provenance, "judgestats", "version") or __version__),
        date=str(lookup(findings.provenance, *WHEN) or "not recorded"),
        warnings=tuple(visible(text) for text in findings.warnings),
        joint_claims=tuple(visible(text) for text in joint),
        notes=tuple(dict.fromkeys(visible(text) for texts in shared.values() for text in texts)),
        provenance=findings.provenance,
    )


def _paired(records: Iterable[Record]) -> tuple[tuple[Record, Estimate], ...]:
    return tuple((r, score_estimate(r)) for r in records)


def _ranking(findings: ScoreFindings) -> tuple[Ranked, ...]:
    """Return the cues of each judge by size, averaged over domains where an average was made, else domain by domain."""
    partial = findings.analysis.pooling == "partial"
    out: list[Ranked] = []
    shifts = [r for r in findings.records if r.estimand == "score_shift" and not is_aggregate(r.cue)]
    for judge in dict.fromkeys((*findings.analysis.judges, *(c.judge for c in findings.cells))):
        mine = [r for r in shifts if r.judge == judge]
        domains: list[str | None] = [None] if any(r.domain is None for r in mine) else []
        for domain in domains or dict.fromkeys(r.domain for r in mine):
            here = [r for r in mine if r.domain == domain]
            chosen = [
                main_of((r for r in here if variant_of(r) == v), partial=partial)
                for v in findings.variants
                if not v.is_base
            ]
            known = [r for r in chosen if r is not None and r.median is not None and r.outcome != "not_estimable"]
            known.sort(key=lambda r: -abs(r.median or 0.0))
            out += [_ranked(r, place, findings) for place, r in enumerate(known, 1)]
    return tuple(out)


def _ranked(record: Record, place: int, findings: ScoreFindings) -> Ranked:
    shift = score_estimate(record)
    name = variant_name(variant_of(record)) + (" (placebo)" if record.cue in findings.placebo else "")
    place_of = (record.judge, record.domain, record.cue, record.polarity)
    ranks = [r for r in findings.records if r.estimand == "rank" and (r.judge, r.domain, r.cue, r.polarity) == place_of]
    rank = main_of(ranks, partial=findings.analysis.pooling == "partial")
    ends = [share_of_range(n, findings.scale) for n in (shift.median, shift.lower, shift.upper)]
    return Ranked(
        judge=visible(record.judge or ""),
        domain="" if record.domain is None else visible(record.domain),
        name=name,
        place=place,
        shift=shift,
        share=ends[0],
        share_lower=ends[1],
        share_upper=ends[2],
        rank=None if rank is None else score_estimate(rank),
    )


def share_of_range(number: Number, scale: Score) -> Number:
    """Return points as a percentage of the range of the scale, with one decimal less than two of the points."""
    if number.value is None:
        return NOTHING
    return fixed(100 * number.value / scale.width, max(0, places(number.text) - 1))
