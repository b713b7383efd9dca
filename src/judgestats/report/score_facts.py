"""Score facts: the frozen, rounded-once record between score findings and pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from judgestats.checks.finding import PriorRow
from judgestats.checks.score_finding import CueFalsification, RawScores, ScorePredictive, ScoreSensitivity
from judgestats.draws.record import Record
from judgestats.report.facts import Estimate, GateFacts
from judgestats.report.findings import AnalysisCard
from judgestats.report.numbers import Number
from judgestats.trials.cell import Cell
from judgestats.trials.table import Score
from judgestats.trials.variant import Variant


@dataclass(frozen=True)
class VariantFacts:
    """Everything that the page of a cell prints about one variant.

    ``effects`` are the estimates of the main setting by estimand; ``other`` the shift under the other pooling. ``name`` is
    printable. For a placebo ``placebo`` is true.
    """

    variant: Variant
    name: str
    placebo: bool
    asked: int
    valid: int
    lost_to: dict[str, int]
    loss: Number
    effects: dict[str, Estimate]
    other: Estimate | None
    raw: RawScores | None
    falsification: CueFalsification | None
    sensitivity: tuple[ScoreSensitivity, ...]
    predictive: tuple[ScorePredictive, ...]

    @property
    def lost(self) -> int:
        """Trials without a valid answer."""
        return self.asked - self.valid

    @property
    def shift(self) -> Estimate | None:
        """The score shift."""
        return self.effects.get("score_shift")

    @property
    def estimable(self) -> bool:
        """Whether the shift has a number that the trials inform."""
        shift = self.shift
        return shift is not None and shift.median.value is not None and shift.outcome != "not_estimable"

    @property
    def standing(self) -> str:
        """Outcome of the rule; ``excludes`` or ``includes`` 0 where there is no ROPE; ``none`` without an estimate."""
        shift = self.shift
        if shift is None or shift.median.value is None:
            return "none"
        if shift.outcome is not None and (shift.rope is not None or shift.outcome.startswith("not_")):
            return shift.outcome
        return "excludes" if shift.excludes_zero else "includes"

    @property
    def up(self) -> bool:
        """Whether the shift is positive."""
        return self.shift is not None and (self.shift.median.value or 0.0) > 0


@dataclass(frozen=True)
class NoiseFloor:
    """Outermost ends of the intervals of the placebo cues: shifts of this size come without any evaluative content."""

    lower: Number
    upper: Number
    names: tuple[str, ...]

    @property
    def words(self) -> str:
        """The range, e.g. ``-0.08 to 0.11 points``."""
        return f"{self.lower} to {self.upper} points"


@dataclass(frozen=True)
class ScoreCellFacts:
    """Everything that the page of one judge and domain prints.

    The base is the first of ``variants``; ``paired`` are the sensitivity rows about both polarities of a cue.
    """

    cell: Cell
    judge: str
    domain: str
    path: str
    variants: tuple[VariantFacts, ...]
    asymmetries: tuple[Estimate, ...]
    aggregates: tuple[Estimate, ...]
    floor: NoiseFloor | None
    gate: GateFacts
    records: tuple[Record, ...]
    paired: tuple[ScoreSensitivity, ...]
    notes: tuple[str, ...]

    @property
    def base(self) -> VariantFacts | None:
        """The base variant."""
        return next((v for v in self.variants if v.variant.is_base), None)

    @property
    def shifted(self) -> tuple[VariantFacts, ...]:
        """Every variant but the base."""
        return tuple(v for v in self.variants if not v.variant.is_base)

    @property
    def cues(self) -> tuple[VariantFacts, ...]:
        """Every variant that is neither the base nor a placebo."""
        return tuple(v for v in self.shifted if not v.placebo)

    @property
    def placebos(self) -> tuple[VariantFacts, ...]:
        """The placebo variants."""
        return tuple(v for v in self.shifted if v.placebo)

    @property
    def quotable(self) -> bool:
        """Whether numbers may be printed large."""
        return self.gate.status != "fail" and any(v.estimable for v in self.shifted)

    @property
    def asked(self) -> int:
        """Trials asked."""
        return sum(v.asked for v in self.variants)

    @property
    def valid(self) -> int:
        """Trials answered validly."""
        return sum(v.valid for v in self.variants)

    @property
    def lost(self) -> int:
        """Trials without a valid answer."""
        return self.asked - self.valid

    @property
    def unequal(self) -> tuple[VariantFacts, ...]:
        """Variants whose difference in validity to the base excludes 0."""
        found = ((v, v.effects.get("validity_difference")) for v in self.shifted)
        return tuple(v for v, e in found if e is not None and e.excludes_zero and v.lost + (self.base_lost) > 0)

    @property
    def base_lost(self) -> int:
        """Lost trials of the base."""
        return 0 if self.base is None else self.base.lost


@dataclass(frozen=True)
class Ranked:
    """The shift of one cue of one judge as a share of the range of the scale."""

    judge: str
    domain: str
    name: str
    place: int
    shift: Estimate
    share: Number
    share_lower: Number
    share_upper: Number
    rank: Estimate | None


@dataclass(frozen=True)
class ScoreReportFacts:
    """Everything that a report on scores prints.

    ``averages`` are records about no single cell, keyed by (judge, cue, polarity, estimand, setting) in their own fields.
    """

    analysis: AnalysisCard
    scale: Score
    cells: tuple[ScoreCellFacts, ...]
    variants: tuple[Variant, ...]
    names: dict[Variant, str]
    placebo: tuple[str, ...]
    averages: tuple[tuple[Record, Estimate], ...]
    between: tuple[tuple[Record, Estimate], ...]
    shifts: tuple[tuple[Record, Estimate], ...]
    ranking: tuple[Ranked, ...]
    priors: tuple[PriorRow, ...]
    rope: tuple[Number, Number]
    version: str
    date: str
    warnings: tuple[str, ...]
    joint_claims: tuple[str, ...]
    notes: tuple[str, ...]
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def range_words(self) -> str:
        """The scale, e.g. ``1 to 10 in steps of 1``."""
        return f"{self.scale.lowest:g} to {self.scale.highest:g} in steps of {self.scale.step:g}"

    @property
    def rope_words(self) -> str:
        """The ROPE, e.g. ``[-0.15, 0.15] points``."""
        return f"[{self.rope[0]}, {self.rope[1]}] points"

    @property
    def interval_words(self) -> str:
        """Probability and kind of the intervals, e.g. ``95 % (eti)``."""
        return f"{100 * self.analysis.ci_prob:g} % ({self.analysis.ci_kind})"

    def cell(self, judge: str, domain: str) -> ScoreCellFacts:
        """Return the facts of one cell; KeyError where there is none."""
        for facts in self.cells:
            if facts.cell == Cell(judge, domain):
                return facts
        raise KeyError((judge, domain))
