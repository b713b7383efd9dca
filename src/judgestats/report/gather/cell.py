"""Facts of one judge and domain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from judgestats.checks.finding import DensityRow, ItemRow, SensitivityRow
from judgestats.draws.record import Record
from judgestats.report.facts import CellFacts, Estimate, Separation
from judgestats.report.findings import AnalysisCard, Findings
from judgestats.report.gather.estimate import estimate
from judgestats.report.gather.gate import gate_facts
from judgestats.report.gather.loss import loss_facts
from judgestats.report.labels import setting_label, visible
from judgestats.report.numbers import significant
from judgestats.trials.cell import Cell

EFFECT = "delta_p"
RULE_OF_THREE_FROM = 30  # Hanley & Lippman-Hand 1983
EVERY_DOMAIN = "(all domains)"  # checks of a judge as a whole


def cell_facts(findings: Findings, cell: Cell, path: str) -> CellFacts:
    """Return the facts of `cell`, whose page lies at `path`."""
    mine = [r for r in findings.records if (r.judge, r.domain) == (cell.judge, cell.domain)]
    card = findings.analysis
    estimates = tuple(estimate(r, card.success_word) for r in mine if r.estimand not in ("contrast", "rank"))
    items = tuple(row for row in findings.items if (row.judge, row.domain) == (cell.judge, cell.domain))
    shift = [row for row in items if row.stage == "shift"]
    return CellFacts(
        cell=cell,
        judge=visible(cell.judge),
        domain=visible(cell.domain),
        path=path,
        loss=loss_facts([c for c in findings.counts if (c.judge, c.domain) == (cell.judge, cell.domain)], estimates),
        headline=_headline(mine, card.success_word),
        estimates=estimates,
        contrasts=effect_first(
            (r for r in findings.records if r.estimand == "contrast" and _compares(r, cell)), card.success_word
        ),
        separation=_separation(shift),
        gate=gate_facts(findings.gates, cell),
        items=items,
        n_items=len({row.item for row in items}) if items else None,
        trials_per_item=max((row.congruent_n + row.incongruent_n for row in shift), default=None),
        predictive=tuple(
            r for r in findings.predictive if r.judge == cell.judge and r.domain in (cell.domain, EVERY_DOMAIN)
        ),
        loo=tuple(r for r in findings.loo if (r.judge, r.domain) == (cell.judge, cell.domain)),
        sensitivity=tuple(
            _shown(r, card) for r in findings.sensitivity if (r.judge, r.domain) == (cell.judge, cell.domain)
        ),
        falsification=tuple(r for r in findings.falsification if (r.judge, r.domain) == (cell.judge, cell.domain)),
        density=_density(findings.densities, cell),
        notes=cell_notes(findings.notes, cell),
        success=card.success_word,
        failure=card.failure_word,
    )


def effect_first(records: Iterable[Record], success: str) -> tuple[Estimate, ...]:
    """Return contrasts or ranks rounded, those of the effect before those of validity."""
    return tuple(estimate(r, success) for r in sorted(records, key=lambda r: r.target not in (None, EFFECT)))


def _compares(record: Record, cell: Cell) -> bool:
    """Whether `cell` is one side of a contrast."""
    if record.cue == "judge":
        return record.domain == cell.domain and cell.judge in (record.judge, record.reference)
    if record.cue == "domain":
        return record.judge == cell.judge and cell.domain in (record.domain, record.reference)
    return (record.judge, record.domain) == (cell.judge, cell.domain)


def _shown(row: SensitivityRow, card: AnalysisCard) -> SensitivityRow:
    """Return a row whose words, which may hold an item's name, can be printed."""
    setting = setting_label(row.setting, card.success_word, card.failure_word)
    return replace(row, setting=visible(setting), note=visible(row.note))


def _headline(records: Sequence[Record], success: str) -> Estimate | None:
    """Return the marginal Delta P of the main setting: the first record where settings differ."""
    found = [r for r in records if r.estimand == EFFECT and r.version in (None, "marginal") and r.block is None]
    return estimate(found[0], success) if found else None


def _separation(shift: Sequence[ItemRow]) -> Separation | None:
    """Return the counts where a block's valid answers are all consistent or all inconsistent."""
    n_c, k_c = sum(r.congruent_n for r in shift), sum(r.congruent_k for r in shift)
    n_i, k_i = sum(r.incongruent_n for r in shift), sum(r.incongruent_k for r in shift)
    if n_c == 0 or n_i == 0 or (0 < k_c < n_c and 0 < k_i < n_i):
        return None
    return Separation(n_c, k_c, n_i, k_i, (significant(_zero_bound(n_c), 2), significant(_zero_bound(n_i), 2)))


def _zero_bound(n: int) -> float:
    """Return the 95 % upper bound of a probability after `n` independent trials without an event.

    The rule of three, 3/n, approximates 1 - .05^(1/n); below 30 trials it is too wide, below 3 no probability at all.
    """
    return float(3 / n if n >= RULE_OF_THREE_FROM else 1 - 0.05 ** (1 / n))


def _density(rows: Sequence[DensityRow], cell: Cell) -> DensityRow | None:
    found = [r for r in rows if (r.judge, r.domain, r.estimand) == (cell.judge, cell.domain, EFFECT)]
    marginal = [r for r in found if r.version in ("", "marginal")]
    return next(iter(marginal or found), None)


def cell_notes(notes: dict[str, tuple[str, ...]], cell: Cell) -> tuple[str, ...]:
    """Return the notes filed under this cell: ``judge x domain``, also with a stage in front (``shift: judge x domain``)."""
    name = str(cell)
    mine = [text for key, texts in notes.items() if key == name or key.endswith(f": {name}") for text in texts]
    return tuple(dict.fromkeys(visible(text) for text in mine))
