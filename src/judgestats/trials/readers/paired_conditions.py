"""Paired conditions: scores stored as lists by judge, probe and condition, in which items pair by position.

Layout: ``results[family][training][probe][condition][values]`` with one score an item. The judge is
``<family>_<training>``; a probe is a cue, its condition ``none`` the base.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from judgestats.errors import ConfigError, TrialDataError
from judgestats.trials.readers.json_lines import as_text, parse
from judgestats.trials.readers.options import check_options, text_list
from judgestats.trials.readers.raw import RawTable, refuse_empty, score_frame
from judgestats.trials.readers.stream import read_bytes
from judgestats.trials.status import Status
from judgestats.trials.table import Notice
from judgestats.trials.variant import BASE_CUE
from judgestats.trials.wording import quoted

OPTIONS = ("values", "domains", "base", "positive", "negative")
COLUMNS = ("judge", "domain", "item", "cue", "polarity", "prompt_config", "status", "score")
Lists = dict[str, dict[str, list[Any]]]
"""Probe to condition to one score an item."""


def read_paired_conditions(path: Path, data: Path, file: str, options: Mapping[str, Any], limit: int) -> RawTable:
    """Read one JSON file; one trial a judge, probe, condition and item.

    Where every probe of a judge holds the same base scores, they are one run stored several times: each base trial is read
    once, and a notice says so. Otherwise each probe keeps its base, told apart by ``prompt_config``.

    Parameters
    ----------
    path, data, file : Path, Path, str
        The file, the data folder and the name in messages.
    options : dict
        ``values``: key of the list of scores (``per_item_argmax``); ``domains``: names of equal blocks of items, in order;
        ``base``: name of the base condition (``none``); ``positive``, ``negative``: endings of the names of conditions that
        are of that polarity.
    limit : int
        Most uncompressed bytes.

    Raises
    ------
    TrialDataError
        The file has another layout, lists of different length, or a probe without its base.
    """
    check_options(options, OPTIONS, "paired_conditions")
    layout = _Layout(options)
    content = parse(read_bytes(path, file, limit), file, "the file")
    results = content.get("results") if isinstance(content, dict) else None
    if not isinstance(results, dict):
        raise _other_layout(file, "results")
    records: list[dict[str, str | None]] = []
    once = 0
    for judge, probes in _judges(results, layout.values):
        shared, repeated = layout.trials(judge, probes, file)
        records += shared
        once += repeated
    refuse_empty(len(records), file)
    text = f"{file}: {once} base scores stand in several probes and are the same in each; each is read as one trial"
    return RawTable(score_frame(records, COLUMNS), notices=(Notice("base_shared", text, once),) if once else ())


def _judges(results: Mapping[str, Any], values: str) -> Iterator[tuple[str, Lists]]:
    """Yield the judges that hold lists of scores; facts about a family, such as its size, are passed over."""
    for family, trainings in results.items():
        for training, probes in trainings.items() if isinstance(trainings, dict) else ():
            if not isinstance(probes, dict):
                continue
            lists = {
                str(probe): {str(name): entry[values] for name, entry in conditions.items() if _holds(entry, values)}
                for probe, conditions in probes.items()
                if isinstance(conditions, dict)
            }
            yield f"{family}_{training}", {probe: found for probe, found in lists.items() if found}


def _holds(entry: object, values: str) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get(values), list)


class _Layout:
    """Options of the reader, checked."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.values, self.base = (
            _word(options, key, word) for key, word in (("values", "per_item_argmax"), ("base", "none"))
        )
        self.domains = text_list(options, "domains", ())
        self.signs = {
            "pos": text_list(options, "positive", ("pos", "high")),
            "neg": text_list(options, "negative", ("neg", "low")),
        }

    def trials(self, judge: str, probes: Lists, file: str) -> tuple[list[dict[str, str | None]], int]:
        """Return the trials of one judge, and how many of its base scores stand in several probes."""
        if not probes:
            raise _other_layout(file, f"results / {judge} / probe / condition / {self.values}")
        sizes = {f"{probe} / {name}": len(scores) for probe, found in probes.items() for name, scores in found.items()}
        if len(set(sizes.values())) > 1:
            raise TrialDataError(
                f"{file}: the lists of {judge} differ in length: {quoted(f'{k}: {v}' for k, v in sizes.items())}",
                allowed="one score an item in every condition, in the same order",
                remedy="items pair by position, so fill the gaps with null",
            )
        lacking = [probe for probe, found in probes.items() if self.base not in found]
        if lacking:
            raise TrialDataError(
                f"{file}: the probe {lacking[0]!r} of {judge} has no condition {self.base!r}; found "
                f"{quoted(probes[lacking[0]])}",
                allowed="a base condition in every probe",
                remedy="name it with `base` in [trials.options]",
            )
        domains = self._domains(next(iter(sizes.values())), file)
        bases = [found[self.base] for found in probes.values()]
        one_base = all(base == bases[0] for base in bases)
        out: list[dict[str, str | None]] = []
        for number, (probe, found) in enumerate(probes.items()):
            for name, scores in found.items():
                if name == self.base and one_base and number:
                    continue
                shared = {"judge": judge, **self._variant(probe, name), "prompt_config": None if one_base else probe}
                out += [
                    {**shared, "domain": domain, "item": str(item), **_verdict(score)}
                    for item, (domain, score) in enumerate(zip(domains, scores, strict=True), 1)
                ]
        return out, len(bases[0]) if one_base and len(bases) > 1 else 0

    def _variant(self, probe: str, condition: str) -> dict[str, str | None]:
        if condition == self.base:
            return {"cue": BASE_CUE, "polarity": None}
        signs = [sign for sign, endings in self.signs.items() if condition.rsplit("_", 1)[-1] in endings]
        # A condition without a sign keeps its name, so that two of them never become one variant.
        return {"cue": probe if signs else f"{probe} {condition}", "polarity": signs[0] if signs else None}

    def _domains(self, size: int, file: str) -> list[str | None]:
        if not self.domains:
            return [None] * size
        if size % len(self.domains):
            raise ConfigError(
                f"{file}: {size} items are not {len(self.domains)} equal blocks, one a name in `domains`",
                allowed="a number of items that the number of domains divides",
                remedy="correct `domains` in [trials.options]",
            )
        return [domain for domain in self.domains for _ in range(size // len(self.domains))]


def _verdict(score: object) -> dict[str, str | None]:
    text = as_text(score)
    return {"score": text, "status": Status.MISSING.value if text is None else Status.VALID.value}


def _word(options: Mapping[str, Any], key: str, default: str) -> str:
    value = options.get(key, default)
    if not isinstance(value, str):
        raise ConfigError(
            f"[trials.options]: {key!r} has the wrong type", allowed="text in quotes", remedy="correct it"
        )
    return value


def _other_layout(file: str, place: str) -> TrialDataError:
    return TrialDataError(
        f"{file}: there is nothing at {place}",
        allowed="results[family][training][probe][condition] with a list of scores, one an item",
        remedy="check that the file has this layout, or name the list with `values` in [trials.options]",
    )
