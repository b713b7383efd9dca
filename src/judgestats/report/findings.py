"""Findings: everything a report is made from, complete and serialisable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from judgestats.checks.falsification import Falsification
from judgestats.checks.finding import DensityRow, ItemRow, LooRow, PredictiveRow, PriorRow, SensitivityRow
from judgestats.draws.gate import GateRow
from judgestats.draws.record import Record
from judgestats.trials.cell import Cell


@dataclass(frozen=True)
class AnalysisCard:
    """What was asked and how, as fixed before the run.

    Parameters
    ----------
    name, title, question : str
        Identity of the analysis.
    design : str
        How trials came about, a sentence or two.
    judges, domains : tuple of str
        Declared order for the index.
    model, model_title : str
        The model.
    formulas : dict of str to str
        Plain-text formula of each stage.
    options : dict
        Model options.
    engine, engine_why : dict of str to str
        Engine and reason by stage.
    ci_prob, ci_kind : float, str
        Interval probability and kind (``eti``).
    rope : tuple of float
        ROPE of Delta P.
    decision_rule : str
        The rule in words.
    seed : int
        Root seed.
    effect_name, effect_definition : str
        What Delta P means in this design, in words.
    limitations : tuple of str
        Stimuli, language, snapshot date, temperature ...
    simulated : bool
        Whether the trials are simulated, with planted values.
    pooling : str
        ``none`` or ``partial``.
    has_clusters : bool
        Whether a second intercept was fitted.
    success_word : str
        What a success of the consistency stage is, as a word before "answer": ``consistent`` where blocks instruct the
        judge, else the label that is counted (free assignment).
    """

    name: str
    title: str
    question: str
    design: str
    judges: tuple[str, ...]
    domains: tuple[str, ...]
    model: str
    model_title: str
    formulas: dict[str, str]
    options: dict[str, Any]
    engine: dict[str, str]
    engine_why: dict[str, str]
    ci_prob: float
    ci_kind: str
    rope: tuple[float, float]
    decision_rule: str
    seed: int
    effect_name: str = "Delta P"
    effect_definition: str = "P(consistent | congruent, valid) - P(consistent | incongruent, valid)"
    limitations: tuple[str, ...] = ()
    simulated: bool = False
    pooling: str = "none"
    has_clusters: bool = False
    success_word: str = "consistent"

    @property
    def plain_success(self) -> bool:
        """Whether a success is an answer consistent with the instruction."""
        return self.success_word == "consistent"

    @property
    def failure_word(self) -> str:
        """What an answer is that is no success."""
        return "inconsistent" if self.plain_success else f"not {self.success_word}"


@dataclass(frozen=True)
class StatusCount:
    """How many trials of one cell and block came back with one status; ``block`` is ``none`` for trials without one."""

    judge: str
    domain: str
    block: str
    status: str
    n: int


@dataclass(frozen=True)
class Findings:
    """Everything a report is made from.

    The report computes no statistic of its own: every number on a page is a field of this object, rounded once in
    ``report/facts.py``.
    """

    analysis: AnalysisCard
    cells: tuple[Cell, ...]
    counts: tuple[StatusCount, ...]
    records: tuple[Record, ...]
    gates: tuple[GateRow, ...]
    priors: tuple[PriorRow, ...]
    predictive: tuple[PredictiveRow, ...]
    items: tuple[ItemRow, ...]
    loo: tuple[LooRow, ...]
    sensitivity: tuple[SensitivityRow, ...]
    falsification: tuple[Falsification, ...]
    densities: tuple[DensityRow, ...]
    warnings: tuple[str, ...]
    provenance: dict[str, Any]
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
