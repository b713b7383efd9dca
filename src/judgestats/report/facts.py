"""Facts: the frozen, rounded-once record between findings and pages.

HTML, Markdown, JSON and the methods text print what stands here and nothing else. `judgestats.report.gather` fills it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from judgestats.checks.falsification import Falsification
from judgestats.checks.finding import DensityRow, ItemRow, LooRow, PredictiveRow, PriorRow, SensitivityRow
from judgestats.draws.gate import GateRow, GateStatus
from judgestats.report.findings import AnalysisCard
from judgestats.report.numbers import Number
from judgestats.trials.cell import Cell


@dataclass(frozen=True)
class Estimate:
    """One record, rounded.

    ``judge`` and ``domain`` are those of the record (empty where it is about all); ``factor`` says what a contrast
    compares, ``judge`` or ``domain``, and ``label`` names both sides.
    Every number of an estimate has the same decimals (see `judgestats.report.numbers.decimals`), on the scale `scale`.
    """

    judge: str
    domain: str
    estimand: str
    version: str | None
    block: str | None
    stage: str
    scale: str
    setting: str | None
    reference: str | None
    target: str | None
    factor: str | None
    label: str
    median: Number
    mean: Number
    sd: Number
    lower: Number
    upper: Number
    interval: str
    ci_prob: float | None
    p_gt_0: Number
    p_rope: Number
    p_rope_prior: Number
    rope: tuple[Number, Number] | None
    rhat: Number
    ess_bulk: Number
    ess_tail: Number
    mcse: Number
    n_asked: Number
    n_valid: Number
    planted: Number
    outcome: str | None
    gate: str | None
    engine: str = ""

    @property
    def excludes_zero(self) -> bool | None:
        """Whether the interval lies on one side of 0; None without an interval."""
        if self.lower.value is None or self.upper.value is None:
            return None
        return self.lower.value > 0 or self.upper.value < 0

    @property
    def prior_only(self) -> bool:
        """Whether the trials do not inform it, so that its numbers are those of the prior."""
        return self.outcome == "not_estimable"

    @property
    def on_grid(self) -> bool:
        """Whether the exact engine takes it from its grid, without drawing: one stage of one cell, not its observed items."""
        joined = self.stage == "joint" or self.estimand in ("contrast", "rank") or not self.domain
        return self.engine == "exact" and not joined and self.version != "in_sample"


@dataclass(frozen=True)
class BlockLoss:
    """Trials asked and what they were lost to, in one block of one cell."""

    block: str
    asked: int
    valid: int
    lost_to: dict[str, int]
    loss: Number

    @property
    def lost(self) -> int:
        """Trials without a valid answer."""
        return self.asked - self.valid


@dataclass(frozen=True)
class LossFacts:
    """Stage A of one cell: counts, validity by block and what the loss could hide.

    ``dependence`` is ``one_block`` (a block was never asked), ``none_lost``, ``depends`` (the interval of the difference
    excludes 0), ``no_sign`` (it does not) or ``unknown`` (no difference was estimated).
    """

    blocks: tuple[BlockLoss, ...]
    loss: Number
    validity: tuple[Estimate, ...]
    difference: Estimate | None
    bounds: tuple[Estimate, ...]
    naive: Estimate | None
    jointly: tuple[Estimate, ...]
    dependence: str

    @property
    def asked(self) -> int:
        """Trials asked in a block; those without one enter neither stage."""
        return sum(block.asked for block in self.blocks if block.block != "none")

    @property
    def valid(self) -> int:
        """Trials asked in a block and answered validly."""
        return sum(block.valid for block in self.blocks if block.block != "none")

    @property
    def lost(self) -> int:
        """Trials without a valid answer."""
        return self.asked - self.valid

    @property
    def unasked(self) -> tuple[str, ...]:
        """Blocks in which no trial was asked."""
        asked = {block.block for block in self.blocks if block.asked}
        return tuple(name for name in ("congruent", "incongruent") if name not in asked)

    def block(self, name: str) -> BlockLoss | None:
        """Return the counts of one block, None where the cell has none."""
        return next((b for b in self.blocks if b.block == name), None)


@dataclass(frozen=True)
class Separation:
    """A block (or both) in which every valid answer was of one kind.

    ``rule_of_three`` is 3/n, the classical 95 % upper bound of a probability of which n independent trials showed no event,
    below 30 trials its exact form 1 - .05^(1/n) (Hanley & Lippman-Hand 1983, doi 10.1001/jama.1983.03330370053031).
    """

    congruent_n: int
    congruent_k: int
    incongruent_n: int
    incongruent_k: int
    rule_of_three: tuple[Number, Number]

    @property
    def complete(self) -> bool:
        """Whether both blocks are constant and equal, so nothing but the prior bounds the effect away from 0."""
        kinds = {self.congruent_k / self.congruent_n, self.incongruent_k / self.incongruent_n}
        return kinds in ({0.0}, {1.0})


@dataclass(frozen=True)
class GateFacts:
    """The verdict on the computation of one cell.

    ``status`` is ``pass``, ``warn``, ``fail`` or ``undefined`` (no criterion could be computed).
    """

    status: GateStatus
    words: str
    rows: tuple[GateRow, ...]
    failing: tuple[GateRow, ...]


@dataclass(frozen=True)
class CellFacts:
    """Everything that the page of one judge and domain prints."""

    cell: Cell
    judge: str
    domain: str
    path: str
    loss: LossFacts
    headline: Estimate | None
    estimates: tuple[Estimate, ...]
    contrasts: tuple[Estimate, ...]
    separation: Separation | None
    gate: GateFacts
    items: tuple[ItemRow, ...]
    n_items: int | None
    trials_per_item: int | None
    predictive: tuple[PredictiveRow, ...]
    loo: tuple[LooRow, ...]
    sensitivity: tuple[SensitivityRow, ...]
    falsification: tuple[Falsification, ...]
    density: DensityRow | None
    notes: tuple[str, ...]
    success: str = "consistent"
    failure: str = "inconsistent"

    @property
    def places(self) -> int:
        """Decimals of the headline effect, which its alternatives and permutations share."""
        return 3 if self.headline is None else max(2, len(self.headline.mean.text.partition(".")[2]))

    @property
    def quotable(self) -> bool:
        """Whether a headline number may be printed large: there is one, it was estimable and the gate is not red."""
        return self.gate.status != "fail" and self.estimable

    @property
    def estimable(self) -> bool:
        """Whether the data say anything about the headline effect."""
        head = self.headline
        return head is not None and head.mean.value is not None and head.outcome != "not_estimable"


@dataclass(frozen=True)
class ReportFacts:
    """Everything that a report prints."""

    analysis: AnalysisCard
    cells: tuple[CellFacts, ...]
    ranks: tuple[Estimate, ...]
    contrasts: tuple[Estimate, ...]
    averages: tuple[Estimate, ...]
    priors: tuple[PriorRow, ...]
    rope: tuple[Number, Number]
    version: str
    date: str
    warnings: tuple[str, ...]
    joint_claims: tuple[str, ...]
    notes: tuple[str, ...]
    provenance: dict[str, Any] = field(default_factory=dict)

    def cell(self, judge: str, domain: str) -> CellFacts:
        """Return the facts of one cell; KeyError where there is none."""
        for facts in self.cells:
            if facts.cell == Cell(judge, domain):
                return facts
        raise KeyError((judge, domain))
