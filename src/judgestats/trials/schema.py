"""Schema: the declared columns and words of the choice trial table, checked with pandera."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from judgestats.errors import TrialDataError
from judgestats.trials.columns import BLOCKS, IDENTITY, REQUIRED, WEIGHT
from judgestats.trials.guessing import likely_columns, question
from judgestats.trials.status import STATUSES, Status
from judgestats.trials.wording import offending, quoted, row_list

if TYPE_CHECKING:
    from pandera.errors import SchemaErrors
    from pandera.pandas import DataFrameSchema

STATUS_KNOWN = "status_known"
BLOCK_KNOWN = "block_known"
LABEL_DECLARED = "label_declared"
VERDICT_WHERE_VALID = "verdict_where_valid"
NO_VERDICT_WHERE_LOST = "no_verdict_where_lost"
COUNT_NOT_NEGATIVE = "count_not_negative"


def choice_schema(labels: tuple[str, ...] = ()) -> DataFrameSchema:
    """Return the schema of a trial table whose verdict is a choice.

    Parameters
    ----------
    labels : tuple of str
        Declared response labels; a valid response is one of them. Empty when none are declared.

    Returns
    -------
    pandera.DataFrameSchema
        ``judge domain item status`` are text without gaps, ``status`` is a `Status`, ``block`` is congruent,
        incongruent or NA, ``consistent`` is given exactly where the status is valid; further columns pass.
    """
    import pandera.pandas as pa

    columns = {name: pa.Column(nullable=False) for name in IDENTITY}
    columns["status"] = pa.Column(checks=pa.Check.isin(STATUSES, name=STATUS_KNOWN), nullable=False)
    columns["consistent"] = pa.Column("boolean", nullable=True)
    columns["response"] = pa.Column(nullable=True, required=bool(labels))
    columns["block"] = pa.Column(checks=pa.Check.isin(BLOCKS, name=BLOCK_KNOWN), nullable=True, required=False)
    columns[WEIGHT] = pa.Column("int64", checks=pa.Check.ge(0, name=COUNT_NOT_NEGATIVE), required=False)
    checks = [
        pa.Check(_verdict_where_valid, name=VERDICT_WHERE_VALID),
        pa.Check(_no_verdict_where_lost, name=NO_VERDICT_WHERE_LOST),
    ]
    if labels:
        allowed = frozenset(labels)
        checks.append(pa.Check(lambda frame: _label_declared(frame, allowed), name=LABEL_DECLARED))
    if not labels:
        del columns["response"]
    return pa.DataFrameSchema(columns, checks=checks)


def _verdict_where_valid(frame: pd.DataFrame) -> pd.Series:
    return (frame["status"] != Status.VALID.value) | frame["consistent"].notna()


def _no_verdict_where_lost(frame: pd.DataFrame) -> pd.Series:
    return (frame["status"] == Status.VALID.value) | frame["consistent"].isna()


def _label_declared(frame: pd.DataFrame, allowed: frozenset[str]) -> pd.Series:
    return (frame["status"] != Status.VALID.value) | frame["response"].isin(allowed)


def require_columns(
    frame: pd.DataFrame, file: str, needed: Sequence[str], absent: Mapping[str, str] | None = None
) -> None:
    """Raise TrialDataError that names every column which the table needs and does not have.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table under our names.
    file : str
        Name for the message.
    needed : sequence of str
        Our columns that must be there.
    absent : mapping of str to str, optional
        Our column to the column that the analysis names for it and that the file does not have.
    """
    mapped = absent or {}
    lacking = [name for name in needed if name in mapped or name not in frame]
    if not lacking:
        return
    wanted = [f"{mapped[name]!r} (as {name})" if name in mapped else repr(name) for name in lacking]
    # A table without the needed columns most likely calls its block by another name too.
    asked = [*lacking, *(["block"] if "block" not in frame else [])]
    misspelt = {ours: hint for ours in lacking if ours in mapped and (hint := _near_column(mapped[ours], frame))}
    likely = misspelt | likely_columns([name for name in asked if name not in misspelt], frame)
    raise TrialDataError(
        f"{file}: needed columns are not there: {', '.join(wanted)}; found {quoted(frame.columns, 30)}"
        + (f". {question(likely, frame)}" if likely else ""),
        allowed=f"a table with the columns {', '.join(needed)}",
        remedy="rename the columns, or map them in [trials.columns] of an analysis.toml"
        + ("; where verdicts are scores, declare the scale in [trials.score]" if _scored(lacking, frame) else ""),
    )


def _scored(lacking: Sequence[str], frame: pd.DataFrame) -> bool:
    return "consistent" in lacking and "score" in frame


def _near_column(name: str, frame: pd.DataFrame) -> str:
    close = difflib.get_close_matches(name, list(map(str, frame.columns)), n=1)
    return close[0] if close else ""


def needed_columns(labels: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the columns that a table without a coding rule needs."""
    return (*REQUIRED, "response") if labels else REQUIRED


def check(frame: pd.DataFrame, file: str, labels: tuple[str, ...] = ()) -> None:
    """Check the frame of one file against the schema; its index holds the row numbers of the file.

    Raises
    ------
    TrialDataError
        Names the file, the column, the words with counts and rows, the allowed words and a near match.
    """
    import pandera.errors

    require_columns(frame, file, needed_columns(labels))
    try:
        choice_schema(labels).validate(frame, lazy=True)
    except pandera.errors.SchemaErrors as error:
        raise _sentence(frame, file, labels, _failed(error)) from error


def _failed(error: SchemaErrors) -> set[str]:
    """Return the names of the checks that failed."""
    return {str(getattr(found.check, "name", found.check)) for found in error.schema_errors}


def _sentence(frame: pd.DataFrame, file: str, labels: tuple[str, ...], failed: set[str]) -> TrialDataError:
    """Return the error for the first failed check, in the order in which a reader would mend the file."""
    words = {STATUS_KNOWN: ("status", STATUSES), BLOCK_KNOWN: ("block", BLOCKS)}
    for name, (column, allowed) in words.items():
        if name in failed:
            return undeclared(frame[column].dropna(), column, allowed, file)
    if LABEL_DECLARED in failed:
        bad = frame.loc[~_label_declared(frame, frozenset(labels)), "response"].fillna("(empty)")
        return undeclared(bad, "response", labels, file)
    if VERDICT_WHERE_VALID in failed:
        rows = frame.index[~_verdict_where_valid(frame)].tolist()
        return TrialDataError(
            f"{file}: column 'consistent' is empty in {len(rows)} rows whose status is valid ({row_list(rows, file)})",
            allowed="a verdict wherever the status is valid",
            remedy="fill in the verdict, or give the status that says how it was lost",
        )
    if NO_VERDICT_WHERE_LOST in failed:
        rows = frame.index[~_no_verdict_where_lost(frame)].tolist()
        return TrialDataError(
            f"{file}: column 'consistent' has a verdict in {len(rows)} rows whose status is not valid "
            f"({row_list(rows, file)})",
            allowed="an empty `consistent` wherever the answer was lost",
            remedy="empty it, or correct the status: a lost answer is never a number",
        )
    return TrialDataError(
        f"{file}: the table does not have the form of a trial table ({', '.join(sorted(failed))})",
        allowed=f"{', '.join(IDENTITY)} and status without gaps, block of {' or '.join(BLOCKS)}",
        remedy="correct the columns that are named",
    )


def undeclared(column: pd.Series, name: str, allowed: tuple[str, ...], file: str, also: str = "") -> TrialDataError:
    """Return the error for words outside the declared ones."""
    bad = column[~column.isin(allowed)]
    return TrialDataError(
        f"{file}: column {name!r} holds {len(bad)} rows with words that are not declared: {offending(bad, allowed, file)}",
        allowed=", ".join(allowed) + also,
        remedy=f"correct the file, or map the words in [trials.values.{name}] of an analysis.toml"
        + (", or declare further labels" if name == "response" else ""),
    )
