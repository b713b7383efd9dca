"""Planted scores: what a simulated score judge does in one domain, and the true shifts that follow in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from judgestats.errors import ConfigError
from judgestats.judges.score_levels import (
    MAX_STEEPNESS,
    Floats,
    base_levels,
    greedy_steps,
    ordinal_levels,
    standard_nodes,
)
from judgestats.trials.table import Score
from judgestats.trials.variant import Variant

Kind = Literal["ordinal", "greedy", "constant", "coin_flip"]


@dataclass(frozen=True)
class CueEffect:
    """What one variant does to the scores of one judge in one domain.

    Parameters
    ----------
    shift : float
        Ordinal judges: shift of the latent score, score points; the planted shift of the *score* is smaller in size near
        an end of the scale.
    moved : float
        Greedy judges: share of the items whose score moves, in [0, 1], marginal over items.
    steps : tuple of int
        Greedy judges: possible differences of a moved item, variant minus base, steps of the scale, none of them 0.
    shares : tuple of float
        Greedy judges: relative frequency of each of `steps`, positive; steps that leave the scale are left out and the
        others scaled up. An item whose base score allows none stays put.
    refusal : float, optional
        P(refusal) under this variant, in [0, 1], independent of the item; None takes that of the base.
    """

    shift: float = 0.0
    moved: float = 0.0
    steps: tuple[int, ...] = ()
    shares: tuple[float, ...] = ()
    refusal: float | None = None

    def __post_init__(self) -> None:
        if not np.isfinite(self.shift):
            raise ConfigError(f"planted shift is {self.shift:g}", allowed="a finite number of score points")
        _share("moved", self.moved)
        if self.refusal is not None:
            _share("refusal", self.refusal)
        if len(self.steps) != len(self.shares) or 0 in self.steps or len(set(self.steps)) != len(self.steps):
            raise ConfigError(
                f"planted steps are {list(self.steps)} with shares {list(self.shares)}",
                allowed="one share for each step, no step 0 and none twice",
            )
        if any(not 0.0 < share < float("inf") for share in self.shares) or (self.moved > 0) != bool(self.steps):
            raise ConfigError(
                f"planted moved is {self.moved:g} with shares {list(self.shares)}",
                allowed="positive shares where moved is above 0, and none where it is 0",
            )


@dataclass(frozen=True)
class PlantedShift:
    """True values of one variant against the base, for a new item of the cell and given two valid answers.

    Parameters
    ----------
    score_shift : float
        E(score | variant) - E(score | base), score points.
    drop_1, drop_2 : float
        P(score of the variant - score of the base of the same item <= -1, <= -2 score points).
    """

    score_shift: float
    drop_1: float
    drop_2: float


@dataclass(frozen=True)
class PlantedScores:
    """How one simulated judge scores the items of one domain.

    Parameters
    ----------
    kind : {"ordinal", "greedy", "constant", "coin_flip"}
        ``ordinal``: a latent score plus logistic noise, rounded to the nearest level, independent from trial to trial
        (a cumulative logit with thresholds midway between levels). ``greedy``: the base has no noise; a variant moves a
        planted share of the items by planted whole steps and leaves the others exactly where they were. ``constant``:
        one level always. ``coin_flip``: every level equally often, whatever was asked.
    level : float
        Mean of the latent score, score points.
    item_sd : float
        Standard deviation over items of the latent score, score points, at least 0.
    noise : float
        Scale of the logistic noise of an ordinal judge, score points, positive.
    moved_sd : float
        Standard deviation over items of the log-odds to be moved (greedy); the marginal share stays `moved`.
    refusal : float
        P(refusal) of the base, and of every variant that says nothing else, in [0, 1].
    effects : dict of Variant to CueEffect
        Variants that do something; all others do nothing.

    Raises
    ------
    ConfigError
        An impossible value, or an effect that judges of this kind do not have.
    """

    kind: Kind = "ordinal"
    level: float = 5.5
    item_sd: float = 1.0
    noise: float = 0.5
    moved_sd: float = 0.0
    refusal: float = 0.0
    effects: Mapping[Variant, CueEffect] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _share("refusal", self.refusal)
        for name in ("item_sd", "moved_sd"):
            if not 0.0 <= getattr(self, name) < float("inf"):
                raise ConfigError(f"planted {name} is {getattr(self, name):g}", allowed="0 or more")
        if not np.isfinite(self.level):
            raise ConfigError(f"planted level is {self.level:g}", allowed="a finite number of score points")
        if self.kind == "ordinal" and not (self.noise > 0 and self.item_sd <= MAX_STEEPNESS * self.noise):
            raise ConfigError(
                f"planted noise is {self.noise:g} beside item_sd {self.item_sd:g}",
                allowed=f"a positive noise, at least item_sd / {MAX_STEEPNESS:g}",
                remedy="take the kind greedy for a judge without noise",
            )
        for variant, effect in self.effects.items():
            if variant.is_base:
                raise ConfigError("planted effects: the base has no effect of its own", remedy="set level instead")
            if (effect.shift and self.kind != "ordinal") or (effect.moved and self.kind != "greedy"):
                raise ConfigError(
                    f"planted effect of {variant} does not fit a judge of kind {self.kind}",
                    allowed="shift for ordinal judges, moved, steps and shares for greedy ones, refusal for all",
                )

    def effect(self, variant: Variant) -> CueEffect:
        """Return what `variant` does; a variant that is not named does nothing."""
        return self.effects.get(variant, CueEffect())

    def loss(self, variant: Variant) -> float:
        """Return P(refusal) under `variant`."""
        own = self.effect(variant).refusal
        return self.refusal if own is None else own

    def truth(self, variant: Variant, scale: Score) -> PlantedShift:
        """Return the true shift and drops of `variant` on `scale`.

        Exact up to rounding for greedy, constant and coin-flip judges (finite sums over levels with normal
        probabilities); for ordinal judges the item effect is integrated by a trapezium rule whose error is below 1e-10.
        """
        joint = self._joint(variant, scale)
        difference = np.arange(joint.shape[1])[None, :] - np.arange(joint.shape[0])[:, None]
        points = difference * scale.step
        # A step of .1 taken ten times is not exactly 1 in binary.
        return PlantedShift(
            # Rounded far below any use of it, so that no effect reads as exactly 0.
            score_shift=round(float((joint * points).sum()), 12) + 0.0,
            drop_1=float(joint[points <= -1 + 1e-9].sum()),
            drop_2=float(joint[points <= -2 + 1e-9].sum()),
        )

    def _joint(self, variant: Variant, scale: Score) -> Floats:
        """Return P(base = a, variant = b) of one item, dims (level a, level b)."""
        size = len(scale.levels)
        if self.kind == "coin_flip" and not variant.is_base:
            return np.full((size, size), 1.0 / size**2)
        if self.kind == "ordinal" and not variant.is_base:
            z, weight = standard_nodes(self.item_sd)
            base = ordinal_levels(self.level + self.item_sd * z, self.noise, scale)
            other = ordinal_levels(self.level + self.effect(variant).shift + self.item_sd * z, self.noise, scale)
            return np.asarray((base * weight[:, None]).T @ other)
        if self.kind == "greedy":
            effect = self.effect(variant)
            chance = greedy_steps(effect.steps, effect.shares, effect.moved, size)
            return base_levels(self.level, self.item_sd, scale)[:, None] * chance
        # Constant judges, and the base against itself: no difference, whichever level it is.
        return np.eye(size) / size


def _share(name: str, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise ConfigError(f"planted {name} is {value:g}", allowed="a probability from 0 to 1")
