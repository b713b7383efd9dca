"""Score findings: everything a report on scores is made from, complete and serialisable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from judgestats.checks.finding import PriorRow
from judgestats.checks.score_finding import CueFalsification, RawScores, ScorePredictive, ScoreSensitivity
from judgestats.draws.gate import GateRow
from judgestats.draws.record import Record
from judgestats.report.findings import AnalysisCard
from judgestats.trials.cell import Cell
from judgestats.trials.table import Score
from judgestats.trials.variant import Variant


@dataclass(frozen=True)
class VariantCount:
    """How many trials of one cell and variant came back with one status."""

    judge: str
    domain: str
    cue: str
    polarity: str
    status: str
    n: int


@dataclass(frozen=True)
class ScoreFindings:
    """Everything a report on scores is made from.

    The report computes no statistic of its own. Records of a cell carry ``cue`` and ``polarity``; the base has cue ``base``.
    Aggregates over cues have the cue ``positive-5``, ``positive-7`` or ``negative-7``; over judges, judge None.
    ``placebo`` names the cues that are neutral notes: the noise floor of every other cue.
    """

    analysis: AnalysisCard
    scale: Score
    cells: tuple[Cell, ...]
    variants: tuple[Variant, ...]
    counts: tuple[VariantCount, ...]
    raw: tuple[RawScores, ...]
    records: tuple[Record, ...]
    gates: tuple[GateRow, ...]
    priors: tuple[PriorRow, ...]
    predictive: tuple[ScorePredictive, ...]
    sensitivity: tuple[ScoreSensitivity, ...]
    falsification: tuple[CueFalsification, ...]
    warnings: tuple[str, ...]
    provenance: dict[str, Any]
    placebo: tuple[str, ...] = ()
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
