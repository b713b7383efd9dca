"""Layout: gives the columns of one file their meaning, by map, path, constant or name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

import pandas as pd

from judgestats.errors import TrialDataError, near_match
from judgestats.trials.columns import BLOCKS, REQUIRED, TEXT
from judgestats.trials.mapping import TrialsSource
from judgestats.trials.readers.raw import RawTable
from judgestats.trials.schema import undeclared
from judgestats.trials.status import STATUSES
from judgestats.trials.wording import quoted

ENDINGS: tuple[str, ...] = (".csv", ".tsv", ".parquet", ".pq", ".jsonl", ".ndjson", ".json", ".eval")
DECLARED_WORDS: dict[str, tuple[str, ...]] = {
    "block": BLOCKS,
    "status": STATUSES,
    "consistent": ("true", "false"),
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
    needed = set(REQUIRED) | set(source.coding.needs() if source.coding else ())
    _refuse_absent([name for name in absent if name in needed], source, frame, path)
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
    group_needs = [name for name in (source.coding.needs() if source.coding else ()) if name not in out]
    _refuse_absent(group_needs, source, frame, path)
    return out, absent


def translate(column: pd.Series, name: str, words: Mapping[str, str], file: str) -> pd.Series:
    """Return a column in our words; a word that is neither mapped nor declared is an error."""
    text = column.astype(TEXT).str.strip()
    out = text.map(lambda word: words.get(word, word), na_action="ignore").astype(TEXT)
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


def _refuse_absent(names: list[str], source: TrialsSource, frame: pd.DataFrame, path: str) -> None:
    if not names:
        return
    wanted = [f"{source.columns[name]!r} (as {name})" if name in source.columns else repr(name) for name in names]
    hints = [near_match(source.columns.get(name, name), map(str, frame.columns)) for name in names]
    raise TrialDataError(
        f"{path}: needed columns are not there: {', '.join(wanted)}; found {quoted(frame.columns, 30)}"
        + "".join(f"; {hint}" for hint in hints if hint),
        allowed="files that hold every column that the analysis needs",
        remedy="map the column's real name in [trials.columns]",
    )
