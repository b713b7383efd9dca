"""Quantity of scores: draws with what they are about, before they are summarised."""

from __future__ import annotations

from dataclasses import dataclass

from judgestats.estimands.scores.posterior_draws import Array
from judgestats.estimands.scores.score_recorder import ScoreContext


@dataclass(frozen=True, eq=False)
class ScoreQuantity:
    """Draws of one quantity, dims (chain, draw); NaN where the data say nothing about it."""

    context: ScoreContext
    values: Array
