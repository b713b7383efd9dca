"""Cue aggregates: the mean score shift over several cues of one polarity."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from judgestats.estimands.scores.posterior_draws import Array
from judgestats.trials.variant import Variant

NARROW_WITHOUT: tuple[str, ...] = ("bandwagon", "diversity")
"""Cues that the narrower positive aggregate leaves out."""
_WORDS = {"pos": "positive", "neg": "negative"}


def cue_aggregate(shifts: Sequence[Array]) -> Array:
    """Return the mean of the score shifts of several variants, each with equal weight.

    Unit: score points. Reference: the base.

    Parameters
    ----------
    shifts : sequence of ndarray, dims (chain, draw)
        Score shifts, paired by index.
    """
    if not shifts:
        raise ValueError("an aggregate over cues needs at least one cue")
    return np.mean(np.stack(shifts), axis=0)


def aggregates(variants: Sequence[Variant], placebo: Collection[str] = ()) -> dict[str, tuple[Variant, ...]]:
    """Return the members of every aggregate by name, such as ``positive-7``, ``negative-7`` and ``positive-5``.

    The number is that of the members. The narrower positive aggregate leaves out bandwagon and diversity and exists only
    where one of them is present; an aggregate of a single cue is none.

    Parameters
    ----------
    variants : sequence of Variant
        All variants.
    placebo : collection of str
        Cues that are neutral notes; never members.
    """
    found: dict[str, tuple[Variant, ...]] = {}
    for polarity, word in _WORDS.items():
        members = tuple(v for v in variants if v.polarity == polarity and not v.is_base and v.cue not in placebo)
        narrow = tuple(v for v in members if v.cue.lower() not in NARROW_WITHOUT)
        for group in (members, narrow) if polarity == "pos" else (members,):
            if len(group) > 1:
                found.setdefault(f"{word}-{len(group)}", group)
    return found
