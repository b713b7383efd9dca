"""Instructed mapping: a block tells the judge which group goes to which category."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np
import pandas as pd

from judgestats.errors import ConfigError, TrialDataError
from judgestats.trials.columns import BLOCKS, TEXT
from judgestats.trials.refusal import RefusalPatterns
from judgestats.trials.status import Status
from judgestats.trials.wording import offending, quoted, row_list


@dataclass(frozen=True)
class InstructedTest:
    """The two categories of one association test and which group the congruent block sends where.

    Parameters
    ----------
    domains : tuple of str
        Names of the domains, as shell patterns.
    congruent : dict of str to str
        Group pattern to category; the incongruent block swaps the two categories.
    """

    domains: tuple[str, ...]
    congruent: Mapping[str, str]

    def __post_init__(self) -> None:
        if len(self.categories()) != 2:
            raise ConfigError(
                f"test {quoted(self.domains)} names {len(self.categories())} categories: {quoted(self.categories())}",
                allowed="exactly two categories a test",
                remedy="correct `congruent` in [[trials.coding.tests]]",
            )

    def categories(self) -> tuple[str, ...]:
        """Return the category names, sorted."""
        return tuple(sorted(set(self.congruent.values())))

    def covers(self, domain: str) -> bool:
        """Return whether the test speaks about `domain`."""
        return any(fnmatchcase(domain, pattern) for pattern in self.domains)

    def target(self, group: str) -> str | None:
        """Return the category that the congruent block assigns to `group`; None when it is not declared."""
        for pattern, category in self.congruent.items():
            if fnmatchcase(group, pattern):
                return category
        return None


@dataclass(frozen=True)
class InstructedMapping:
    """The block instructs a mapping from groups to categories; consistent means that the answer follows it.

    An answer is valid when, stripped and lower-cased, it is one of the test's two category names.

    Parameters
    ----------
    group : str
        Column with the group that the item belongs to.
    tests : tuple of InstructedTest
        The declared tests; the first that covers a domain speaks for it.
    refusal : RefusalPatterns
        What counts as a refusal among the answers that are not valid.
    """

    group: str
    tests: tuple[InstructedTest, ...]
    refusal: RefusalPatterns = field(default_factory=RefusalPatterns)

    def needs(self) -> tuple[str, ...]:
        """Return the columns that the rule reads."""
        return ("domain", "block", "response", self.group)

    def labels(self) -> tuple[str, ...]:
        """Return the category names of all tests."""
        return tuple(sorted({category for test in self.tests for category in test.categories()}))

    def apply(self, frame: pd.DataFrame, file: str) -> pd.DataFrame:
        """Code the trials; TrialDataError names domains and groups that no declared test covers."""
        answers = frame["response"]
        folded = answers.fillna("").str.strip().str.lower()
        first, second, target = self._instructions(frame, file)
        valid = (folded == first) | (folded == second)
        other = pd.Series(np.where(target == first, second, first), index=frame.index)
        block = frame["block"]
        unknown = valid & ~block.isin(BLOCKS)
        if unknown.any():
            rows = frame.index[unknown].tolist()
            raise TrialDataError(
                f"{file}: {len(rows)} valid answers stand in no block ({row_list(rows, file)}), so no instruction says "
                "which answer was asked for",
                allowed=" or ".join(BLOCKS),
                remedy="map the words of the block column in [trials.values.block]",
            )
        asked = target.where(block == BLOCKS[0], other)
        out = frame.copy()
        out["status"] = self.refusal.lost(answers).mask(valid, Status.VALID.value)
        out["response"] = answers.mask(valid, folded)
        out["consistent"] = (folded == asked).astype("boolean").where(valid)
        return out

    def _instructions(self, frame: pd.DataFrame, file: str) -> tuple[pd.Series, pd.Series, pd.Series]:
        """Return the test's two categories and the congruent target of every row."""
        pairs = frame[["domain", self.group]].fillna("")
        rules: dict[tuple[str, str], tuple[str, str, str]] = {}
        for domain, group in pairs.drop_duplicates().itertuples(index=False):
            test = next((test for test in self.tests if test.covers(str(domain))), None)
            if test is None:
                raise self._undeclared_domain(frame, str(domain), file)
            target = test.target(str(group))
            if target is None:
                bad = pairs.loc[(pairs["domain"] == domain) & (pairs[self.group] == group), self.group]
                raise TrialDataError(
                    f"{file}: column {self.group!r} holds a group that the test {domain!r} does not declare: "
                    f"{offending(bad, test.congruent, file)}",
                    allowed=", ".join(test.congruent),
                    remedy="add the group to `congruent` of that test in [[trials.coding.tests]]",
                )
            rules[(str(domain), str(group))] = (*test.categories(), target)  # type: ignore[assignment]
        keys = list(zip(pairs["domain"].astype(str), pairs[self.group].astype(str), strict=True))
        parts = [[rules[key][i] for key in keys] for i in range(3)]
        first, second, target_column = (pd.Series(part, index=frame.index, dtype=TEXT) for part in parts)
        return first, second, target_column

    def _undeclared_domain(self, frame: pd.DataFrame, domain: str, file: str) -> TrialDataError:
        patterns = [pattern for test in self.tests for pattern in test.domains]
        bad = frame["domain"].fillna("")
        return TrialDataError(
            f"{file}: no declared test covers the domain {offending(bad[bad == domain], patterns, file)}",
            allowed=f"domains like {', '.join(patterns)}",
            remedy="declare its two categories and groups in [[trials.coding.tests]]",
        )
