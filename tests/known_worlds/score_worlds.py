"""Score worlds: named cells with planted truths, each a trial table that a calibration can draw again and again.

Every world is one judge in one domain. Import with this folder on the path: ``from score_worlds import WORLDS``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from judgestats.design.cue_design import CUES, PLACEBO, CueDesign
from judgestats.judges.planted_scores import CueEffect, PlantedScores, PlantedShift
from judgestats.judges.simulated_scores import SimulatedScoreJudge
from judgestats.seeds import Seed
from judgestats.trials.status import Status
from judgestats.trials.table import Score, TrialTable
from judgestats.trials.variant import Variant

DOMAIN = "world"
TEN = Score(1, 10, 1)
FIVE = Score(1, 5, 1)
HALVES = Score(1, 10, 0.5)

Effects = dict[Variant, CueEffect]


@dataclass(frozen=True)
class World:
    """One judge in one domain with known truths.

    Parameters
    ----------
    name : str
        Name of the world, also that of its judge.
    planted : PlantedScores
        What the judge does.
    scale : Score
        The scale of the scores.
    cues : tuple of str
        Cue types that are asked beside the base and the placebo.
    items : int
        Items of a table.
    """

    name: str
    planted: PlantedScores
    scale: Score = TEN
    cues: tuple[str, ...] = CUES
    items: int = 60
    design: CueDesign = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "design", CueDesign((DOMAIN,), self.items, self.cues))

    @property
    def paired(self) -> bool:
        """Whether unmoved items keep their score exactly, so that the model of paired differences is the right one."""
        return self.planted.kind in ("greedy", "constant")

    @property
    def truths(self) -> dict[Variant, PlantedShift]:
        """True shift and drops of every variant but the base."""
        return {v: self.planted.truth(v, self.scale) for v in self.design.variants() if not v.is_base}

    @property
    def null(self) -> bool:
        """Whether no variant shifts the score; refusals may differ all the same."""
        return all(truth.score_shift == 0 for truth in self.truths.values())

    def trials(self, seed: int) -> TrialTable:
        """Return one table of the world; the same seed gives the same table."""
        frame = SimulatedScoreJudge(self.name, self.scale, {DOMAIN: self.planted}).answer(self.design, Seed(seed))
        keys = ["judge", "domain", "item", "cue", "polarity"]
        frame = frame.sort_values(keys, kind="stable", ignore_index=True)
        assert (frame["score"].notna() == (frame["status"] == Status.VALID.value)).all()
        return TrialTable(frame.assign(polarity=frame["polarity"].where(frame["polarity"].notna(), np.nan)), self.scale)


def _shift(**shifts: float) -> Effects:
    """Effects of an ordinal judge; ``prestige_neg=-1`` is a latent shift of -1 point."""
    return {_variant(name): CueEffect(shift=value) for name, value in shifts.items()}


def _refusal(**rates: float) -> Effects:
    return {_variant(name): CueEffect(refusal=rate) for name, rate in rates.items()}


def _steps(moved: float, steps: tuple[int, ...], shares: tuple[float, ...], *names: str) -> Effects:
    """Effects of a greedy judge: the same hurdle and steps under every variant named."""
    return {_variant(name): CueEffect(moved=moved, steps=steps, shares=shares) for name in names}


def _variant(name: str) -> Variant:
    cue, _, polarity = name.partition("_")
    return Variant(cue, polarity)


def _one_cue() -> list[World]:
    """Each cue alone: harmful in its negative form, half as helpful in its positive one."""
    return [
        World(f"{cue} alone", PlantedScores(effects=_shift(**{f"{cue}_neg": -1.0, f"{cue}_pos": 0.5}))) for cue in CUES
    ]


def _pairs() -> list[World]:
    """Two cues at once, neighbours in the list of cues, of opposite sign."""
    return [
        World(
            f"{first} and {second}",
            PlantedScores(level=6.0, effects=_shift(**{f"{first}_neg": -0.8, f"{second}_pos": 0.8})),
        )
        for first, second in pairwise(CUES)
    ]


def _nulls() -> list[World]:
    every = {f"{cue}_neg": rate for cue, rate in zip(CUES, np.linspace(0.05, 0.5, len(CUES)), strict=True)}
    fidgets = [f"{cue}_{sign}" for cue in CUES for sign in ("pos", "neg")]
    return [
        World("no effect", PlantedScores()),
        World("no effect, five levels", PlantedScores(level=3.0, item_sd=0.8, noise=0.4), FIVE),
        World("no effect, half steps", PlantedScores(level=6.0), HALVES),
        World("no effect, at the ceiling", PlantedScores(level=9.5, item_sd=0.8)),
        World("no effect, refusals alike", PlantedScores(refusal=0.2)),
        World("no effect, refusals under negative cues", PlantedScores(effects=_refusal(**every))),
        World("no effect, one cue refused always", PlantedScores(effects=_refusal(diversity_neg=1.0))),
        World("greedy, nothing moves", PlantedScores("greedy", item_sd=1.5)),
        World(
            "greedy, moves cancel",
            PlantedScores(
                "greedy", item_sd=0.0, level=5.0, effects=_steps(0.3, (-1, 1), (0.5, 0.5), *fidgets, PLACEBO)
            ),
        ),
        World("constant", PlantedScores("constant", level=7.0)),
        World("constant at the top", PlantedScores("constant", level=10.0)),
        World("coin flip", PlantedScores("coin_flip")),
        World("coin flip, five levels", PlantedScores("coin_flip", level=3.0), FIVE),
    ]


def _moved() -> list[World]:
    everything = {f"{cue}_{sign}": size for cue in CUES for sign, size in (("pos", 0.6), ("neg", -0.6))}
    tails = _steps(0.4, (-1, -2, -4), (0.6, 0.25, 0.15), "bandwagon_neg", "authority_neg")
    refused = {
        Variant("bandwagon", "neg"): CueEffect(shift=-1.0, refusal=0.3),
        Variant("authority", "neg"): CueEffect(refusal=0.3),
    }
    return [
        World("every cue", PlantedScores(effects=_shift(**everything))),
        World(
            "positive only, at the ceiling", PlantedScores(level=9.5, item_sd=0.8, effects=_shift(refinement_pos=1.0))
        ),
        World(
            "even both ways, at the ceiling", PlantedScores(level=9.0, effects=_shift(prestige_pos=1, prestige_neg=-1))
        ),
        World("at the floor", PlantedScores(level=1.5, effects=_shift(bandwagon_neg=-1.0, refinement_pos=1.0))),
        World(
            "five levels", PlantedScores(level=3.2, item_sd=0.7, noise=0.4, effects=_shift(authority_neg=-0.5)), FIVE
        ),
        World("shift and refusals", PlantedScores(effects=refused)),
        World("placebo moves", PlantedScores(effects=_shift(neutral=-0.5))),
        World("greedy with long tails", PlantedScores("greedy", level=6.5, item_sd=1.5, moved_sd=1.0, effects=tails)),
        World(
            "greedy, few moves",
            PlantedScores("greedy", item_sd=1.5, effects=_steps(0.08, (-1,), (1.0,), "prestige_neg", "sentiment_neg")),
        ),
        World(
            "greedy, at the ceiling",
            PlantedScores("greedy", level=9.5, effects=_steps(0.5, (1, 2), (0.7, 0.3), "refinement_pos")),
        ),
    ]


WORLDS: dict[str, World] = {world.name: world for world in (*_one_cue(), *_pairs(), *_nulls(), *_moved())}
"""Every world by its name."""
