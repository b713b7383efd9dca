"""Simulated score judge: scores the trials of a cue design with planted shifts and planted refusals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judgestats.design.cue_design import CueDesign
from judgestats.errors import ConfigError
from judgestats.judges.planted_scores import PlantedScores, PlantedShift
from judgestats.judges.score_levels import greedy_steps, latent_level, ordinal_levels
from judgestats.judges.simulated import marginal_logit
from judgestats.seeds import Seed
from judgestats.trials.status import Status
from judgestats.trials.table import Score
from judgestats.trials.variant import Variant

Levels = NDArray[np.int64]

REFUSAL_TEXT = "I would rather not put a number on this response."


@dataclass(frozen=True)
class SimulatedScoreJudge:
    """A judge of scores without a network behind it.

    Parameters
    ----------
    name : str
        Name in the trial table.
    scale : Score
        The scale on which it answers.
    planted : dict of str to PlantedScores
        What it does in each domain.

    Raises
    ------
    ConfigError
        A constant judge whose level is not on the scale.
    """

    name: str
    scale: Score
    planted: Mapping[str, PlantedScores]

    def __post_init__(self) -> None:
        for domain, planted in self.planted.items():
            if planted.kind == "constant" and not np.isclose(planted.level, self.scale.levels).any():
                raise ConfigError(
                    f"simulated judge {self.name!r} always answers {planted.level:g} in domain {domain!r}",
                    allowed=f"a level of the scale from {self.scale.lowest:g} to {self.scale.highest:g} "
                    f"in steps of {self.scale.step:g}",
                )

    def answer(self, design: CueDesign, seed: Seed) -> pd.DataFrame:
        """Answer every trial of `design` once.

        Parameters
        ----------
        design : CueDesign
            Its domains must be among `planted`.
        seed : Seed
            Root seed; the streams ``simulated_scores/<judge>/<domain>/...`` are used, one a variant, so the answers to
            one variant depend neither on the other variants nor on the other judges and domains.

        Returns
        -------
        pandas.DataFrame
            Trials with columns ``judge domain item cue polarity wording status score raw_text``, and ``repeat`` where the
            design has repeats; `score` is NaN for a refusal.

        Raises
        ------
        ConfigError
            A domain without planted values.
        """
        for domain in design.domains:
            if domain not in self.planted:
                raise ConfigError(
                    f"simulated judge {self.name!r} has no planted values for domain {domain!r}",
                    allowed=", ".join(self.planted),
                )
        frames = [self._answer_domain(domain, design, seed) for domain in design.domains]
        return pd.concat(frames, ignore_index=True)

    def planted_shifts(self, design: CueDesign) -> dict[tuple[str, str, str, str], PlantedShift]:
        """Return the true values by judge, domain, cue and polarity (empty for the placebo); the base is left out."""
        return {
            (self.name, domain, variant.cue, variant.polarity): self.planted[domain].truth(variant, self.scale)
            for domain in design.domains
            for variant in design.variants()
            if not variant.is_base
        }

    def _answer_domain(self, domain: str, design: CueDesign, seed: Seed) -> pd.DataFrame:
        planted, stream = self.planted[domain], f"simulated_scores/{self.name}/{domain}"
        item = seed.generator(f"{stream}/items").normal(size=design.items)
        mobility = seed.generator(f"{stream}/mobility").normal(size=design.items)
        parts = []
        for variant in design.variants():
            rng = seed.generator(f"{stream}/{variant}")
            level = self._levels(planted, variant, item, mobility, design.repeats, rng)
            lost = rng.random((design.items, design.repeats)) < planted.loss(variant)
            parts.append(np.where(lost, -1, level))
        # The rows of a design run over items, then variants, then repeats.
        level = np.stack(parts, axis=1).ravel()
        return self._frame(design, domain, level)

    def _levels(
        self,
        planted: PlantedScores,
        variant: Variant,
        item: NDArray[np.float64],
        mobility: NDArray[np.float64],
        repeats: int,
        rng: np.random.Generator,
    ) -> Levels:
        """Return the level of every trial of one variant, dims (item, repeat)."""
        size, scale = len(self.scale.levels), self.scale
        shape = (len(item), repeats)
        if planted.kind == "constant":
            return np.broadcast_to(latent_level(np.array(planted.level), scale), shape).copy()
        if planted.kind == "coin_flip":
            return rng.integers(0, size, shape)
        latent = planted.level + planted.item_sd * item
        effect = planted.effect(variant)
        if planted.kind == "ordinal":
            chance = ordinal_levels(latent + effect.shift, planted.noise, scale)
            return _draw(chance, rng.random(shape))
        base = latent_level(latent, scale)
        if effect.moved in (0.0, 1.0):
            moves = np.full(len(item), effect.moved == 1.0)
        else:
            logit = marginal_logit(effect.moved, planted.moved_sd) + planted.moved_sd * mobility
            moves = rng.random(len(item)) < 1.0 / (1.0 + np.exp(-logit))
        jump = greedy_steps(effect.steps, effect.shares, 1.0, size)[base]
        # Without noise a repeat of a trial gives the same score.
        level = np.where(moves, _draw(jump, rng.random((len(item), 1)))[:, 0], base)
        return np.repeat(level[:, None], repeats, axis=1)

    def _frame(self, design: CueDesign, domain: str, level: Levels) -> pd.DataFrame:
        frame = design.frame(domain)
        lost = level < 0
        score = np.where(lost, np.nan, np.array(self.scale.levels)[np.maximum(level, 0)])
        frame.insert(0, "judge", self.name)
        frame["status"] = np.where(lost, Status.REFUSAL.value, Status.VALID.value)
        frame["score"] = score
        frame["raw_text"] = [
            REFUSAL_TEXT if gone else f"Score: {value:g}" for gone, value in zip(lost, score, strict=True)
        ]
        return frame if design.repeats > 1 else frame.drop(columns="repeat")


def _draw(chance: NDArray[np.float64], uniform: NDArray[np.float64]) -> Levels:
    """Return levels drawn by inversion: `chance` dims (item, level), `uniform` and result dims (item, repeat)."""
    below = np.cumsum(chance, axis=1)[:, None, :-1]
    return np.asarray((uniform[:, :, None] >= below).sum(axis=2), dtype=np.int64)
