"""Score setup: an analysis of scores with its trials read and its model resolved; nothing is fitted yet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from judgestats.errors import ConfigError, TrialDataError
from judgestats.inference.contract import EngineSettings, Progress
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelSpec
from judgestats.study.analysis import Analysis
from judgestats.study.trial_input import analysis_trials
from judgestats.trials.score_coding import pair_rows, score_rows
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.table import Score, TrialTable

PAIRED = "moved"
"""The stage that only models of paired differences have."""


@dataclass(frozen=True)
class ScoreSetup:
    """What every later step of an analysis of scores starts from.

    Parameters
    ----------
    analysis : Analysis
        The analysis, with flags of the command line already in it.
    table : TrialTable
        Trials as read.
    scale : Score
        The declared scale.
    rows : dict of str to ScoreRows
        What the likelihood of each stage of the model sees.
    model : ModelSpec
        The model with its options resolved for the columns of the table.
    """

    analysis: Analysis
    table: TrialTable
    scale: Score
    rows: dict[str, ScoreRows]
    model: ModelSpec

    @property
    def paired(self) -> bool:
        """Whether the model sees differences between a variant and its base."""
        return PAIRED in self.rows

    @property
    def rope(self) -> float:
        """Half-width of the ROPE of a score shift, score points."""
        return self.analysis.decision.half_width("score")

    def settings(self, progress: Progress | None = None) -> EngineSettings:
        """Return how engines run."""
        return self.analysis.settings(progress)


def prepare_scores(analysis: Analysis, data: Path | None, out: Path | None = None) -> ScoreSetup:
    """Read the trials of an analysis of scores and resolve its model.

    Raises
    ------
    ConfigError
        If the model or its options are unknown, or the trials are not declared to be scores.
    TrialDataError
        If the trials cannot be read, or none of them has a variant beside the base.
    """
    table = analysis_trials(analysis, data, out)
    if not isinstance(table.verdict, Score):
        raise ConfigError(
            f"model {analysis.model!r} takes scores, and analysis {analysis.name!r} declares no scale",
            allowed="a section [trials.score] with lowest, highest and step",
            remedy="declare the scale, or choose two_stage_association for choices",
        )
    model = load_model(analysis.model, analysis.options, tuple(table.frame.columns))
    paired = any(stage.name == PAIRED for stage in model.stages)
    rows = pair_rows(table) if paired else score_rows(table)
    if len(rows["validity"].variants) < 2:
        raise TrialDataError(
            f"all {len(table.frame)} trials of analysis {analysis.name!r} are of the base variant",
            allowed="a column `cue` with the word base for the reference and other words beside it",
            remedy="map the column of the factor to `cue` in [trials.columns], its reference level to `base`",
        )
    return ScoreSetup(analysis, table, table.verdict, {s.name: rows[s.name] for s in model.stages}, model)
