"""Score catalog: the estimands of scores with their scale, unit, range, words and formula."""

from __future__ import annotations

from judgestats.errors import ConfigError, near_match
from judgestats.estimands.catalog import ESTIMANDS, Estimand, Scale

_INF = float("inf")
_POINTS: tuple[Scale, str, float, float] = ("score_points", "score points", -_INF, _INF)
_SIZE: tuple[Scale, str, float, float] = ("score_points", "score points", 0.0, _INF)
_SD: tuple[Scale, str, float, float] = ("sd_units", "standard deviations", -_INF, _INF)
_PROBABILITY: tuple[Scale, str, float, float] = ("probability", "probability", 0.0, 1.0)

SCORE_ESTIMANDS: dict[str, Estimand] = {
    e.name: e
    for e in (
        Estimand("validity", "validity", *_PROBABILITY, "P(valid)", "P(valid | variant)", None),
        Estimand(
            "validity_difference",
            "validity",
            "probability_difference",
            "difference of probabilities",
            -1.0,
            1.0,
            "difference in P(valid)",
            "P(valid | variant) - P(valid | base)",
            0.0,
        ),
        Estimand(
            "score_shift",
            "shift",
            *_POINTS,
            "score shift",
            "E(score | variant, valid) - E(score | base, valid)",
            0.0,
        ),
        Estimand(
            "spread_shift",
            "shift",
            *_POINTS,
            "spread shift",
            "sd(score | variant, valid) - sd(score | base, valid)",
            0.0,
        ),
        Estimand("cohens_d", "shift", *_SD, "Cohen's d", "score shift / sqrt((sd_base^2 + sd_variant^2) / 2)", 0.0),
        Estimand("cohens_dz", "shift", *_SD, "Cohen's dz", "E(difference) / sd(difference)", 0.0),
        Estimand(
            "wasserstein1",
            "shift",
            *_SIZE,
            "Wasserstein-1 distance",
            "sum over levels of |F_base - F_variant| x step",
            None,
        ),
        Estimand("drop_1", "shift", *_PROBABILITY, "P(drop of 1 or more)", "P(difference <= -1)", None),
        Estimand("drop_2", "shift", *_PROBABILITY, "P(drop of 2 or more)", "P(difference <= -2)", None),
        Estimand(
            "asymmetry",
            "shift",
            *_POINTS,
            "asymmetry of polarities",
            "score shift of the positive polarity + score shift of the negative polarity",
            0.0,
        ),
        Estimand(
            "worst_case_low",
            "joint",
            *_POINTS,
            "worst-case lower bound of the score shift",
            "E(score | variant, lost at the lowest score) - E(score | base, lost at the highest score)",
            None,
        ),
        Estimand(
            "worst_case_high",
            "joint",
            *_POINTS,
            "worst-case upper bound of the score shift",
            "E(score | variant, lost at the highest score) - E(score | base, lost at the lowest score)",
            None,
        ),
        Estimand(
            "instability",
            "shift",
            *_SIZE,
            "instability",
            "sd of the scores of one item asked again, averaged over items as a variance",
            None,
        ),
        Estimand(
            "range_share",
            "shift",
            "share_of_range",
            "share of the range of the scale",
            -1.0,
            1.0,
            "share of the scale",
            "score shift / (highest score - lowest score)",
            None,
        ),
        Estimand(
            "rank",
            "shift",
            "rank",
            "rank, 1 is the largest absolute score shift",
            1.0,
            _INF,
            "rank of the cue",
            "rank of |score shift| among the variants of a judge",
            None,
        ),
        Estimand(
            "heterogeneity",
            "shift",
            *_SIZE,
            "heterogeneity across judges",
            "sd over judges of the score shift",
            None,
        ),
    )
}


def score_estimand(name: str) -> Estimand:
    """Return the entry called `name` as it reads for scores.

    Raises
    ------
    ConfigError
        If there is no such estimand.
    """
    if name not in SCORE_ESTIMANDS:
        raise ConfigError(
            f"estimand {name!r} is not one of scores; {near_match(name, SCORE_ESTIMANDS)}".rstrip("; "),
            allowed=", ".join(SCORE_ESTIMANDS),
            remedy="Name one of these in the analysis or model file.",
        )
    return SCORE_ESTIMANDS[name]


def every_estimand() -> tuple[str, ...]:
    """Return the names of all estimands, of choices and of scores, each once."""
    return tuple(dict.fromkeys((*ESTIMANDS, *SCORE_ESTIMANDS)))
