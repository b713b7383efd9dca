"""Score facts of one judge and domain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from judgestats.checks.score_finding import CueFalsification
from judgestats.draws.record import Record
from judgestats.report.facts import Estimate
from judgestats.report.gather.cell import cell_notes
from judgestats.report.gather.gate import gate_facts
from judgestats.report.gather.score_estimate import main_of, score_estimate, variant_name, variant_of
from judgestats.report.labels import visible
from judgestats.report.numbers import percent
from judgestats.report.score_facts import NoiseFloor, ScoreCellFacts, VariantFacts
from judgestats.report.score_findings import ScoreFindings
from judgestats.report.score_labels import is_aggregate
from judgestats.trials.cell import Cell
from judgestats.trials.status import LOST, Status
from judgestats.trials.variant import Variant

BETWEEN = ("contrast", "rank")


def score_cell_facts(findings: ScoreFindings, cell: Cell, path: str) -> ScoreCellFacts:
    """Return the facts of `cell`, whose page lies at `path`."""
    mine = [r for r in findings.records if (r.judge, r.domain) == (cell.judge, cell.domain)]
    own = [r for r in mine if r.estimand not in BETWEEN]
    order = [v for v in findings.variants if v.is_base] + [v for v in findings.variants if not v.is_base]
    order.sort(key=lambda v: v.cue in findings.placebo)
    variants = tuple(_variant(findings, cell, v, own) for v in order)
    partial = findings.analysis.pooling == "partial"
    asymmetries = [r for r in own if r.estimand == "asymmetry" and r.prompt_config is None]
    cues = dict.fromkeys(v.cue for v in order)
    chosen = (main_of([r for r in asymmetries if r.cue == cue], partial=partial) for cue in cues)
    return ScoreCellFacts(
        cell=cell,
        judge=visible(cell.judge),
        domain=visible(cell.domain),
        path=path,
        variants=variants,
        asymmetries=tuple(score_estimate(r) for r in chosen if r is not None),
        aggregates=tuple(_aggregates(own, partial)),
        floor=noise_floor(v for v in variants if v.placebo),
        gate=gate_facts(findings.gates, cell),
        records=tuple(mine),
        paired=tuple(
            r
            for r in findings.sensitivity
            if (r.judge, r.domain) == (cell.judge, cell.domain) and Variant(r.cue, r.polarity) not in findings.variants
        ),
        notes=cell_notes(findings.notes, cell),
    )


def noise_floor(placebos: Iterable[VariantFacts]) -> NoiseFloor | None:
    """Return the outermost ends of the placebo intervals, None without one."""
    found = [(v.name, v.shift) for v in placebos if v.shift is not None and v.estimable]
    if not found:
        return None
    lower = min((e.lower for _, e in found), key=lambda n: n.value or 0.0)
    upper = max((e.upper for _, e in found), key=lambda n: n.value or 0.0)
    return NoiseFloor(lower, upper, tuple(name for name, _ in found))


def _variant(findings: ScoreFindings, cell: Cell, variant: Variant, own: Sequence[Record]) -> VariantFacts:
    place = (cell.judge, cell.domain, variant.cue, variant.polarity)
    counts = [c for c in findings.counts if (c.judge, c.domain, c.cue, c.polarity) == place]
    asked = sum(c.n for c in counts)
    valid = sum(c.n for c in counts if c.status == Status.VALID)
    known = {s.value: sum(c.n for c in counts if c.status == s.value) for s in LOST}
    other = {c.status: c.n for c in counts if c.status not in (*known, Status.VALID.value)}
    partial = findings.analysis.pooling == "partial"
    about = [r for r in own if variant_of(r) == variant]
    apart = main_of((r for r in about if r.estimand == "score_shift"), partial=not partial)
    return VariantFacts(
        variant=variant,
        name=variant_name(variant),
        placebo=variant.cue in findings.placebo,
        asked=asked,
        valid=valid,
        lost_to={s: n for s, n in (known | other).items() if n},
        loss=percent(asked - valid, asked),
        effects=_effects(about, partial),
        other=None if apart is None else score_estimate(apart),
        raw=next((r for r in findings.raw if (r.judge, r.domain, r.cue, r.polarity) == place), None),
        falsification=_tested(findings, place),
        sensitivity=tuple(r for r in findings.sensitivity if (r.judge, r.domain, r.cue, r.polarity) == place),
        predictive=tuple(r for r in findings.predictive if (r.judge, r.domain, r.cue, r.polarity) == place),
    )


def _tested(findings: ScoreFindings, place: tuple[str, str, str, str]) -> CueFalsification | None:
    return next((r for r in findings.falsification if (r.judge, r.domain, r.cue, r.polarity) == place), None)


def _effects(about: Sequence[Record], partial: bool) -> dict[str, Estimate]:
    out = {}
    for name in dict.fromkeys(r.estimand for r in about):
        # Validity has no pooled twin in every run: the only record there is stands for it.
        rows = [r for r in about if r.estimand == name]
        chosen = main_of(rows, partial=partial) or main_of(rows, partial=not partial)
        if chosen is not None:
            out[name] = score_estimate(chosen)
    return out


def _aggregates(own: Sequence[Record], partial: bool) -> Iterable[Estimate]:
    for cue in dict.fromkeys(r.cue for r in own if is_aggregate(r.cue)):
        rows = [r for r in own if r.cue == cue and r.estimand == "score_shift"]
        chosen = main_of(rows, partial=partial)
        if chosen is not None:
            yield score_estimate(chosen)
