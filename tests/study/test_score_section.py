"""Score section: which base scores leave room both ways."""

from __future__ import annotations

import pytest

from judgestats.errors import ConfigError
from judgestats.study.score_section import ScoreSection
from judgestats.trials.table import Score


@pytest.mark.parametrize(
    ("scale", "room"),
    [
        (Score(1, 10), (3.0, 8.0)),  # two ninths of 9 points: the published room
        (Score(0, 10), (2.0, 8.0)),  # 2.2 points are nearest to 2 steps
        (Score(1, 5), (2.0, 4.0)),  # .9 points are nearest to 1 step
        (Score(1, 10, 0.5), (3.0, 8.0)),
    ],
)
def test_room_falls_on_levels(scale: Score, room: tuple[float, float]) -> None:
    assert ScoreSection().room_on(scale) == pytest.approx(room)
    assert set(room) <= set(scale.levels)


def test_a_declared_room_is_taken_as_it_is() -> None:
    assert ScoreSection(room=(4.0, 7.0)).room_on(Score(1, 10)) == (4.0, 7.0)
    with pytest.raises(ConfigError, match="the lower one first"):
        ScoreSection(room=(8.0, 3.0))
