"""Trials: the trial table, its readers, checks and the coding of outcomes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgestats.trials.cell import Cell
    from judgestats.trials.checks import ValidationReport, inspect_table
    from judgestats.trials.coding import invalid_as_inconsistent, stage_counts
    from judgestats.trials.counts import StageCounts
    from judgestats.trials.mapping import TrialsSource
    from judgestats.trials.reading import read_file, read_trials
    from judgestats.trials.score_coding import pair_rows, score_rows
    from judgestats.trials.score_rows import ScoreRows
    from judgestats.trials.score_source import ScoreSource
    from judgestats.trials.status import Status
    from judgestats.trials.table import Choice, Notice, Score, SourceFile, TrialTable
    from judgestats.trials.variant import Variant

__all__ = [
    "Cell",
    "Choice",
    "Notice",
    "Score",
    "ScoreRows",
    "ScoreSource",
    "SourceFile",
    "StageCounts",
    "Status",
    "TrialTable",
    "TrialsSource",
    "ValidationReport",
    "Variant",
    "inspect_table",
    "invalid_as_inconsistent",
    "pair_rows",
    "read_file",
    "read_trials",
    "score_rows",
    "stage_counts",
]

_HOMES = {
    "Cell": "cell",
    "Choice": "table",
    "Notice": "table",
    "Score": "table",
    "ScoreRows": "score_rows",
    "ScoreSource": "score_source",
    "SourceFile": "table",
    "StageCounts": "counts",
    "Status": "status",
    "TrialTable": "table",
    "TrialsSource": "mapping",
    "ValidationReport": "checks",
    "Variant": "variant",
    "inspect_table": "checks",
    "invalid_as_inconsistent": "coding",
    "pair_rows": "score_coding",
    "read_file": "reading",
    "read_trials": "reading",
    "score_rows": "score_coding",
    "stage_counts": "coding",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that importing the package stays cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
