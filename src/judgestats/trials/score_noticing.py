"""Score noticing: what a table of scores shows that a reader of a report must know, counted and named."""

from __future__ import annotations

import numpy as np
import pandas as pd

from judgestats.trials.base_sets import CONTEXT, NO_BASE, OTHER_CONTEXT, OTHER_REPEAT
from judgestats.trials.columns import weights
from judgestats.trials.pairing import LOST, Pairs, pair_trials
from judgestats.trials.status import Status
from judgestats.trials.table import Notice, TrialTable
from judgestats.trials.variant import BASE_CUE
from judgestats.trials.wording import quoted

SEVERAL_BASES = "several_bases"


def score_notices(table: TrialTable) -> list[Notice | None]:
    """Return the notices that only tables of scores have.

    Codes: ``no_cue``, ``constant_scores``, ``no_base``, ``other_context``, ``other_repeat``, ``pair_lost``,
    ``several_bases``.
    """
    return [_constant(table), *cue_notices(table)]


def cue_notices(table: TrialTable) -> list[Notice | None]:
    """Return what the pairing of variants with their base leaves out, and why."""
    frame = table.frame
    if "cue" not in frame or not (frame["cue"].fillna(BASE_CUE) != BASE_CUE).any():
        what = "no column `cue`" if "cue" not in frame else "no cue beside the base"
        text = f"the table has {what}, so no effect of a cue can be estimated"
        return [Notice("no_cue", text, int(weights(frame).sum()))]
    pairs = pair_trials(table)
    context = ", ".join(name for name in CONTEXT if name in frame)
    sentences = {
        NO_BASE: "trials of a cue have no base trial of their item ({where}): they have no paired difference",
        OTHER_CONTEXT: f"trials of a cue have a base trial of their item in another {context} only ({{where}}): they have no "
        "paired difference, since it would hold more than the cue",
        OTHER_REPEAT: "trials of a cue have base trials of other repeats only ({where}): they have no paired difference",
        LOST: "trials of a cue lost their own score or that of their base ({where}): they have no paired difference",
    }
    return [
        *(_left_out(frame, reason, pairs.left_out[reason], text) for reason, text in sentences.items()),
        _several(pairs),
    ]


def _left_out(
    frame: pd.DataFrame, reason: str, rows: np.ndarray[tuple[int], np.dtype[np.int64]], text: str
) -> Notice | None:
    part = frame.iloc[rows]
    count = int(weights(part).sum())
    if not count:
        return None
    variant = part["cue"] + (" " + part["polarity"].fillna("") if "polarity" in part else "")
    counts = pd.Series(weights(part)).groupby(variant.str.strip().to_numpy()).sum()
    where = ", ".join(f"{name}: {n}" for name, n in list(counts.items())[:15])
    more = len(counts) - 15
    return Notice(reason, f"{count} " + text.format(where=where + (f" and {more} more" if more > 0 else "")), count)


def _several(pairs: Pairs) -> Notice | None:
    if not pairs.several:
        return None
    text = (
        f"{pairs.several} trials of a cue meet base trials of different scores and no `repeat` says which is theirs; scores "
        "are matched by rank, so a single trial meets the median of its bases (a half goes to the even level)"
    )
    return Notice(SEVERAL_BASES, text, pairs.several)


def _constant(table: TrialTable) -> Notice | None:
    """Notice cells in which every valid score is the same."""
    frame = table.frame
    valid = frame[(frame["status"] == Status.VALID.value) & (weights(frame) > 0)]
    valid = valid.assign(trials=weights(valid))
    names = []
    for (judge, domain), part in valid.groupby(["judge", "domain"], observed=True):
        trials = int(part["trials"].sum())
        if trials > 1 and part["score"].nunique() == 1:
            names.append(f"{judge} x {domain}: {part['score'].iloc[0]:g} in {trials} trials")
    if not names:
        return None
    text = (
        f"{len(names)} cells hold one score only ({quoted(names, 10)}): a constant judge shows no shift, there is no spread "
        "to divide an effect by, and that it never moved says little of what it would do on other items"
    )
    return Notice("constant_scores", text, len(names))
