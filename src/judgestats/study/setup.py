"""Setup: an analysis with its trials read and its model resolved; nothing is fitted yet."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pandas as pd

from judgestats.errors import TrialDataError
from judgestats.inference.contract import EngineSettings, Progress
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelSpec
from judgestats.study.analysis import Analysis
from judgestats.study.trial_input import analysis_trials
from judgestats.trials.coding import stage_counts
from judgestats.trials.counts import StageCounts
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.table import TrialTable

STAGES = ("validity", "shift")


@dataclass(frozen=True)
class Setup:
    """What every later step starts from.

    Parameters
    ----------
    analysis : Analysis
        The analysis, with flags of the command line already in it.
    table : TrialTable
        Trials as read.
    counts : dict of str to StageCounts
        What the likelihood of each stage sees.
    model : ModelSpec
        The model with its options resolved for the columns of the table.
    """

    analysis: Analysis
    table: TrialTable
    counts: dict[str, StageCounts]
    model: ModelSpec

    def settings(self, progress: Progress | None = None) -> EngineSettings:
        """Return how engines run."""
        return self.analysis.settings(progress)


def prepare(analysis: Analysis, data: Path | None, out: Path | None = None) -> Setup:
    """Read the trials of an analysis and resolve its model.

    Raises
    ------
    ConfigError
        If the model or its options are unknown.
    TrialDataError
        If the trials cannot be read, or none of them has a block.
    """
    analysis.decision.half_width("choice")
    table = analysis_trials(analysis, data, out)
    counts = table_counts(table)
    if not len(counts["validity"].trials):
        raise TrialDataError(
            f"none of the {len(table.frame)} trials of analysis {analysis.name!r} has a block",
            allowed="a column `block` with congruent and incongruent trials",
            remedy="run `judgestats validate` to see what the table holds",
        )
    model = load_model(analysis.model, analysis.options, tuple(table.frame.columns))
    return Setup(analysis, table, counts, model)


def table_counts(table: TrialTable) -> dict[str, StageCounts]:
    """Return the counts of both stages as the model sees them; in free assignment a success is the default label."""
    counts = stage_counts(table)
    return counts | {"shift": success_counts(table, counts["shift"])}


def success_counts(table: TrialTable, shift: StageCounts) -> StageCounts:
    """Return shift counts whose difference between the blocks is the table's Delta P.

    Where blocks instruct the judge these are the counts as they are. In free assignment an item stands on one side
    only, and `consistent` means the label that fits the side; Delta P is the difference of *one* label's probability
    between the sides, P(default | congruent) - P(default | incongruent) = P(consistent | congruent) + P(consistent |
    incongruent) - 1. So successes of incongruent rows are counted the other way round; permuting blocks then tests what
    it should: that the label does not depend on the side.
    """
    if not table.choice.free_assignment:
        return shift
    turned = np.where(shift.block < 0, shift.trials - shift.successes, shift.successes)
    return replace(shift, successes=turned)


def counts_digest(counts: StageCounts | ScoreRows) -> str:
    """Return the SHA-256 of what a likelihood sees: names and numbers."""
    digest = hashlib.sha256()
    for field in fields(counts):
        value = getattr(counts, field.name)
        digest.update(field.name.encode())
        if isinstance(value, np.ndarray):
            digest.update(np.ascontiguousarray(value).tobytes())
        else:
            digest.update(repr(value).encode())
    return digest.hexdigest()


def table_digest(table: TrialTable) -> str:
    """Return the SHA-256 of a trial table's columns and values in canonical order, whatever file they came from."""
    digest = hashlib.sha256("\x1f".join(map(str, table.frame.columns)).encode())
    hashes = pd.util.hash_pandas_object(table.frame.astype("string"), index=False)
    digest.update(hashes.to_numpy(dtype="<u8").tobytes())
    return digest.hexdigest()
