"""Catalog: the estimands with their scale, unit, range, words and formula."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from judgestats.errors import ConfigError, near_match

Scale = Literal[
    "probability",
    "probability_difference",
    "log_odds",
    "ratio",
    "rank",
    "score_points",
    "sd_units",
    "share_of_range",
]


@dataclass(frozen=True)
class Estimand:
    """What an estimand is, for records, tables and their legends.

    Parameters
    ----------
    name : str
        Name in records.
    stage : {"validity", "shift", "joint"}
        Which stage it needs.
    scale : str
        Scale of its numbers.
    unit : str
        Unit in words.
    lowest, highest : float
        Range.
    words : str
        What the report calls it.
    formula : str
        Plain-text formula; c and i are the congruent and the incongruent block.
    null : float or None
        Value that means "no effect"; None for a level.
    """

    name: str
    stage: Literal["validity", "shift", "joint"]
    scale: Scale
    unit: str
    lowest: float
    highest: float
    words: str
    formula: str
    null: float | None

    @property
    def signed(self) -> bool:
        """Whether it can be negative, so that P(> 0) says something."""
        return self.lowest < 0


_INF = float("inf")
_PROBABILITY: tuple[Scale, str, float, float] = ("probability", "probability", 0.0, 1.0)
_DIFFERENCE: tuple[Scale, str, float, float] = ("probability_difference", "difference of probabilities", -1.0, 1.0)

ESTIMANDS: dict[str, Estimand] = {
    e.name: e
    for e in (
        Estimand("validity", "validity", *_PROBABILITY, "P(valid)", "P(valid | block)", None),
        Estimand(
            "validity_difference",
            "validity",
            *_DIFFERENCE,
            "difference in P(valid)",
            "P(valid | c) - P(valid | i)",
            0.0,
        ),
        Estimand(
            "consistency", "shift", *_PROBABILITY, "P(consistent given valid)", "P(consistent | valid, block)", None
        ),
        Estimand(
            "delta_p", "shift", *_DIFFERENCE, "Delta P", "P(consistent | valid, c) - P(consistent | valid, i)", 0.0
        ),
        Estimand(
            "log_odds",
            "shift",
            "log_odds",
            "log-odds",
            -_INF,
            _INF,
            "log-odds effect",
            "logit P(consistent | valid, c) - logit P(consistent | valid, i)",
            0.0,
        ),
        Estimand(
            "error_ratio",
            "shift",
            "ratio",
            "ratio of error rates",
            0.0,
            _INF,
            "ratio of error rates, incongruent over congruent",
            "P(inconsistent | valid, i) / P(inconsistent | valid, c)",
            1.0,
        ),
        Estimand(
            "delta_p_naive",
            "joint",
            *_DIFFERENCE,
            "naive Delta P (invalid counted inconsistent)",
            "P(valid | c) P(consistent | valid, c) - P(valid | i) P(consistent | valid, i)",
            0.0,
        ),
        Estimand(
            "valid_and_consistent",
            "joint",
            *_PROBABILITY,
            "P(valid and consistent)",
            "P(valid | block) P(consistent | valid, block)",
            None,
        ),
        Estimand(
            "worst_case_low",
            "joint",
            *_DIFFERENCE,
            "worst-case lower bound of Delta P",
            "P(valid and consistent | c) - P(valid and consistent | i) - P(invalid | i)",
            None,
        ),
        Estimand(
            "worst_case_high",
            "joint",
            *_DIFFERENCE,
            "worst-case upper bound of Delta P",
            "P(valid and consistent | c) + P(invalid | c) - P(valid and consistent | i)",
            None,
        ),
        Estimand(
            "contrast",
            "shift",
            "probability_difference",
            "difference of differences of probabilities",
            -2.0,
            2.0,
            "contrast",
            "effect - effect of the reference",
            0.0,
        ),
        Estimand(
            "rank",
            "shift",
            "rank",
            "rank, 1 is the largest Delta P",
            1.0,
            _INF,
            "rank",
            "rank of Delta P in a domain",
            None,
        ),
    )
}


def estimand(name: str, *, of_blocks: bool = False) -> Estimand:
    """Return the catalog entry called `name`.

    Parameters
    ----------
    name : str
        An estimand.
    of_blocks : bool
        Whether a level is meant as its difference over the blocks.

    Raises
    ------
    ConfigError
        If there is no such estimand.
    """
    if name not in ESTIMANDS:
        raise ConfigError(
            f"estimand {name!r} is unknown; {near_match(name, ESTIMANDS)}".rstrip("; "),
            allowed=", ".join(ESTIMANDS),
            remedy="Name one of these in the analysis or model file.",
        )
    entry = ESTIMANDS[name]
    if not of_blocks or entry.scale != "probability":
        return entry
    scale, unit, lowest, highest = _DIFFERENCE
    return replace(entry, scale=scale, unit=unit, lowest=lowest, highest=highest, null=0.0)
