"""Words: from the spellings of a file to the types of the trial table."""

from __future__ import annotations

import pandas as pd

from judgestats.errors import TrialDataError
from judgestats.trials.columns import IDENTITY, MISSING_NAME, NUMBERS, TEXT, WEIGHT
from judgestats.trials.schema import undeclared
from judgestats.trials.status import Status
from judgestats.trials.table import Notice
from judgestats.trials.wording import quoted, row_list

EMPTY_WORDS = ("", "na", "n/a", "nan", "null", "<na>")
"""Spellings of "nothing here" in columns that hold declared words or numbers, in lower case."""
EMPTY_NAMES = ("", "NaN", "nan", "NA", "<NA>")
"""Spellings of "nothing here" in names, as programs write them: Nan is a name. Answers are never read this way."""

CONSISTENT: dict[str, bool] = {
    "true": True,
    "false": False,
    "1": True,
    "0": False,
    "1.0": True,
    "0.0": False,
    "consistent": True,
    "inconsistent": False,
}


def tidy(column: pd.Series, lower: bool = False) -> pd.Series:
    """Return text without outer blanks, NaN for spellings of an empty entry."""
    text = column.astype(TEXT).str.strip()
    folded = text.str.lower()
    return (folded if lower else text).mask(folded.isin(EMPTY_WORDS))


def named(column: pd.Series) -> pd.Series:
    """Return names without outer blanks, NaN where a program wrote that there is none."""
    text = column.astype(TEXT).str.strip()
    return text.mask(text.isin(EMPTY_NAMES))


def spell(frame: pd.DataFrame, file: str, verdict: str = "consistent") -> tuple[pd.DataFrame, tuple[Notice, ...]]:
    """Return the frame in the declared words and types.

    Status, block and consistent are read without regard to case and outer blanks. Names lose outer blanks, which makes one
    name of two spellings. An empty judge, domain or item becomes the name ``(missing)``, an empty status without a verdict
    the status missing. Each of these is counted.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows of one file under our names.
    file : str
        Name for messages.
    verdict : {"consistent", "score"}
        Column that holds the verdict.

    Raises
    ------
    TrialDataError
        A word or number that cannot be read, with its rows; a verdict without a status.
    """
    out = frame.copy()
    notices: list[Notice] = []
    for name in ("status", "block"):
        if name in out:
            out[name] = tidy(out[name], lower=True)
    if verdict == "consistent" and verdict in out and out[verdict].dtype != "boolean":
        out["consistent"] = booleans(out["consistent"], file)
    for name in NUMBERS:
        if name in out:
            out[name] = numbers(out[name], name, file)
    if WEIGHT in out:
        out[WEIGHT] = whole_numbers(out[WEIGHT], file)
    for name in ("cluster", "repeat", "prompt_config"):
        if name in out:
            notices += _outer_blanks(out[name], name, file)
            out[name] = named(out[name])
    if "response" in out:
        answers = out["response"].astype(TEXT).str.strip()
        out["response"] = answers.mask(answers == "")
    for name in IDENTITY:
        if name in out:
            notices += _outer_blanks(out[name], name, file)
            out[name] = named(out[name])
            notices += _named_missing(out, name, file)
    if "status" in out:
        notices += _status_missing(out, file, verdict)
    return out, tuple(notices)


def booleans(column: pd.Series, file: str) -> pd.Series:
    """Return the nullable booleans that a column spells as true/false, 1/0 or consistent/inconsistent."""
    text = tidy(column, lower=True)
    known = text.isin(list(CONSISTENT)) | text.isna()
    if not known.all():
        raise undeclared(text[~known], "consistent", tuple(CONSISTENT), file)
    return text.map(CONSISTENT).astype("boolean")


def numbers(column: pd.Series, name: str, file: str) -> pd.Series:
    """Return a column as float64; TrialDataError names the entries that are no numbers."""
    text = tidy(column)
    out = pd.to_numeric(text, errors="coerce").astype("float64")
    bad = text[out.isna() & text.notna()]
    if len(bad):
        raise TrialDataError(
            f"{file}: column {name!r} holds {len(bad)} entries that are not numbers: {quoted(bad.unique())} "
            f"({row_list(bad.index.tolist(), file)})",
            allowed="numbers, or an empty field",
            remedy="correct the entries, or give the column another name",
        )
    return out


def whole_numbers(column: pd.Series, file: str) -> pd.Series:
    """Return the counts of an aggregated table as int64."""
    out = numbers(column, WEIGHT, file)
    bad = column[out.isna() | (out < 0) | (out % 1 != 0)]
    if len(bad):
        raise TrialDataError(
            f"{file}: column {WEIGHT!r} holds {len(bad)} entries that are not counts: {quoted(bad.unique())} "
            f"({row_list(bad.index.tolist(), file)})",
            allowed="whole numbers from 0 that say for how many equal trials a row stands",
            remedy="correct the counts, or give the column another name if it means something else",
        )
    return out.astype("int64")


def _outer_blanks(column: pd.Series, name: str, file: str) -> list[Notice]:
    """Count names that lose outer blanks: ``judge`` and ``judge `` may have been meant as two."""
    text = column.astype(TEXT).dropna()
    bare = text.str.strip()
    rows = text.index[(text != bare) & (bare != "")]
    if not len(rows):
        return []
    changed = sorted(text[rows].unique())
    there = set(text.unique())
    merged = sorted({word.strip() for word in changed if word.strip() in there})
    what = f"; {quoted(merged, 3)} also occurs without them, and the two are now one" if merged else ""
    sentence = (
        f"{file}: column {name!r} has blanks around the name in {len(rows)} rows ({quoted(changed, 3)}); they are read "
        f"without the blanks{what}"
    )
    return [Notice("outer_blanks", sentence, len(rows))]


def _named_missing(out: pd.DataFrame, name: str, file: str) -> list[Notice]:
    empty = out.index[out[name].isna()]
    if not len(empty):
        return []
    out[name] = out[name].fillna(MISSING_NAME)
    text = (
        f"{file}: column {name!r} is empty (NaN) in {len(empty)} rows ({row_list(empty.tolist(), file)}); "
        f"they are kept under the name {MISSING_NAME}"
    )
    return [Notice("nan", text, len(empty))]


def _status_missing(out: pd.DataFrame, file: str, column: str) -> list[Notice]:
    empty = out["status"].isna()
    if not empty.any():
        return []
    verdict = empty & (out[column].notna() if column in out else False)
    if verdict.any():
        rows = out.index[verdict].tolist()
        raise TrialDataError(
            f"{file}: column 'status' is empty (NaN) in {len(rows)} rows that hold a verdict ({row_list(rows, file)})",
            allowed=", ".join(Status),
            remedy="say for each row what kind of answer came back; it is not guessed from the verdict",
        )
    out["status"] = out["status"].fillna(Status.MISSING.value)
    rows = out.index[empty].tolist()
    text = f"{file}: column 'status' is empty (NaN) in {len(rows)} rows without a verdict ({row_list(rows, file)}): missing"
    return [Notice("nan", text, len(rows))]
