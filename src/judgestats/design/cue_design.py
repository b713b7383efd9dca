"""Cue design: every item in its base form, under each cue in both polarities, and under a neutral placebo note."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgestats.errors import ConfigError, near_match
from judgestats.trials.columns import POLARITIES
from judgestats.trials.variant import BASE_CUE, Variant

CUES: tuple[str, ...] = (
    "prestige",
    "verbosity",
    "bandwagon",
    "authority",
    "sentiment",
    "refinement",
    "diversity",
)
"""The seven cue types; each has a positive and a negative form."""

PLACEBO = "neutral"
"""The placebo: a note of the same place and length as a cue, with no evaluative content and no polarity."""

PLACEBO_NOTES: tuple[str, ...] = (
    "Note: this response is stored as one entry of a list of responses.",
    "Note: this response was shown below the question that it belongs to.",
    "Note: this response was copied into the form as plain text.",
)
"""Three wordings of the placebo, because one wording may itself move a judge."""


@dataclass(frozen=True)
class CueDesign:
    """Items x domains x variants; every trial of an item is asked in every variant.

    Parameters
    ----------
    domains : tuple of str
        Domains, each with its own items.
    items : int
        Items of each domain, at least 1.
    cues : tuple of str
        Cue types, out of `CUES`; each comes in both polarities.
    wordings : int
        Wordings of the placebo note, out of `PLACEBO_NOTES`; they rotate over the items, so that every item meets one
        and every wording as many items as any other. 0 leaves the placebo out.
    repeats : int
        How often each trial is asked, at least 1.

    Raises
    ------
    ConfigError
        No domain, a domain twice, no item, an unknown cue or one named twice, a number of wordings that do not exist.

    References
    ----------
    Seven cue types in two polarities: arXiv:2607.11871. The placebo and its notes are this project's own.
    """

    domains: tuple[str, ...]
    items: int
    cues: tuple[str, ...] = CUES
    wordings: int = len(PLACEBO_NOTES)
    repeats: int = 1

    def __post_init__(self) -> None:
        if not self.domains or len(set(self.domains)) != len(self.domains):
            raise ConfigError(
                f"cue design has domains {list(self.domains)}", allowed="at least one, none of them twice"
            )
        for name, least in (("items", 1), ("wordings", 0), ("repeats", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"cue design: {name} is {getattr(self, name)}", allowed=f"{least} or more")
        if self.wordings > len(PLACEBO_NOTES):
            raise ConfigError(
                f"cue design: {self.wordings} wordings of the placebo", allowed=f"0 to {len(PLACEBO_NOTES)}"
            )
        for cue in self.cues:
            if cue not in CUES:
                raise ConfigError(
                    f"cue design: cue {cue!r} is unknown", allowed=", ".join(CUES), remedy=near_match(cue, CUES)
                )
        if len(set(self.cues)) != len(self.cues):
            raise ConfigError("cue design names a cue twice", allowed="each cue once")

    def variants(self) -> tuple[Variant, ...]:
        """Return the variants: base first, then each cue in both polarities, then the placebo."""
        cued = tuple(Variant(cue, polarity) for cue in self.cues for polarity in POLARITIES)
        return (Variant(), *cued, *((Variant(PLACEBO),) if self.wordings else ()))

    def names(self) -> tuple[str, ...]:
        """Return the names of the items of any domain, dims (item,)."""
        width = max(3, len(str(self.items)))
        return tuple(f"item-{number:0{width}d}" for number in range(1, self.items + 1))

    def frame(self, domain: str) -> pd.DataFrame:
        """Return the trials of `domain` before any judge has answered.

        Returns
        -------
        pandas.DataFrame
            Columns ``domain item cue polarity wording repeat``, one row an item x variant x repeat, items slowest.
            `cue` is ``base`` or a name, `polarity` is None for base and placebo, `wording` is the number of the placebo
            note from 1 (None elsewhere), `repeat` counts from 1.

        Raises
        ------
        ConfigError
            `domain` is not one of the design's.
        """
        if domain not in self.domains:
            raise ConfigError(
                f"cue design has no domain {domain!r}",
                allowed=", ".join(self.domains),
                remedy=near_match(domain, self.domains),
            )
        names, variants = np.array(self.names(), dtype=object), self.variants()
        cue = np.array([variant.cue for variant in variants], dtype=object)
        polarity = np.array([variant.polarity or None for variant in variants], dtype=object)
        item, which, repeat = (
            index.ravel() for index in np.indices((self.items, len(variants), self.repeats), dtype=np.int64)
        )
        wording = np.array([str(number + 1) for number in range(max(self.wordings, 1))], dtype=object)
        return pd.DataFrame(
            {
                "domain": domain,
                "item": names[item],
                "cue": cue[which],
                "polarity": polarity[which],
                "wording": np.where(cue[which] == PLACEBO, wording[item % len(wording)], None),
                "repeat": repeat + 1,
            }
        )


def read_variant(text: str) -> Variant:
    """Return the variant that ``"prestige pos"`` or ``"neutral"`` names.

    Raises
    ------
    ConfigError
        An unknown cue, a cue without a polarity, a placebo with one, or the base, which is what all is measured from.
    """
    cue, _, polarity = text.partition(" ")
    known = (*(f"{name} {sign}" for name in CUES for sign in POLARITIES), PLACEBO)
    if text not in known:
        raise ConfigError(
            f"variant {text!r} is unknown" if cue != BASE_CUE else "the base has no effect of its own",
            allowed=f"one of {', '.join(CUES)} followed by pos or neg, or {PLACEBO}",
            remedy=near_match(text, known),
        )
    return Variant(cue, polarity)
