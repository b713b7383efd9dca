"""Reading: from files to one canonically sorted trial table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from judgestats.errors import ConfigError
from judgestats.trials.columns import KNOWN, WEIGHT
from judgestats.trials.layout import arrange
from judgestats.trials.mapping import TrialsSource
from judgestats.trials.near_path import near_path
from judgestats.trials.noticing import data_notices
from judgestats.trials.readers.dispatch import format_of, read_format
from judgestats.trials.readers.named import named_reader
from judgestats.trials.readers.raw import RawTable
from judgestats.trials.readers.stream import DEFAULT_LIMIT, check_file, digest
from judgestats.trials.schema import check
from judgestats.trials.score_schema import check_scores
from judgestats.trials.score_source import ScoreSource
from judgestats.trials.score_words import spell_scores
from judgestats.trials.table import Notice, Score, SourceFile, TrialTable, Verdict
from judgestats.trials.wording import quoted
from judgestats.trials.words import spell

Progress = Callable[[str, int, int], None]
"""Called with (what is running, steps done, steps in all)."""


def read_trials(source: TrialsSource, data: Path, progress: Progress | None = None) -> TrialTable:
    """Read every file that the source's pattern finds below `data`.

    Parameters
    ----------
    source : TrialsSource
        What the analysis says about its files.
    data : Path
        Data folder.
    progress : callable, optional
        Called once a file.

    Returns
    -------
    TrialTable
        Every row of every file, sorted by judge, domain, item, block, cluster and then all other columns.

    Raises
    ------
    ConfigError
        The folder does not exist, or no file matches the pattern.
    TrialDataError
        A file cannot be read as trials; the message names it.
    """
    paths = _matching(source.files, data)
    frames, files, notices = [], [], []
    absent: dict[str, list[str]] = {}
    for step, path in enumerate(paths):
        name = path.relative_to(data).as_posix()
        if progress is not None:
            progress(f"reading {name}", step, len(paths))
        raw = _raw(source, path, data, name)
        frame, lacking = arrange(raw, source, name)
        for column in lacking:
            absent.setdefault(column, []).append(name)
        frame, noticed = _finish(frame, source, name)
        frames.append(frame)
        files.append(SourceFile(name, digest(path), len(raw.frame)))
        notices += [*raw.notices, *noticed]
    notices += [_absence(column, names, len(paths), source) for column, names in absent.items()]
    return _table(frames, source.verdict(), tuple(files), notices)


def read_file(
    path: Path, labels: tuple[str, ...] = (), limit: int = DEFAULT_LIMIT, scale: Score | None = None
) -> TrialTable:
    """Read one file whose columns already bear the names of the trial table, or an Inspect log.

    Parameters
    ----------
    path : Path
        CSV, TSV, Parquet, JSON lines, a JSON list, or an Inspect log; each also with ``.gz``.
    labels : tuple of str
        Declared response labels; a valid response must be one of them.
    limit : int
        Most uncompressed bytes.
    scale : Score, optional
        The scale where verdicts are scores.

    Raises
    ------
    ConfigError
        No such file, a folder, an unknown ending.
    TrialDataError
        The file cannot be read as trials.
    """
    path = Path(path)
    check_file(path, path.name)
    score = None if scale is None else ScoreSource(scale)
    source = TrialsSource(files=path.name, response_labels=tuple(labels), max_bytes=limit, score=score)
    raw = _raw(source, path, path.parent, path.name)
    frame, _ = arrange(raw, source, path.name)
    frame, noticed = _finish(frame, source, path.name)
    files = (SourceFile(path.name, digest(path), len(raw.frame)),)
    return _table([frame], source.verdict(), files, [*raw.notices, *noticed])


def _matching(pattern: str, data: Path) -> list[Path]:
    if not data.is_dir():
        raise ConfigError(
            f"the data folder {data} does not exist",
            allowed="a folder that holds the files of the analysis",
            remedy=near_path(data) or "pass the folder with --data",
        )
    try:
        found = (path for path in data.glob(pattern) if path.is_file())
        paths = sorted(path for path in found if not path.name.startswith("."))  # a desktop's hidden files
    except (ValueError, NotImplementedError) as error:
        raise ConfigError(
            f"files = {pattern!r} is no glob pattern below the data folder ({error})",
            allowed='a relative pattern such as "*/*.csv*"',
            remedy="correct `files` in [trials]",
        ) from error
    if not paths:
        raise ConfigError(
            f"no file below {data} matches {pattern!r}",
            allowed="at least one file of the layout that the analysis names",
            remedy=near_path(data / pattern) or "check --data, or `files` in [trials]",
        )
    return paths


def _raw(source: TrialsSource, path: Path, data: Path, name: str) -> RawTable:
    if source.reader:
        return named_reader(source.reader)(path, data, name, source.options, source.max_bytes)
    kind = source.format or format_of(path, name)
    wanted = tuple(source.columns.values())
    return read_format(kind, path, name, source.max_bytes, source.options, wanted, source.coding is not None)


def _finish(frame: pd.DataFrame, source: TrialsSource, name: str) -> tuple[pd.DataFrame, tuple[Notice, ...]]:
    """Code status and verdict, spell the declared words and check the schema."""
    if source.score is not None:
        frame, scored = spell_scores(frame, name, source.score)
        frame, notices = spell(frame, name, "score")
        check_scores(frame, name, source.score.scale)
        return frame, (*scored, *notices)
    if source.coding is not None:
        frame = source.coding.apply(frame, name)
    frame, notices = spell(frame, name)
    check(frame, name, source.labels())
    return frame, notices


def _absence(column: str, names: Sequence[str], n_files: int, source: TrialsSource) -> Notice:
    theirs = source.columns[column]
    if len(names) == n_files:
        text = f"no file has the column {theirs!r}: the table has no {column}"
    else:
        text = f"{len(names)} of {n_files} files lack the column {theirs!r} ({quoted(names, 3)}): no {column} there"
    return Notice("column_absent", text, len(names))


def _table(
    frames: Sequence[pd.DataFrame], verdict: Verdict, files: tuple[SourceFile, ...], notices: list[Notice]
) -> TrialTable:
    if any(WEIGHT in frame for frame in frames):  # a file without counts holds one trial a row
        frames = [frame if WEIGHT in frame else frame.assign(**{WEIGHT: 1}) for frame in frames]
    frame = canonical(pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0])
    table = TrialTable(frame, verdict, files, tuple(notices))
    return replace(table, notices=(*notices, *data_notices(table)))


def canonical(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame sorted by its known columns and then by all others, so that the input order is forgotten."""
    known = [name for name in ("judge", "domain", "item", "block", "cluster") if name in frame]
    known += [name for name in KNOWN if name in frame and name not in known]
    others = sorted(str(name) for name in frame.columns if name not in known)
    names = [*known, *others]
    keys = [_ranks(frame[name]) for name in reversed(names)]
    order = np.lexsort(keys) if keys else np.arange(len(frame))
    return frame[names].iloc[order].reset_index(drop=True)


def _ranks(column: pd.Series) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the rank of each entry; text by code point, an empty entry last."""
    codes, uniques = pd.factorize(column, use_na_sentinel=True)
    words = uniques.tolist() if hasattr(uniques, "tolist") else list(uniques)
    rank = np.empty(len(words) + 1, dtype=np.int64)
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    rank[-1] = len(words)  # codes of empty entries are -1
    return rank[codes]
