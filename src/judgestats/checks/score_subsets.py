"""Score subsets: trial tables of scores under another rule for lost trials, with room both ways, or of one configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from judgestats.trials.base_sets import CONTEXT, ITEM
from judgestats.trials.status import Status
from judgestats.trials.table import TrialTable
from judgestats.trials.variant import BASE_CUE

End = Literal["lowest", "highest"]
CONFIG = "prompt_config"


def lost_counted(table: TrialTable, end: End) -> TrialTable:
    """Return the trials with every lost one counted as the lowest or the highest score.

    This is a labelled sensitivity rule; no other code path turns a lost trial into a score.

    Parameters
    ----------
    table : TrialTable
        Trials whose verdict is a score.
    end : {"lowest", "highest"}
        Which end of the scale lost trials take.
    """
    frame, scale = table.frame.copy(), table.score
    lost = np.asarray(frame["status"] != Status.VALID.value)
    frame.loc[lost, "score"] = scale.lowest if end == "lowest" else scale.highest
    frame.loc[lost, "status"] = Status.VALID.value
    return replace(table, frame=frame)


def with_room(table: TrialTable, lowest: float, highest: float) -> TrialTable:
    """Return the trials of items whose base score leaves room both ways.

    An item is kept, in each prompt configuration, judge version, rater and dimension apart, where the mean of its valid base
    scores lies in [lowest, highest]; an item without a valid base score is left out.

    Parameters
    ----------
    table : TrialTable
        Trials whose verdict is a score.
    lowest, highest : float
        Score points, both included.
    """
    frame = table.frame
    keys = [*ITEM, *(name for name in CONTEXT if name in frame)]
    base = frame["cue"] == BASE_CUE if "cue" in frame else pd.Series(True, index=frame.index)
    valid = base & (frame["status"] == Status.VALID.value)
    weight = frame["n"].astype("float64") if "n" in frame else pd.Series(1.0, index=frame.index)
    score = frame["score"].where(valid, 0.0).astype("float64")
    groups = [frame[name] for name in keys]
    parts = pd.DataFrame({"sum": score * weight * valid, "n": weight * valid})
    totals = parts.groupby(groups, dropna=False, observed=True).transform("sum")
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = totals["sum"].to_numpy() / totals["n"].to_numpy()
    return replace(table, frame=frame[(mean >= lowest - 1e-9) & (mean <= highest + 1e-9)].reset_index(drop=True))


def by_prompt_config(table: TrialTable) -> dict[str, TrialTable]:
    """Return the trials of every prompt configuration; empty where there are fewer than two."""
    if CONFIG not in table.frame:
        return {}
    column = table.frame[CONFIG]
    names = sorted(map(str, column.dropna().unique()))
    if len(names) < 2:
        return {}
    text = column.astype("string")
    return {
        name: replace(table, frame=table.frame[(text == name).fillna(False)].reset_index(drop=True)) for name in names
    }
