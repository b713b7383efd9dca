"""Score source: what an analysis declares about scores, the scale and the codes that stand for a failed call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgestats.errors import ConfigError, near_match
from judgestats.trials.table import Score

KEYS: tuple[str, ...] = ("lowest", "highest", "step", "error_codes")
WHERE = "[trials.score]"


@dataclass(frozen=True)
class ScoreSource:
    """``[trials.score]``: the scale, declared and never inferred from the data.

    Parameters
    ----------
    scale : Score
        Lowest and highest score and the step.
    error_codes : tuple of float
        Numbers in the column ``score`` that say that the call of the judge failed, such as -1; such a trial has the
        status error and no score.
    """

    scale: Score
    error_codes: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        inside = [code for code in self.error_codes if self.scale.lowest <= code <= self.scale.highest]
        if inside:
            raise ConfigError(
                f"{WHERE}: the error code {inside[0]:g} lies on the scale from {self.scale.lowest:g} to "
                f"{self.scale.highest:g}",
                allowed="error codes below the lowest or above the highest score",
                remedy="correct `error_codes`: a number cannot be both a score and a failed call",
            )

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> ScoreSource:
        """Build from the section of an analysis.

        Raises
        ------
        ConfigError
            Unknown key, a scale without its ends or that holds no whole number of steps, an error code on the scale.
        """
        for key in table:
            if key not in KEYS:
                hint = near_match(key, KEYS)
                raise ConfigError(
                    f"{WHERE}: key {key!r} is unknown" + (f"; {hint}" if hint else ""),
                    allowed=", ".join(KEYS),
                    remedy="correct the spelling or remove it",
                )
        lowest, highest = (_number(table.get(key), key) for key in ("lowest", "highest"))
        try:
            scale = Score(lowest, highest, _number(table.get("step", 1), "step"))
        except ValueError as error:
            raise ConfigError(
                f"{WHERE}: {error}", allowed="highest = lowest + a whole number of steps", remedy="correct the scale"
            ) from error
        codes = table.get("error_codes", [])
        if not isinstance(codes, list | tuple):
            raise _wrong("error_codes", "a list of numbers, such as [-1]")
        return cls(scale, tuple(_number(code, "error_codes") for code in codes))


def _number(value: object, key: str) -> float:
    if value is None:
        raise ConfigError(
            f"{WHERE} does not say what the {key} score is",
            allowed="lowest and highest, and a step where it is not 1",
            remedy=f"add `{key}`: the scale is declared, never read off the data",
        )
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) == float("inf"):
        raise _wrong(key, "a finite number")
    return float(value)


def _wrong(key: str, allowed: str) -> ConfigError:
    return ConfigError(f"{WHERE}: {key!r} has the wrong type", allowed=allowed, remedy="correct the analysis file")
