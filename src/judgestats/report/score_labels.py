"""Score labels: the words and units that pages of scores use for estimands, stages and outcomes."""

from __future__ import annotations

import re

SCORE_ESTIMAND_WORDS = {
    "validity": "P(valid)",
    "validity_difference": "difference in P(valid), variant minus base",
    "score_shift": "score shift",
    "spread_shift": "spread shift",
    "cohens_d": "Cohen's d",
    "cohens_dz": "Cohen's dz",
    "wasserstein1": "Wasserstein-1 distance",
    "drop_1": "P(falls by 1 point or more)",
    "drop_2": "P(falls by 2 points or more)",
    "asymmetry": "asymmetry",
    "worst_case_low": "lowest score shift the lost trials allow",
    "worst_case_high": "highest score shift the lost trials allow",
    "range_share": "shift as a share of the range",
    "heterogeneity": "sd of the shift over judges",
    "instability": "sd over repeats",
    "contrast": "contrast",
    "rank": "rank",
}

POINTS, SD, PROBABILITY = "points", "sd", "probability"
UNITS = {
    "validity": PROBABILITY,
    "validity_difference": PROBABILITY,
    "score_shift": POINTS,
    "spread_shift": POINTS,
    "cohens_d": SD,
    "cohens_dz": SD,
    "wasserstein1": POINTS,
    "drop_1": PROBABILITY,
    "drop_2": PROBABILITY,
    "asymmetry": POINTS,
    "worst_case_low": POINTS,
    "worst_case_high": POINTS,
    "range_share": "share of range",
    "heterogeneity": POINTS,
    "instability": POINTS,
}

EFFECTS = ("score_shift", "spread_shift", "cohens_d", "wasserstein1", "drop_1", "drop_2")
"""Columns of the grid of a page, in order."""

SCORE_STAGE_WORDS = {
    "validity": "stage A, validity",
    "moved": "stage B, did the score move",
    "shift": "stage B, score given valid",
    "joint": "both stages",
}

SCORE_SENSITIVITY_WORDS = {
    "prior": "Other priors (refits)",
    "pooling": "Pooling of cells",
    "model": "Another model of the scores",
    "loss_rule": "Treatment of lost trials",
}

OUTCOME_SHORT = {
    "beyond": "beyond the ROPE",
    "inside": "inside the ROPE",
    "undecided": "undecided",
    "not_resolved": "not resolved",
    "not_estimable": "not estimable",
}

POLARITY_WORDS = {"pos": "positive", "neg": "negative", "": ""}

AGGREGATE = re.compile(r"(positive|negative)-(\d+)")
"""Name of a mean over all cues of one polarity, with their number, such as ``positive-5``."""


def is_aggregate(cue: str | None) -> bool:
    """Whether `cue` names an aggregate over cues."""
    return cue is not None and AGGREGATE.fullmatch(cue) is not None


def aggregate_words(cue: str) -> str:
    """Return the words for an aggregate, e.g. ``mean of 5 positive cues (positive-5)``; empty for a single cue."""
    found = AGGREGATE.fullmatch(cue)
    return "" if found is None else f"mean of {found[2]} {found[1]} cues ({cue})"


def score_estimand_label(name: str) -> str:
    """Return the words for an estimand of scores, its own name without underscores where there are none."""
    return SCORE_ESTIMAND_WORDS.get(name, name.replace("_", " "))


def with_unit(name: str) -> str:
    """Return the words for an estimand with its unit, e.g. ``score shift (points)``."""
    unit = UNITS.get(name)
    return score_estimand_label(name) + (f" ({unit})" if unit else "")


def score_stage(stage: str) -> str:
    """Return the words for a stage of a score model."""
    return SCORE_STAGE_WORDS.get(stage, stage)


def places(text: str) -> int:
    """Return the decimals of a printed number."""
    return len(text.partition(".")[2])
