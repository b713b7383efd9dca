"""Score findings: rows that the checks of score models hand to the report, one dataclass per table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RawScores:
    """Plain arithmetic on the scores of one cell and variant; nothing is modelled.

    Parameters
    ----------
    judge, domain, cue, polarity : str
        Cell and variant.
    levels : tuple of int
        Valid scores at each level of the scale, lowest first.
    mean, sd : float or None
        Of the valid scores, score points; None without one (sd: without two).
    n_pairs : int
        Items with a valid score here and a valid base score; 0 for the base itself.
    shift, shift_sd : float or None
        Mean and sd of the paired differences, score points.
    cohens_d, cohens_dz, wasserstein1 : float or None
        On the raw scores of the pairs.
    drop_1, drop_2 : float or None
        Share of pairs whose difference is <= -1 and <= -2 score points.
    moved : int
        Pairs whose scores differ.
    """

    judge: str
    domain: str
    cue: str
    polarity: str
    levels: tuple[int, ...]
    mean: float | None
    sd: float | None
    n_pairs: int = 0
    shift: float | None = None
    shift_sd: float | None = None
    cohens_d: float | None = None
    cohens_dz: float | None = None
    wasserstein1: float | None = None
    drop_1: float | None = None
    drop_2: float | None = None
    moved: int = 0


@dataclass(frozen=True)
class CueFalsification:
    """Permutation falsification of one cell and variant: variant and base labels swapped within item pairs.

    Parameters
    ----------
    judge, domain, cue, polarity : str
        Cell and variant.
    scheme : {"within_item"}
        Signs of the paired differences are flipped.
    statistic : {"raw_difference", "posterior_mean"}
        Statistic of observed and permuted data alike.
    observed : float
        Mean paired difference, score points.
    null : tuple of float
        Statistic of every permuted data set.
    permutations, distinct : int
        m, and how many distinct data sets were among them; m is 0 where all were enumerated.
    p_value, smallest_p : float
        Two-sided p, twice the smaller one-sided (b + 1)/(m + 1), and the smallest that the design can reach.
    p_max : float or None
        p of the smallest p over all cells and variants.
    notes : tuple of str
        Sentences for the page.
    """

    judge: str
    domain: str
    cue: str
    polarity: str
    scheme: str
    statistic: str
    observed: float
    null: tuple[float, ...]
    permutations: int
    distinct: int
    p_value: float
    smallest_p: float
    p_max: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoreSensitivity:
    """One alternative analysis of one shift.

    Parameters
    ----------
    judge, domain, cue, polarity : str
        Cell and variant.
    kind : {"prior", "pooling", "model", "loss_rule", "room"}
        What was varied; ``room`` is the effect on items whose base score leaves room both ways.
    setting : str
        The alternative in words.
    estimand, version : str
        What was estimated.
    mean, lower, upper, p_gt_0 : float or None
        The estimate, on the scale of the estimand.
    outcome : str or None
        Outcome of the decision rule.
    note : str
        A sentence where one is needed.
    """

    judge: str
    domain: str
    cue: str
    polarity: str
    kind: str
    setting: str
    estimand: str
    version: str = "marginal"
    mean: float | None = None
    lower: float | None = None
    upper: float | None = None
    p_gt_0: float | None = None
    outcome: str | None = None
    note: str = ""


@dataclass(frozen=True)
class ScorePredictive:
    """Observed share of one level against the posterior predictive distribution.

    ``level`` is a score; ``lower`` and ``upper`` are the 95 % equal-tailed predictive interval of the share, ``p_tail`` the mid-p
    tail probability.
    """

    judge: str
    domain: str
    cue: str
    polarity: str
    level: float
    observed: float
    mean: float
    lower: float
    upper: float
    p_tail: float
