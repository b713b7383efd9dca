"""Findings: rows that the checks hand to the report, one dataclass per table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SensitivityRow:
    """One alternative analysis of one effect.

    Parameters
    ----------
    judge, domain : str
        The cell.
    kind : {"prior", "power_scaling", "loss_rule", "pooling", "leave_one_out", "stage_correlation"}
        What was varied.
    setting : str
        The alternative in words, e.g. ``block effect N(0, 2.5)`` or ``invalid counted inconsistent``.
    estimand, version : str
        What was estimated.
    mean, lower, upper, p_gt_0 : float or None
        The estimate under the alternative; probability scale for Delta P.
    outcome : str or None
        Outcome of the decision rule under the alternative.
    value : float or None
        Sensitivity index where the row is an index (power-scaling).
    note : str
        A sentence where one is needed.
    """

    judge: str
    domain: str
    kind: str
    setting: str
    estimand: str
    version: str
    mean: float | None = None
    lower: float | None = None
    upper: float | None = None
    p_gt_0: float | None = None
    outcome: str | None = None
    value: float | None = None
    note: str = ""


@dataclass(frozen=True)
class PriorRow:
    """One prior with what it implies on the probability scale."""

    stage: str
    parameter: str
    meaning: str
    prior: str
    implied: str
    reason: str


@dataclass(frozen=True)
class PredictiveRow:
    """One observed statistic against its predictive distribution.

    Parameters
    ----------
    source : {"prior", "posterior"}
        Which predictive distribution.
    stage, judge, domain : str
        What is checked.
    block : str or None
        The block, None for a check over both.
    statistic : str
        ``rate``, ``items_with_k_successes=2``, ``variance_over_items`` ...
    observed : float or None
        The observed value; None for quantities without one (prior Delta P).
    mean, lower, upper : float
        Predictive mean and 95 % equal-tailed interval.
    p_tail : float or None
        Mid-p tail probability P(T_rep > T) + P(T_rep = T)/2.
    replicates : {"new items", "same items", "parameter"}
        What was replicated: new items (and clusters) drawn from the fitted distribution of effects, the same items with
        their own effects, or no data at all (the row is about a parameter).
    """

    source: str
    stage: str
    judge: str
    domain: str
    block: str | None
    statistic: str
    observed: float | None
    mean: float
    lower: float
    upper: float
    p_tail: float | None = None
    replicates: str = "new items"


@dataclass(frozen=True)
class ItemRow:
    """One item of one cell: raw counts, shrunken rates and influence.

    ``effect_*`` are item effects on the log-odds scale; ``influence`` is Delta P (marginal, posterior mean) without
    the item minus Delta P with it, None where it was not computed.
    """

    judge: str
    domain: str
    item: str
    stage: str
    congruent_n: int
    congruent_k: int
    incongruent_n: int
    incongruent_k: int
    effect_mean: float
    effect_lower: float
    effect_upper: float
    influence: float | None = None


@dataclass(frozen=True)
class LooRow:
    """Leave-one-item-out cross-validation of one stage and cell; the unit is the item, its effect integrated out.

    ``elpd`` is a sum over units of log predictive densities (nats), without the binomial constant. ``unit`` says
    what was left out: ``item``, ``cluster`` (where clusters hold whole items) or ``item given the sampled cluster
    effects``; ``n_items`` counts units.
    """

    stage: str
    judge: str
    domain: str
    elpd: float
    se: float
    p_loo: float
    n_items: int
    pareto_k_max: float | None
    share_k_over_07: float | None
    elpd_exact: float | None = None
    unit: str = "item"


@dataclass(frozen=True)
class DensityRow:
    """A posterior density curve for a half-eye figure; x on the scale of the estimand, y a density."""

    judge: str
    domain: str
    estimand: str
    version: str
    x: tuple[float, ...]
    y: tuple[float, ...]
