"""Expected answer: a column of the file says which label counts as consistent."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from judgestats.errors import TrialDataError
from judgestats.trials.refusal import RefusalPatterns
from judgestats.trials.status import STATUSES, Status
from judgestats.trials.wording import offending


@dataclass(frozen=True)
class ExpectedAnswer:
    """Consistent means that the answer equals another column.

    Parameters
    ----------
    expected : str
        Column with the answer that counts as consistent.
    declared : tuple of str
        The declared labels, compared after stripping; anything else is lost.
    refusal : RefusalPatterns
        What counts as a refusal among the answers that are not valid.
    """

    expected: str
    declared: tuple[str, ...]
    refusal: RefusalPatterns = field(default_factory=RefusalPatterns)

    def needs(self) -> tuple[str, ...]:
        """Return the columns that the rule reads."""
        return ("response", self.expected)

    def labels(self) -> tuple[str, ...]:
        """Return the declared labels."""
        return self.declared

    def apply(self, frame: pd.DataFrame, file: str) -> pd.DataFrame:
        """Code the trials; TrialDataError where the expected answer is no label.

        A status that the file already gives (an error, a filter) stays where it is not ``valid``.
        """
        expected = frame[self.expected].fillna("").str.strip()
        if not expected.isin(self.declared).all():
            bad = expected[~expected.isin(self.declared)]
            raise TrialDataError(
                f"{file}: column {self.expected!r} holds {len(bad)} entries that are no label: "
                f"{offending(bad, self.declared, file)}",
                allowed=", ".join(self.declared),
                remedy="correct the entries, or declare the label",
            )
        answers = frame["response"].fillna("").str.strip()
        valid = answers.isin(self.declared)
        status = self.refusal.lost(answers).mask(valid, Status.VALID.value)
        if "status" in frame:
            given = frame["status"].fillna("").str.strip().str.lower()
            lost = given.isin(STATUSES) & (given != Status.VALID.value)
            if self.refusal.patterns:
                # What the reader could not decide, a declared pattern may.
                lost &= ~((given == Status.MALFORMED.value) & (status == Status.REFUSAL.value))
            status = status.mask(lost, given)
        out = frame.copy()
        out["status"] = status
        out["response"] = frame["response"].mask(valid, answers)
        out["consistent"] = (answers == expected).astype("boolean").where(status == Status.VALID.value)
        return out
