"""Mapping: what an analysis says about its files, as a frozen dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from judgestats.errors import ConfigError, near_match
from judgestats.trials.expected import ExpectedAnswer
from judgestats.trials.instructed import InstructedMapping, InstructedTest
from judgestats.trials.readers.stream import DEFAULT_LIMIT
from judgestats.trials.refusal import RefusalPatterns
from judgestats.trials.rule import Rule
from judgestats.trials.score_source import ScoreSource
from judgestats.trials.table import Choice, Verdict

FORMATS: tuple[str, ...] = ("csv", "parquet", "jsonl", "inspect")
DESIGNS: tuple[str, ...] = ("instructed", "free_assignment")
PATH_PARTS: tuple[str, ...] = ("folder", "stem", "name")
RULES: dict[str, tuple[str, ...]] = {
    "instructed_mapping": ("group", "tests", "refusal"),
    "expected_answer": ("expected", "labels", "refusal"),
}


@dataclass(frozen=True)
class TrialsSource:
    """Where trials come from and how the columns of the files become those of the trial table.

    Parameters
    ----------
    files : str
        Glob pattern below the data folder.
    format : str
        ``csv``, ``parquet``, ``jsonl`` or ``inspect``; empty: told by the ending of each file.
    reader : str
        Named reader for a shape that a map cannot express; empty for none.
    options : dict
        Options of the format (``delimiter``, ``scorer``) or of the named reader.
    columns : dict of str to str
        Our column to the file's column.
    values : dict of str to dict
        For one of our columns, the file's word to ours.
    path : dict of str to str
        Our column to a part of the path: ``folder`` (``folder:2`` is the one above), ``stem`` (name without endings),
        ``name``.
    constants : dict of str to str
        Our column to one word for all trials.
    row_number : str
        Column that receives the row number within the file, from 1; empty for none.
    coding : Rule, optional
        How status and verdict follow from columns; None when the files hold them.
    response_labels : tuple of str
        Declared response labels where no rule declares them.
    max_bytes : int
        Most uncompressed bytes of one file.
    data : str
        Data folder that the analysis uses by default, relative to the analysis.
    design : {"instructed", "free_assignment"}
        Whether the blocks instruct the judge, or the judge may assign freely (see `Choice.free_assignment`).
    score : ScoreSource, optional
        The scale where verdicts are scores; None where they are choices.
    """

    files: str
    format: str = ""
    reader: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    path: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    row_number: str = ""
    coding: Rule | None = None
    response_labels: tuple[str, ...] = ()
    max_bytes: int = DEFAULT_LIMIT
    data: str = ""
    design: str = DESIGNS[0]
    score: ScoreSource | None = None

    def __post_init__(self) -> None:
        if self.format and self.format not in FORMATS:
            raise _unknown("format", self.format, FORMATS, "[trials]")
        if self.design not in DESIGNS:
            raise _unknown("design", self.design, DESIGNS, "[trials]")
        if self.score is not None and (self.coding is not None or self.response_labels or self.design != DESIGNS[0]):
            raise ConfigError(
                "[trials] declares scores and choices at once",
                allowed="either [trials.score], or `labels`, `design` and [trials.coding]",
                remedy="remove one of them",
            )
        for ours, part in self.path.items():
            head, _, number = part.partition(":")
            if head not in PATH_PARTS or (number and not (head == "folder" and number.isdecimal() and int(number))):
                raise _unknown(f"path part of {ours!r}", part, (*PATH_PARTS, "folder:2"), "[trials.path]")
        given = [*self.columns, *self.path, *self.constants, *([self.row_number] if self.row_number else [])]
        twice = sorted({name for name in given if given.count(name) > 1})
        if twice:
            raise ConfigError(
                f"[trials] says twice where {twice[0]!r} comes from",
                allowed="one of columns, path, constants, row_number for a column",
                remedy="remove one of them",
            )

    def labels(self) -> tuple[str, ...]:
        """Return the declared response labels."""
        return self.coding.labels() if self.coding is not None else self.response_labels

    def verdict(self) -> Verdict:
        """Return the declared verdict."""
        if self.score is not None:
            return self.score.scale
        return Choice(self.labels(), free_assignment=self.design == "free_assignment")

    def to_dict(self) -> dict[str, Any]:
        """Return the source as plain data, for provenance."""
        out = asdict(self)
        out["coding"] = None if self.coding is None else {"rule": type(self.coding).__name__, **out["coding"]}
        return out

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> TrialsSource:
        """Build a source from the ``[trials]`` section of an analysis.

        Raises
        ------
        ConfigError
            Unknown key (with a near match), a value of the wrong type, an undeclared format or path part.
        """
        strings = ("files", "format", "reader", "row_number", "data")
        maps = ("columns", "path", "constants")
        _known(
            table,
            (*strings, *maps, "options", "values", "coding", "labels", "max_bytes", "design", "score"),
            "[trials]",
        )
        if "files" not in table:
            raise ConfigError(
                "[trials] does not say which files to read",
                allowed='a glob pattern below the data folder, e.g. files = "*/*.csv*"',
                remedy="add `files` to [trials]",
            )
        values = _table(table, "values", "[trials]")
        source = {name: _string(table, name, "[trials]") for name in strings}
        mapped = {name: _strings(_table(table, name, "[trials]"), f"[trials.{name}]") for name in maps}
        return cls(
            **source,  # type: ignore[arg-type]
            **mapped,  # type: ignore[arg-type]
            values={key: _strings(_table(values, key, "[trials.values]"), f"[trials.values.{key}]") for key in values},
            options=_table(table, "options", "[trials]"),
            coding=_rule(_table(table, "coding", "[trials]")) if "coding" in table else None,
            response_labels=_list(table, "labels", "[trials]"),
            design=_string(table, "design", "[trials]") or DESIGNS[0],
            score=ScoreSource.from_dict(_table(table, "score", "[trials]")) if "score" in table else None,
            max_bytes=_positive(table.get("max_bytes", DEFAULT_LIMIT)),
        )


def _rule(table: Mapping[str, Any]) -> Rule:
    where = "[trials.coding]"
    name = _string(table, "rule", where)
    if name not in RULES:
        raise _unknown("rule", name, tuple(RULES), where)
    _known(table, ("rule", *RULES[name]), where)
    refusal = RefusalPatterns(_list(table, "refusal", where))
    if name == "expected_answer":
        return ExpectedAnswer(_needed(table, "expected", where), _list(table, "labels", where), refusal)
    tests = table.get("tests", [])
    if not isinstance(tests, list) or not tests:
        raise ConfigError(
            f"{where} declares no test",
            allowed="one [[trials.coding.tests]] with `domains` and `congruent` a test",
            remedy="add the tests",
        )
    return InstructedMapping(_needed(table, "group", where), tuple(_test(test) for test in tests), refusal)


def _test(table: Mapping[str, Any]) -> InstructedTest:
    where = "[[trials.coding.tests]]"
    _known(table, ("domains", "congruent"), where)
    return InstructedTest(
        _list(table, "domains", where), _strings(_table(table, "congruent", where), f"{where} congruent")
    )


def _known(table: Mapping[str, Any], allowed: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in allowed:
            raise _unknown("key", key, allowed, where)


def _unknown(kind: str, word: str, allowed: tuple[str, ...], where: str) -> ConfigError:
    hint = near_match(word, allowed)
    return ConfigError(
        f"{where}: {kind} {word!r} is unknown" + (f"; {hint}" if hint else ""),
        allowed=", ".join(allowed),
        remedy="correct the spelling or remove it",
    )


def _wrong_type(key: str, where: str, allowed: str) -> ConfigError:
    return ConfigError(f"{where}: {key!r} has the wrong type", allowed=allowed, remedy="correct the analysis file")


def _string(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise _wrong_type(key, where, "text in quotes")
    return value


def _needed(table: Mapping[str, Any], key: str, where: str) -> str:
    value = _string(table, key, where)
    if not value:
        raise ConfigError(f"{where}: {key!r} is not given", allowed="the name of a column", remedy=f"add {key!r}")
    return value


def _table(table: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        raise _wrong_type(key, where, "a table of keys and values")
    return value


def _list(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list | tuple) or not all(isinstance(entry, str) for entry in value):
        raise _wrong_type(key, where, "a list of texts in quotes")
    return tuple(value)


def _strings(table: Mapping[str, Any], where: str) -> dict[str, str]:
    for key, value in table.items():
        if not isinstance(value, str):
            raise _wrong_type(key, where, "text in quotes")
    return {str(key): value for key, value in table.items()}


def _positive(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _wrong_type("max_bytes", "[trials]", "a whole number of bytes above 0")
    return value
