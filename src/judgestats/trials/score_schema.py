"""Score schema: the declared columns and words of a trial table whose verdict is a score, checked with pandera."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from judgestats.errors import TrialDataError
from judgestats.trials.columns import IDENTITY, POLARITIES, SCORED, WEIGHT
from judgestats.trials.schema import COUNT_NOT_NEGATIVE, STATUS_KNOWN, require_columns, undeclared
from judgestats.trials.status import STATUSES, Status
from judgestats.trials.table import Score
from judgestats.trials.variant import BASE_CUE
from judgestats.trials.wording import row_list

if TYPE_CHECKING:
    from pandera.pandas import DataFrameSchema

ON_STEP = 1e-6
"""How far from a level a score may be, in steps: what rounding in a file leaves (0.1 x 3), far below any half step."""

POLARITY_KNOWN = "polarity_known"
BASE_WITHOUT_POLARITY = "base_without_polarity"
SCORE_WHERE_VALID = "score_where_valid"
NO_SCORE_WHERE_LOST = "no_score_where_lost"
ON_SCALE = "on_scale"
ON_A_STEP = "on_a_step"


def score_schema(scale: Score) -> DataFrameSchema:
    """Return the schema of a trial table whose verdict is a score.

    Parameters
    ----------
    scale : Score
        The declared scale.

    Returns
    -------
    pandera.DataFrameSchema
        ``judge domain item status`` are text without gaps, ``status`` is a `Status`, ``score`` is given exactly where the
        status is valid, lies on the scale and on a step; ``polarity`` is pos, neg or NA and NA for the base; further
        columns pass.
    """
    import pandera.pandas as pa

    columns = {name: pa.Column(nullable=False) for name in IDENTITY}
    columns["status"] = pa.Column(checks=pa.Check.isin(STATUSES, name=STATUS_KNOWN), nullable=False)
    columns["score"] = pa.Column("float64", nullable=True)
    columns["cue"] = pa.Column(nullable=False, required=False)
    columns["polarity"] = pa.Column(
        checks=pa.Check.isin(POLARITIES, name=POLARITY_KNOWN), nullable=True, required=False
    )
    columns[WEIGHT] = pa.Column("int64", checks=pa.Check.ge(0, name=COUNT_NOT_NEGATIVE), required=False)
    tests: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
        SCORE_WHERE_VALID: _score_where_valid,
        NO_SCORE_WHERE_LOST: _no_score_where_lost,
        BASE_WITHOUT_POLARITY: _base_without_polarity,
        ON_SCALE: lambda frame: ~off_scale(frame["score"], scale),
        ON_A_STEP: lambda frame: ~off_step(frame["score"], scale),
    }
    return pa.DataFrameSchema(columns, checks=[pa.Check(test, name=name) for name, test in tests.items()])


def _score_where_valid(frame: pd.DataFrame) -> pd.Series:
    return (frame["status"] != Status.VALID.value) | frame["score"].notna()


def _no_score_where_lost(frame: pd.DataFrame) -> pd.Series:
    return (frame["status"] == Status.VALID.value) | frame["score"].isna()


def _base_without_polarity(frame: pd.DataFrame) -> pd.Series:
    if "polarity" not in frame:
        return pd.Series(True, index=frame.index)
    base = frame["cue"] == BASE_CUE if "cue" in frame else pd.Series(True, index=frame.index)
    return ~base | frame["polarity"].isna()


def off_scale(score: pd.Series, scale: Score) -> pd.Series:
    """Return whether each score lies outside the scale; False where there is none."""
    slack = ON_STEP * scale.step
    return (score < scale.lowest - slack) | (score > scale.highest + slack)


def off_step(score: pd.Series, scale: Score) -> pd.Series:
    """Return whether each score lies between two levels of the scale; False where there is none."""
    steps = (score - scale.lowest) / scale.step
    return (steps - np.round(steps)).abs() > ON_STEP


def check_scores(frame: pd.DataFrame, file: str, scale: Score) -> None:
    """Check the frame of one file against the schema; its index holds the row numbers of the file.

    Raises
    ------
    TrialDataError
        The first thing wrong, in the order in which a reader would mend the file: names the file, the column, the entries
        with rows, what is allowed and what to do.
    """
    import pandera.errors

    require_columns(frame, file, SCORED)
    try:
        score_schema(scale).validate(frame, lazy=True)
    except pandera.errors.SchemaErrors as error:
        failed = {str(getattr(found.check, "name", found.check)) for found in error.schema_errors}
        raise _sentence(frame, file, scale, failed) from error


def _sentence(frame: pd.DataFrame, file: str, scale: Score, failed: set[str]) -> TrialDataError:
    words = {STATUS_KNOWN: ("status", STATUSES), POLARITY_KNOWN: ("polarity", POLARITIES)}
    for name, (column, allowed) in words.items():
        if name in failed:
            return undeclared(frame[column].dropna(), column, allowed, file)
    if ON_SCALE in failed:
        return _outside(frame.loc[off_scale(frame["score"], scale), "score"], file, scale)
    if ON_A_STEP in failed:
        return _between(frame.loc[off_step(frame["score"], scale), "score"], file, scale)
    if SCORE_WHERE_VALID in failed:
        rows = frame.index[~_score_where_valid(frame)].tolist()
        return TrialDataError(
            f"{file}: column 'score' is empty in {len(rows)} rows whose status is valid ({row_list(rows, file)})",
            allowed="a score wherever the status is valid",
            remedy="fill in the score, or give the status that says how it was lost",
        )
    if NO_SCORE_WHERE_LOST in failed:
        rows = frame.index[~_no_score_where_lost(frame)].tolist()
        return TrialDataError(
            f"{file}: column 'score' has a score in {len(rows)} rows whose status is not valid ({row_list(rows, file)})",
            allowed="an empty `score` wherever the answer was lost",
            remedy="empty it, or correct the status: a lost answer is never a number",
        )
    if BASE_WITHOUT_POLARITY in failed:
        rows = frame.index[~_base_without_polarity(frame)].tolist()
        return TrialDataError(
            f"{file}: column 'polarity' holds a sign in {len(rows)} rows of the base ({row_list(rows, file)})",
            allowed="an empty `polarity` where `cue` is base or empty",
            remedy="empty the polarity there, or name the cue that those rows carry",
        )
    return TrialDataError(
        f"{file}: the table does not have the form of a trial table of scores ({', '.join(sorted(failed))})",
        allowed=f"{', '.join(IDENTITY)} and status without gaps, score a number",
        remedy="correct the columns that are named",
    )


def _words(bad: pd.Series, file: str) -> str:
    values = ", ".join(f"{value:g} ({n} row{'' if n == 1 else 's'})" for value, n in bad.value_counts().head(5).items())
    return f"{values}; {row_list(bad.index.tolist(), file)}"


def _outside(bad: pd.Series, file: str, scale: Score) -> TrialDataError:
    codes = sorted(value for value in bad.unique() if value == -1)
    ask = "; is -1 the code of a failed call? Then add error_codes = [-1] to [trials.score]" if codes else ""
    return TrialDataError(
        f"{file}: column 'score' holds {len(bad)} scores outside the scale: {_words(bad, file)}{ask}",
        allowed=f"{scale.lowest:g} to {scale.highest:g}, as [trials.score] declares",
        remedy="correct the scores or the scale; a score is never clipped to an end",
    )


def _between(bad: pd.Series, file: str, scale: Score) -> TrialDataError:
    return TrialDataError(
        f"{file}: column 'score' holds {len(bad)} scores between two levels of the scale: {_words(bad, file)}",
        allowed=f"{scale.lowest:g} to {scale.highest:g} in steps of {scale.step:g}, as [trials.score] declares",
        remedy="declare the step that the judge was allowed, or correct the scores; a score is never rounded to a level",
    )
