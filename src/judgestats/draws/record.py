"""Record: one reported quantity of one cell, the row of ``results.json``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Record:
    """One headline row; a key that does not apply is None.

    The keys are those of the ``results.json`` schema. ``mcse_end`` is the larger error of the two ends of the interval.
    Probabilities and differences are on the probability scale, ratios and log-odds on their own; ``scale`` says which.
    """

    judge: str | None
    domain: str | None
    estimand: str
    stage: str
    model: str
    engine: str
    scale: str
    version: str | None = None
    block: str | None = None
    cue: str | None = None
    polarity: str | None = None
    cue_strength: float | None = None
    prompt_config: str | None = None
    setting: str | None = None
    reference: str | None = None
    target: str | None = None
    mean: float | None = None
    median: float | None = None
    sd: float | None = None
    lower: float | None = None
    upper: float | None = None
    ci_prob: float | None = None
    ci_kind: str | None = None
    p_gt_0: float | None = None
    p_rope: float | None = None
    p_rope_prior: float | None = None
    rope: tuple[float, float] | None = None
    rhat: float | None = None
    ess_bulk: float | None = None
    ess_tail: float | None = None
    mcse: float | None = None
    mcse_end: float | None = None
    n_asked: int | None = None
    n_valid: int | None = None
    n_lost: dict[str, int] = field(default_factory=dict)
    layer: int | None = None
    estimator: str | None = None
    control: str | None = None
    split: str | None = None
    threshold: float | None = None
    gate: str | None = None
    outcome: str | None = None
    planted: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-ready built-in types."""
        return asdict(self)
