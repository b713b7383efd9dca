"""Heat tables of scores: judges by cues, and cue types by domains, with the interval printed in every cell."""

from __future__ import annotations

from collections.abc import Sequence

from judgestats.report.document import Block, Paragraph, Section, TableBlock
from judgestats.report.facts import Estimate
from judgestats.report.gather.score_estimate import pooled, variant_name, variant_of
from judgestats.report.labels import visible
from judgestats.report.numbers import ABSENT
from judgestats.report.score_facts import ScoreReportFacts
from judgestats.report.score_labels import is_aggregate
from judgestats.report.score_words import bracket
from judgestats.report.tables import Cellular, Column, Heat, Row, Table
from judgestats.trials.variant import Variant

NOTE = (
    "Points: median [interval]. The tint repeats size and sign (orange up, blue down, one scale for the page); read the "
    "interval, not the tint."
)
Place = tuple[str | None, str | None]


def by_judge(report: ScoreReportFacts) -> Section:
    """Return cues by judges, averaged over the domains asked."""
    judges = list(dict.fromkeys(c.cell.judge for c in report.cells))
    places: list[Place] = [(judge, _whole(report, judge)) for judge in judges]
    blocks: list[Block] = []
    settings = _settings(report, places)
    if settings:
        over = "averaged over the domains asked" if any(domain is None for _, domain in places) else "one domain"
        heads = [visible(judge) for judge in judges]
        caption = f"Score shift by cue and judge, {over} (points, {report.interval_words})"
        blocks.append(TableBlock(heat("judges", caption, _cues(report), places, heads, report, settings)))
        sums = [Variant(cue, polarity) for cue, polarity in _sums(report, places)]
        if sums:
            caption = f"Aggregates over cues, kept apart (points, {report.interval_words})"
            blocks.append(TableBlock(heat("aggregates", caption, sums, places, heads, report, settings)))
    else:
        blocks.append(Paragraph("No average over domains was made in this run; the next section has every domain."))
    return Section(3, "judges", "Judges and cues", tuple(blocks))


def _whole(report: ScoreReportFacts, judge: str) -> str | None:
    """Return the only domain of a judge, None (all of them) where it has several."""
    domains = [c.cell.domain for c in report.cells if c.cell.judge == judge]
    return domains[0] if len(domains) == 1 else None


def _sums(report: ScoreReportFacts, places: Sequence[Place]) -> list[tuple[str, str]]:
    found = {(r.cue or "", r.polarity or "") for r, _ in report.shifts if (r.judge, r.domain) in places}
    return sorted(
        (key for key in found if is_aggregate(key[0])), key=lambda key: (key[1] != "pos", len(key[0]), key[0])
    )


def by_domain(report: ScoreReportFacts) -> Section:
    """Return cue types by domains for every judge, unpooled and pooled line by line."""
    blocks: list[Block] = []
    judges = list(dict.fromkeys(c.cell.judge for c in report.cells))
    both = False
    for index, judge in enumerate(judges):
        places: list[Place] = [(judge, c.cell.domain) for c in report.cells if c.cell.judge == judge]
        settings = _settings(report, places)
        both = both or len(settings) > 1
        if settings:
            heads = [c.domain for c in report.cells if c.cell.judge == judge]
            caption = f"{visible(judge)}: score shift by cue type and domain (points, {report.interval_words})"
            blocks.append(TableBlock(heat(f"types-{index}", caption, _cues(report), places, heads, report, settings)))
    if not blocks:
        blocks.append(Paragraph("No shift was estimated in this run."))
    elif both:
        said = (
            "Pooled lines pull extreme cells towards the rest: they compare cells better, and move a cell without an effect "
            "towards those with one. Where both lines agree, pooling does not matter."
        )
        blocks.append(Paragraph(said, "note"))
    else:
        blocks.append(Paragraph(_one_setting(report), "note"))
    blocks += [Paragraph(text, "note") for text in report.joint_claims]
    return Section(4, "types", "Cue types by domain", tuple(blocks))


def _one_setting(report: ScoreReportFacts) -> str:
    if report.analysis.pooling == "partial":
        return "Cells are partially pooled, which pulls extreme cells towards the rest."
    return "Cells are not pooled, so the most extreme of them is expected to overstate its effect."


def _cues(report: ScoreReportFacts) -> list[Variant]:
    rows = [v for v in report.variants if not v.is_base]
    return sorted(rows, key=lambda v: v.cue in report.placebo)


def _settings(report: ScoreReportFacts, places: Sequence[Place]) -> list[bool]:
    """Return which poolings have a shift at these places, the main one first."""
    found = {pooled(r) for r, _ in report.shifts if (r.judge, r.domain) in places}
    main = report.analysis.pooling == "partial"
    return [setting for setting in (main, not main) if setting in found]


def heat(
    key: str,
    caption: str,
    variants: Sequence[Variant],
    places: Sequence[Place],
    heads: Sequence[str],
    report: ScoreReportFacts,
    settings: Sequence[bool],
) -> Table:
    """Return a heat table: a row a variant and pooling, a column a place, median and interval in every cell."""
    found = {
        ((r.judge, r.domain), variant_of(r), pooled(r)): e
        for r, e in reversed(report.shifts)
        if r.prompt_config is None
    }
    largest = max((abs(e.median.value) for _, e in report.shifts if e.median.value is not None), default=1.0) or 1.0
    first = [Column("cue"), *((Column("cells"),) if len(settings) > 1 else ())]
    rows = []
    for v in variants:
        for setting in settings:
            cells = tuple(_cell(found.get((place, v, setting)), largest, report, place) for place in places)
            name = variant_name(v) + (" (placebo)" if v.cue in report.placebo else "")
            words = ("pooled" if setting else "unpooled",) if len(settings) > 1 else ()
            rows.append(Row((name, *words, *cells)))
    columns = (*first, *(Column(head, "estimate") for head in heads))
    return Table(key, caption, columns, tuple(rows), NOTE)


def _cell(e: Estimate | None, largest: float, report: ScoreReportFacts, place: Place) -> Cellular:
    red = any(
        c.gate.status == "fail" for c in report.cells if c.cell.judge == place[0] and place[1] in (None, c.cell.domain)
    )
    if red and e is not None:
        return "gate failed"
    if e is None or e.median.value is None:
        return ABSENT
    if e.outcome == "not_estimable":
        return "not estimable"
    return Heat(bracket(e), e.median.value, e.median.value / largest)
