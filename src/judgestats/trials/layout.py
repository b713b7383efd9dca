"""Layout: gives the columns of one file their meaning, by map, path, constant or name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

import pandas as pd

from judgestats.errors import TrialDataError
from judgestats.trials.columns import BLOCKS, IDENTITY, POLARITIES, REQUIRED, SCORED, TEXT
from judgestats.trials.mapping import TrialsSource
from judgestats.trials.readers.raw import RawTable
from judgestats.trials.schema import needed_columns, require_columns, undeclared
from judgestats.trials.status import STATUSES

ENDINGS: tuple[str, ...] = (".csv", ".tsv", ".parquet", ".pq", ".jsonl", ".ndjson", ".json", ".eval")
DECLARED_WORDS: dict[str, tuple[str, ...]] = {
    "block": BLOCKS,
    "status": STATUSES,
    "consistent": ("true", "false"),
    "polarity": POLARITIES,
}


def stem(name: str) -> str:
    """Return a file name without ``.gz`` and without its format's ending."""
    base = name[:-3] if name.lower().endswith(".gz") else name
    for ending in ENDINGS:
        if base.lower().endswith(ending):
            return base[: -len(ending)]
    return base


def path_part(path: str, part: str) -> str:
    """Return a part of a path relative to the data folder.

    Parameters
    ----------
    path : str
        For example ``Qwen3-8B/career_family.csv.gz``.
    part : str
        ``folder`` (``folder:2`` the one above it), ``stem`` or ``name``.

    Raises
    ------
    TrialDataError
        The path has no such folder.
    """
    pure = PurePosixPath(path)
    head, _, number = part.partition(":")
    if head == "name":
        return pure.name
    if head == "stem":
        return stem(pure.name)
    level = int(number or 1)
    folders = pure.parts[:-1]
    if len(folders) < level:
        raise TrialDataError(
            f"{path}: the path has no {part!r} below the data folder",
            allowed=f"files that lie {level} folder{'s' if level > 1 else ''} deep",
            remedy="point at the folder above, or take the column from elsewhere",
        )
    return folders[-level]


def arrange(raw: RawTable, source: TrialsSource, path: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows of one file under our column names, and which mapped columns the file lacks.

    A column of the file that is mapped loses its own name; one that would be hidden by a mapped name of ours is kept as
    ``source_<name>``.

    Raises
    ------
    TrialDataError
        A needed column is not in the file, or a mapped word is not declared.
    """
    frame = raw.frame
    columns = {**_free_defaults(raw.defaults, source), **source.columns}
    present = {ours: theirs for ours, theirs in columns.items() if theirs in frame}
    absent = [ours for ours, theirs in source.columns.items() if theirs not in frame]
    missing = {ours: source.columns[ours] for ours in absent}
    mapped = {ours: frame[theirs] for ours, theirs in present.items()}
    for ours, part in source.path.items():
        mapped[ours] = _same(path_part(path, part), frame)
    for ours, word in source.constants.items():
        mapped[ours] = _same(word, frame)
    if source.row_number:
        mapped[source.row_number] = pd.Series(frame.index.astype(str), index=frame.index, dtype=TEXT)
    for ours, words in source.values.items():
        column = mapped.get(ours, frame.get(ours))
        if column is not None:
            mapped[ours] = translate(column, ours, words, path)
    rest = {}
    consumed = set(present.values())
    for name in frame.columns:
        if name in consumed and name not in mapped:
            continue
        if name not in mapped:
            rest[str(name) or "source_index"] = frame[name]
        elif name not in consumed:
            rest[f"source_{name}"] = frame[name]
    out = pd.DataFrame({**mapped, **rest}, index=frame.index)
    require_columns(out, path, _needed(source, absent), missing)
    return out, absent


def _needed(source: TrialsSource, absent: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that a file must have: status and verdict only where no rule makes them."""
    if source.score is not None:
        return SCORED
    if source.coding is None:
        return needed_columns(source.labels())
    named = [name for name in absent if name in REQUIRED]  # the analysis says where they are, and they are not there
    return tuple(dict.fromkeys((*IDENTITY, *source.coding.needs(), *named)))


def translate(column: pd.Series, name: str, words: Mapping[str, str], file: str) -> pd.Series:
    """Return a column in our words; a word that is neither mapped nor declared is an error."""
    text = column.astype(TEXT).str.strip()
    # A word that is not mapped stays as it was written, so that whoever reads it next sees its blanks.
    out = text.map(words).astype(TEXT).where(text.isin(list(words)), column.astype(TEXT))
    declared = DECLARED_WORDS.get(name)
    if declared:
        allowed = (*words, *declared)
        folded = {word.lower() for word in allowed} | {word.lower() for word in words.values()}
        known = text.isna() | (text == "") | text.isin(allowed) | text.str.lower().isin(folded)
        if not known.all():
            raise undeclared(text[~known], name, allowed, file)
    return out


def _free_defaults(defaults: Mapping[str, str], source: TrialsSource) -> dict[str, str]:
    taken = {*source.path, *source.constants, source.row_number}
    return {ours: theirs for ours, theirs in defaults.items() if ours not in taken}


def _same(word: str, frame: pd.DataFrame) -> pd.Series:
    return pd.Series([word] * len(frame), index=frame.index, dtype=TEXT)
