"""Trial input: where an analysis's trials come from, read into a trial table."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from judgestats.errors import ConfigError
from judgestats.study.analysis import Analysis
from judgestats.study.simulation import Simulation
from judgestats.trials.near_path import near_path
from judgestats.trials.reading import read_file, read_trials
from judgestats.trials.table import TrialTable

SIMULATED_FILE = "trials.csv"


def data_folder(analysis: Analysis, home: Path, data: Path | None) -> Path | None:
    """Return the folder that trials are read from, or None for simulated judges.

    Parameters
    ----------
    analysis : Analysis
        The analysis.
    home : Path
        Its folder or file; a folder ``data`` inside serves where `data` is None.
    data : Path, optional
        Folder given by the user.

    Raises
    ------
    ConfigError
        If `data` is given for simulated judges, or needed and absent, or the folder does not exist.
    """
    if analysis.simulation is not None:
        if data is not None:
            analysis.source()
        return None
    own = (home if home.is_dir() else home.parent) / (analysis.source().data or "data")
    if data is None and not own.is_dir():
        raise ConfigError(
            f"analysis {analysis.name!r} reads trials from files, no folder was given and {own} does not exist",
            allowed="--data DIR, or the folder that [trials] names with `data`",
        )
    folder = data or own
    if not folder.is_dir():
        raise ConfigError(
            f"the data folder {folder} {'is a file' if folder.exists() else 'does not exist'}",
            allowed="a folder with files of the layout that [trials] describes",
            remedy=("" if folder.exists() else near_path(folder)) or "`judgestats validate FILE` reads one bare table",
        )
    return folder


def analysis_trials(analysis: Analysis, data: Path | None, out: Path | None = None) -> TrialTable:
    """Read the trials of an analysis.

    Simulated trials are written to ``trials.csv`` in `out` (a temporary folder when it is None) and read back from
    there as any table is, so that what the report counts is what the file holds.
    """
    if analysis.simulation is None:
        if data is None:
            raise ConfigError(f"analysis {analysis.name!r} reads trials from files and no folder was given")
        return read_trials(analysis.source(), data)
    if out is not None:
        return _simulated(analysis.simulation, out)
    with tempfile.TemporaryDirectory(prefix="judgestats-") as folder:
        return _simulated(analysis.simulation, Path(folder))


def _simulated(simulation: Simulation, folder: Path) -> TrialTable:
    path = folder / SIMULATED_FILE
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    simulation.trials().to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")
    temporary.replace(path)
    return read_file(path, simulation.labels(), scale=simulation.scale())
