"""Effects: the headline estimates of a run and its permutation p-values, as lines of a table in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judgestats.checks.falsification import Falsification
    from judgestats.checks.score_finding import CueFalsification
    from judgestats.draws.record import Record


EFFECTS = {"delta_p": "Delta P", "score_shift": "score shift"}
"""Words of the headline estimand by its name; one run has one of them."""
_SHOWN = 80  # lines of a terminal before the rest is left to the pages


def headline(records: Sequence[Record]) -> list[Record]:
    """Return the marginal effect of every judge and domain, by cue where verdicts are scores."""
    whole = (r for r in records if r.judge is not None and r.domain is not None)
    return [r for r in whole if r.estimand in EFFECTS and r.version == "marginal"]


def effect_lines(records: Sequence[Record]) -> list[str]:
    """Return the headline effects as lines of a table, the share of lost trials beside each.

    Numbers and words are those of the pages: the posterior mean, and no number where the effect is not estimable.
    """
    shown = headline(records)
    ends = sorted({_interval_words(r) for r in shown} - {""})
    name = EFFECTS[shown[0].estimand] if shown else "effect"
    rows: list[tuple[str, ...]] = [
        ("judge", "domain", "cue", f"{name}, mean", " or ".join(ends), "P(>0)", "lost", "outcome", "planted")
    ]
    rows += [_effect_row(r) for r in shown[:_SHOWN]]
    more = [f"... and {len(shown) - _SHOWN} more on the pages and in results.json"] if len(shown) > _SHOWN else []
    return [*aligned(rows), *more, *_rope_line(shown, name)]


def _effect_row(r: Record) -> tuple[str, ...]:
    from judgestats.report.labels import outcome_key, outcome_label

    outcome = outcome_key(r.outcome)
    known = outcome != "not_estimable"
    numbers = (
        f"{r.mean:+.3f}" if known and r.mean is not None else "",
        f"[{r.lower:+.3f}, {r.upper:+.3f}]" if known and r.lower is not None and r.upper is not None else "",
        f"{r.p_gt_0:.3f}" if known and r.p_gt_0 is not None else "",
    )
    cue = f"{r.cue or ''} {r.polarity or ''}".strip()
    lost = f"{sum(r.n_lost.values())}/{r.n_asked}" if r.n_asked else ""
    planted = "" if r.planted is None else f"{r.planted:+.3f}"
    words = outcome_label(outcome, has_rope=r.rope is not None)
    return (str(r.judge), str(r.domain), cue, *numbers, lost, words, planted)


def _interval_words(record: Record) -> str:
    kinds = {"eti": "interval", "hdi": "HDI"}
    kind = kinds.get(record.ci_kind or "", "interval")
    return "" if record.ci_prob is None else f"{100 * record.ci_prob:g} % {kind}"


def _rope_line(records: Sequence[Record], name: str) -> list[str]:
    ropes = sorted({r.rope for r in records if r.rope is not None})
    if not ropes:
        return []
    text = " and ".join(f"[{low:g}, {high:g}]" for low, high in ropes)
    return [f"ROPE, the region of practical equivalence of {name}: {text}"]


def falsification_lines(rows: Sequence[Falsification] | Sequence[CueFalsification]) -> list[str]:
    """Return permutation p-values as lines of a table."""
    table = [("judge", "domain", "cue", "scheme", "observed", "p", "smallest p", "refits", "distinct")]
    for r in rows:
        refits = str(r.permutations) if r.permutations else "all"
        cue = f"{getattr(r, 'cue', '')} {getattr(r, 'polarity', '')}".strip()
        numbers = (f"{r.observed:+.4f}", f"{r.p_value:.4f}", f"{r.smallest_p:.4f}", refits, str(r.distinct))
        table.append((r.judge, r.domain, cue, r.scheme, *numbers))
    return aligned(table)


def aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return rows as lines with aligned columns; empty columns are left out."""
    keep = [i for i in range(len(rows[0])) if any(row[i] for row in rows[1:])] if len(rows) > 1 else range(len(rows[0]))
    widths = {i: max(len(row[i]) for row in rows) for i in keep}
    return ["  ".join(row[i].ljust(widths[i]) for i in keep).rstrip() for row in rows]
