"""Score section: what an analysis of scores fixes beforehand about its cues."""

from __future__ import annotations

from dataclasses import dataclass

from judgestats.errors import ConfigError
from judgestats.trials.table import Score


@dataclass(frozen=True)
class ScoreSection:
    """``[scores]``: settings of an analysis whose verdicts are scores.

    Parameters
    ----------
    placebo : tuple of str
        Cues that are neutral notes of the same place and length without evaluative content: the noise floor of every other
        cue. Never part of an aggregate.
    room : tuple of float
        Lowest and highest base score of the items on which asymmetry is estimated again, so that an end of the scale is not
        taken for asymmetry; empty for the middle of the scale (3 to 8 of 1 to 10).
    factor : str
        What the column ``cue`` holds in words of the report: ``cue``, ``generator of the answer`` ...
    """

    placebo: tuple[str, ...] = ()
    room: tuple[float, ...] = ()
    factor: str = "cue"

    def __post_init__(self) -> None:
        if self.room and (len(self.room) != 2 or not self.room[0] <= self.room[1]):
            raise ConfigError(
                f"[scores] room is {list(self.room)}", allowed="two base scores, the lower one first, such as [3, 8]"
            )

    def room_on(self, scale: Score) -> tuple[float, float]:
        """Return the base scores that leave room both ways: as declared, or two ninths of the scale off either end.

        The ends fall on levels of the scale; those of 1 to 10 are 3 and 8.
        """
        if self.room:
            return self.room[0], self.room[1]
        margin = scale.step * round(2.0 * scale.width / (9.0 * scale.step))
        return scale.lowest + margin, scale.highest - margin
