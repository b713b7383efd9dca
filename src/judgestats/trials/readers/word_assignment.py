"""Word assignment: answers that list attribute words, each with one of two labels.

A line of an answer is one trial. It is valid when it reads ``word SEP label`` with a word that the stimuli know and a
label of either side; a word may itself hold a hyphen. Layout of Bai et al., https://doi.org/10.1073/pnas.2416228122.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgestats.errors import ConfigError, TrialDataError, near_match
from judgestats.trials.layout import stem
from judgestats.trials.readers.csv_file import read_csv
from judgestats.trials.readers.options import check_options, text_list
from judgestats.trials.readers.raw import RawTable, refuse_empty, text_frame
from judgestats.trials.refusal import RefusalPatterns
from judgestats.trials.status import Status
from judgestats.trials.table import Notice
from judgestats.trials.wording import quoted

ANSWER, NEEDED = "0", ("0", "llm", "category", "variation")
SEPARATOR = re.compile(r"[-–—:]")
NO_WORD = "(no known word)"
DEFAULT, OTHER = "default", "other"
COLUMNS = (
    "judge",
    "domain",
    "item",
    "cluster",
    "block",
    "status",
    "response",
    "consistent",
    "prompt_config",
    "raw_text",
    "label",
)


@dataclass(frozen=True)
class AssignmentTest:
    """Words and labels of one test.

    Parameters
    ----------
    sides : dict of str to str
        Word to ``congruent`` (first half of the list) or ``incongruent`` (second half), all in lower case.
    labels : dict of str to str
        Label to ``default`` or ``other``, in lower case.
    """

    sides: Mapping[str, str]
    labels: Mapping[str, str]

    def parse(self, line: str) -> tuple[str, str] | None:
        """Return word and label of a valid line, in lower case; None for any other line."""
        text = line.strip().lower()
        for mark in SEPARATOR.finditer(text):
            word, label = text[: mark.start()].strip(), text[mark.end() :].strip()
            if word in self.sides and label in self.labels:
                return word, label
        return None

    def word_in(self, line: str) -> str | None:
        """Return the word that a line is about although it is not valid: the one it starts with, or its only one."""
        text = line.strip().lower()
        found = [word for word in self.sides if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)]
        # "earth science man" holds a longer word than any part of it would be.
        found = [word for word in found if not any(word != longer and word in longer for longer in found)]
        first = [word for word in found if text.startswith(word)]
        if first:
            return max(first, key=len)
        return found[0] if len(found) == 1 else None


def read_word_assignment(path: Path, data: Path, file: str, options: Mapping[str, Any], limit: int) -> RawTable:
    """Read one CSV of answers (columns ``0``, ``llm``, ``category``, ``variation``); one trial a line of an answer.

    Parameters
    ----------
    path, data, file : Path, Path, str
        The file, the data folder and the name in messages.
    options : dict
        ``stimuli``: CSV files below the data folder with the columns dataset, A, B, C and, for synonyms, D;
        ``synonym_variations``: variations whose prompts list the synonyms in place of the words;
        ``refusal``: patterns of refusals.
    limit : int
        Most uncompressed bytes.

    Raises
    ------
    TrialDataError
        A needed column is absent, or a test that no stimulus file knows.
    """
    check_options(options, ("stimuli", "synonym_variations", "refusal"), "word_assignment")
    stimuli = text_list(options, "stimuli", ("stimuli/iat_stimuli_synonym.csv",))
    with_synonyms = text_list(options, "synonym_variations", ("synonym",))
    tests = {column: read_stimuli(stimuli, data, limit, column) for column in ("C", "D")}
    refusal = RefusalPatterns(text_list(options, "refusal", ()))
    frame = read_csv(path, file, limit).frame
    absent = [name for name in NEEDED if name not in frame]
    if absent:
        raise TrialDataError(
            f"{file}: needed columns are not there: {quoted(absent)}; found {quoted(frame.columns, 30)}",
            allowed="the columns " + ", ".join(NEEDED),
            remedy="check that the file has the layout of the word assignment study",
        )
    records: list[dict[str, str | None]] = []
    base = stem(Path(file).name)
    for row, answer, llm, test_name, variation in _rows(frame):
        known = tests["D" if variation in with_synonyms else "C"]
        test = known.get(test_name.lower())
        if test is None:
            raise _unknown_test(test_name, known, file, row)
        shared = {
            "judge": llm,
            "domain": test_name,
            "cluster": f"{base} {row}",
            "prompt_config": variation,
        }
        records += [{**shared, **_trial(line, test, refusal)} for line in _lines(answer)]
    refuse_empty(len(records), file)
    return RawTable(text_frame(records, COLUMNS), notices=_notices(file, records))


def _unknown_test(name: str, known: Mapping[str, AssignmentTest], file: str, row: int) -> TrialDataError:
    hint = near_match(name.lower(), known)
    return TrialDataError(
        f"{file}: row {row} is of the test {name!r}, which no stimulus file knows" + (f"; {hint}" if hint else ""),
        allowed=", ".join(sorted(known)),
        remedy="add its words and labels to the stimuli",
    )


def read_stimuli(files: Iterable[str], data: Path, limit: int, column: str = "C") -> dict[str, AssignmentTest]:
    """Return the tests of the stimulus files by name, in lower case.

    The first half of the words in column C is the congruent side, the second half the incongruent one. With `column` D
    the synonym takes the place of the word in its row, where it has one; a synonym in a row without a word has no side.
    """
    sides: dict[str, dict[str, str]] = {}
    labels: dict[str, dict[str, str]] = {}
    for name in files:
        path = data / name
        if not path.is_file():
            raise ConfigError(
                f"the stimulus file {name!r} is not in the data folder {data}",
                allowed="a CSV with the columns dataset, A, B, C and, for synonyms, D",
                remedy="correct `stimuli` in [trials.options], or add the file",
            )
        rows = read_csv(path, name, limit).frame
        absent = [name for name in ("dataset", "A", "B", "C") if name not in rows]
        if absent:
            raise TrialDataError(
                f"{name}: needed columns are not there: {quoted(absent)}; found {quoted(rows.columns, 30)}",
                allowed="the columns dataset, A, B, C and, for synonyms, D",
                remedy="correct the stimulus file",
            )
        rows = rows.fillna("").map(lambda entry: str(entry).strip().lower())
        for test, part in rows.groupby("dataset", sort=False):
            known = labels.setdefault(str(test), {})
            known.update({label: DEFAULT for label in part["A"] if label})
            known.update({label: OTHER for label in part["B"] if label})
            worded = part[part["C"] != ""]
            half = len(worded) / 2
            for position, (_, entry) in enumerate(worded.iterrows()):
                side = "congruent" if position < half else "incongruent"
                word = str(entry.get(column, "") or entry["C"])
                sides.setdefault(str(test), {})[word] = side
    return {test: AssignmentTest(sides[test], labels[test]) for test in sides}


def _rows(frame: Any) -> Iterable[tuple[int, str, str, str, str]]:
    for entry in frame[list(NEEDED)].fillna("").itertuples(name=None):
        row, answer, llm, test, variation = entry
        yield int(row), str(answer), str(llm).strip(), str(test).strip(), str(variation).strip()


def _lines(answer: str) -> list[str]:
    lines = [line for line in re.split(r"\r\n|\r|\n", answer) if line.strip()]
    return lines or [""]  # an empty answer is one missing trial


def _trial(line: str, test: AssignmentTest, refusal: RefusalPatterns) -> dict[str, str | None]:
    parsed = test.parse(line)
    if parsed is None:
        text = line.strip()
        status = Status.MISSING if not text else Status.REFUSAL if refusal.matches(text) else Status.MALFORMED
        word = test.word_in(line)
        block = None if word is None else test.sides[word]
        return {"item": word or NO_WORD, "block": block, "status": status.value, "raw_text": line or None}
    word, label = parsed
    side, response = test.sides[word], test.labels[label]
    consistent = (side == "congruent") == (response == DEFAULT)
    return {
        "item": word,
        "block": side,
        "status": Status.VALID.value,
        "response": response,
        "consistent": "true" if consistent else "false",
        "raw_text": line,
        "label": label,
    }


def _notices(file: str, records: list[dict[str, str | None]]) -> tuple[Notice, ...]:
    wordless = sum(record["item"] == NO_WORD for record in records)
    if not wordless:
        return ()
    text = f"{file}: {wordless} lines hold no known word, or several, so their block cannot be told"
    return (Notice("left_out", text, wordless),)
