"""Score alternatives: the shift under other rules for lost trials, on items with room both ways, and by configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from judgestats.checks.score_finding import ScoreSensitivity
from judgestats.checks.score_subsets import by_prompt_config, lost_counted, with_room
from judgestats.checks.shift_rows import DecisionRule, Place, ShiftDraws, outcomes, shift_rows, summary_row
from judgestats.trials.columns import weights
from judgestats.trials.status import Status
from judgestats.trials.table import TrialTable
from judgestats.trials.variant import BASE_CUE

Refit = Callable[[TrialTable], ShiftDraws]
LEFT_OUT = "lost trials left out (conditional on a valid answer)"
LOWEST = "lost trials counted as the lowest score (sensitivity only)"
HIGHEST = "lost trials counted as the highest score (sensitivity only)"


def score_loss_rules(
    table: TrialTable, reported: ShiftDraws, refit: Refit, rule: DecisionRule
) -> tuple[ScoreSensitivity, ...]:
    """Return the shift under three rules for lost trials.

    A refusal is not a score: the second and third row show how far an analyst who counts it as one could be led.

    Parameters
    ----------
    table : TrialTable
        Trials whose verdict is a score.
    reported : ShiftDraws
        The reported shift.
    refit : callable
        Returns the shift of other trials under the same model and engine.
    rule : DecisionRule
        The decision rule.

    Returns
    -------
    tuple of ScoreSensitivity
        Kind ``loss_rule``; `note` counts the lost trials of variant and base. Where no trial was lost there is no rule to
        vary, and the rows are those of the reported analysis alone.
    """
    notes = _losses(table, reported)
    rows = shift_rows(reported, "loss_rule", LEFT_OUT, rule, notes=notes)
    if bool((table.frame["status"] == Status.VALID.value).all()):
        return rows
    decided = outcomes(rows)
    low = shift_rows(refit(lost_counted(table, "lowest")), "loss_rule", LOWEST, rule, fitted=decided, notes=notes)
    high = shift_rows(refit(lost_counted(table, "highest")), "loss_rule", HIGHEST, rule, fitted=decided, notes=notes)
    return (*rows, *low, *high)


def room_rows(
    table: TrialTable, reported: ShiftDraws, refit: Refit, rule: DecisionRule, *, room: tuple[float, float]
) -> tuple[ScoreSensitivity, ...]:
    """Return shift and asymmetry of all items, of items with room both ways, and of every prompt configuration.

    At the end of a scale a cue can move the score one way only, which looks like an asymmetry of polarities; items whose base
    score leaves room do not have that end. Where the judge's scores vary from call to call, picking items by their base score
    picks its error too: items in the middle then move outwards and back by chance, which is in the shift of every cue alike.

    Parameters
    ----------
    table : TrialTable
        Trials whose verdict is a score.
    reported : ShiftDraws
        The reported shift.
    refit : callable
        Returns the shift of fewer trials under the same model and engine.
    rule : DecisionRule
        The decision rule.
    room : tuple of float
        Lowest and highest base score, score points.

    Returns
    -------
    tuple of ScoreSensitivity
        Kind ``room``. A cell and variant without trials in a subset is not estimable there.
    """
    rows = shift_rows(reported, "room", "all items", rule, asymmetry=True)
    decided = outcomes(rows)
    subsets = {f"items with base {room[0]:g} to {room[1]:g}": with_room(table, *room)}
    subsets |= {f"prompt configuration {name}": part for name, part in by_prompt_config(table).items()}
    out = list(rows)
    for setting, part in subsets.items():
        out += _subset_rows(setting, part, decided, refit, rule)
    return tuple(out)


def _subset_rows(
    setting: str, part: TrialTable, decided: Mapping[Place, str | None], refit: Refit, rule: DecisionRule
) -> list[ScoreSensitivity]:
    cues = part.frame.get("cue")
    made: dict[Place, ScoreSensitivity] = {}
    if cues is not None and (cues == BASE_CUE).any() and (cues != BASE_CUE).any():
        found = shift_rows(refit(part), "room", setting, rule, asymmetry=True, fitted=decided)
        made = {(r.judge, r.domain, r.cue, r.polarity, r.estimand): r for r in found}
    missing = "No item of this cell is in the subset."
    return [made.get(place) or summary_row(place, "room", setting, None, note=missing) for place in decided]


def _losses(table: TrialTable, reported: ShiftDraws) -> dict[Place, str]:
    """Return how many trials of a variant, and of the base of its cell, were lost, as a sentence."""
    frame = table.frame
    keys = [
        frame["judge"].astype(str),
        frame["domain"].astype(str),
        frame["cue"].fillna(BASE_CUE).astype(str) if "cue" in frame else np.full(len(frame), BASE_CUE),
        frame["polarity"].fillna("").astype(str) if "polarity" in frame else np.full(len(frame), ""),
    ]
    lost: dict[tuple[str, ...], int] = {}
    asked: dict[tuple[str, ...], int] = {}
    weight, valid = weights(frame), np.asarray(frame["status"] == Status.VALID.value)
    for *key, n, ok in zip(*(list(column) for column in keys), weight.tolist(), valid.tolist(), strict=True):
        place = tuple(key)
        asked[place] = asked.get(place, 0) + n
        lost[place] = lost.get(place, 0) + (0 if ok else n)
    out: dict[Place, str] = {}
    for place, _ in reported.effects():
        own, base = place[:4], (*place[:2], BASE_CUE, "")
        counts = [f"{lost.get(key, 0)} of {asked.get(key, 0)}" for key in (own, base)]
        out[place] = f"Lost: {counts[0]} trials with the cue, {counts[1]} base trials."
    return out
