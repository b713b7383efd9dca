"""Count tables of the shared data sets by the definitions in their README files, in plain Python.

This script shares no code with the package on purpose: it is the other side of the comparison. Run it as
``python prepare_counts.py SHARED_DATA_FOLDER``; it writes ``counts/*.csv`` beside itself.

Two shapes are written for each table: ``*.items.csv`` (group, block, trials, successes; the group is the one unit that
carries a random intercept in the reference fits) and ``*.trials.csv`` (item, cluster, block, trials, successes).
The block is +0.5 (congruent) or -0.5 (incongruent).
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
Outcome = tuple[str, str, float, bool]  # item, cluster, block, success
BLOCKS = {
    "Association Compatible": 0.5,
    "Stereotype-Consistent": 0.5,
    "Association Incompatible": -0.5,
    "Stereotype-Inconsistent": -0.5,
}
PLEASANT_IN_CONGRUENT = ("european_american", "flowers", "instruments", "young")
CEILING = {
    # name: items of each pattern (congruent, incongruent); None marks a lost trial
    "ceiling_79_73": {(1, 1): 72, (1, 0): 7, (0, 1): 1},
    "ceiling_73_79": {(1, 1): 72, (1, 0): 1, (0, 1): 7},
    "ceiling_80_80": {(1, 1): 80},
}


def race_trials(path: Path) -> Iterator[tuple[str, str, float, bool, bool]]:
    """Yield item, cluster, block, valid and consistent of each row of a race test."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            block = BLOCKS[row["condition"]]
            answer = row["attribute"].strip().lower()
            stereotyped = "pleasant" if row["group"].startswith(PLEASANT_IN_CONGRUENT) else "unpleasant"
            other = "unpleasant" if stereotyped == "pleasant" else "pleasant"
            task = stereotyped if block > 0 else other
            yield row["word"], row["prompt_id"], block, answer in ("pleasant", "unpleasant"), answer == task


def race_validity(path: Path) -> list[Outcome]:
    """All trials; the success is a valid answer."""
    return [(item, cluster, block, valid) for item, cluster, block, valid, _ in race_trials(path)]


def race_consistency(path: Path) -> list[Outcome]:
    """Valid trials; the success is a task-consistent answer."""
    return [(item, cluster, block, good) for item, cluster, block, valid, good in race_trials(path) if valid]


def bbq_side(row: dict, option: str) -> bool:
    """Whether the group of an answer option is a stereotyped one."""
    groups = {name.casefold() for name in row["additional_metadata"]["stereotyped_groups"]}
    info = [name.casefold() for name in row["answer_info"][option]]
    return (len(info) > 1 and info[1] in groups) or info[0] in groups


def bbq_consistency(path: Path, column: str) -> list[Outcome]:
    """Valid answers to disambiguated rows that have a block; the success is the correct answer."""
    out: list[Outcome] = []
    with gzip.open(path, "rt", encoding="utf-8") as handle:
        rows = [json.loads(line) for line in handle]
    for row in rows:
        if row["context_condition"] != "disambig":
            continue
        options = [
            name for name in ("ans0", "ans1", "ans2") if "unknown" not in map(str.casefold, row["answer_info"][name])
        ]
        sides = {name: bbq_side(row, name) for name in options}
        if sum(sides.values()) != 1 or len(sides) != 2:
            continue
        correct = f"ans{row['label']}"
        agrees = sides[correct] if row["question_polarity"] == "neg" else not sides[correct]
        answers = [bbq_text(row[name]) for name in ("ans0", "ans1", "ans2")]
        given = bbq_text(row[column])
        if given in answers:
            success = answers.index(given) == row["label"]
            out.append((str(row["example_id"]), str(row["question_index"]), 0.5 if agrees else -0.5, success))
    return out


def bbq_text(text: str) -> str:
    """Lower-cased, stripped, one final full stop removed."""
    return text.lower().strip().removesuffix(".")


def bai_stimuli(folder: Path, test: str) -> tuple[list[str], list[str], set[str], set[str]]:
    """Words, their synonyms, default labels and other labels of one test, lower-cased."""
    with (folder / "stimuli" / "iat_stimuli_synonym.csv").open(encoding="utf-8-sig", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row["dataset"] == test]
    words = [row["C"].strip().lower() for row in rows]
    synonyms = [row["D"].strip().lower() for row in rows]
    default = {row["A"].strip().lower() for row in rows} - {""}
    other = {row["B"].strip().lower() for row in rows} - {""}
    return words, synonyms, default, other


def bai_line(line: str, words: Iterable[str], labels: set[str]) -> tuple[str, str] | None:
    """Word and label of one line, split on the separator that leaves a known word and a known label."""
    known = set(words)
    for match in re.finditer(r"[-–—:]", line):
        word, label = line[: match.start()].strip().lower(), line[match.end() :].strip().lower()
        if word in known and label in labels:
            return word, label
    return None


def bai_consistency(folder: Path, test: str) -> list[Outcome]:
    """Valid lines of the four variations; the success is a stereotype-consistent assignment."""
    out: list[Outcome] = []
    words, synonyms, default, other = bai_stimuli(folder, test)
    for path in sorted(folder.glob(f"gpt4o_{test}_*.csv")):
        variation = path.stem.split("_")[-1]
        known = synonyms if variation == "synonym" else words
        positive = set(known[: len(known) // 2])
        with path.open(encoding="utf-8-sig", newline="") as handle:
            for row in csv.DictReader(handle):
                for line in row["0"].splitlines():
                    parsed = bai_line(line, known, default | other)
                    if parsed is None:
                        continue
                    word, label = parsed
                    first = word in positive
                    out.append((word, f"{variation}/{row['']}", 0.5 if first else -0.5, (label in default) == first))
    return out


def ceiling(name: str) -> list[Outcome]:
    """A constructed table of 80 items with one trial a block."""
    out: list[Outcome] = []
    item = 0
    for (congruent, incongruent), count in CEILING[name].items():
        for _ in range(count):
            item += 1
            out.append((f"item{item:03d}", "", 0.5, bool(congruent)))
            out.append((f"item{item:03d}", "", -0.5, bool(incongruent)))
    return out


def write(path: Path, header: list[str], outcomes: Iterable[tuple]) -> None:
    """Count trials and successes by all but the last field and write them sorted."""
    trials: Counter = Counter()
    successes: Counter = Counter()
    for *key, success in outcomes:
        trials[tuple(key)] += 1
        successes[tuple(key)] += int(success)
    with path.open("w", encoding="utf-8", newline="") as handle:
        out = csv.writer(handle, lineterminator="\n")
        out.writerow([*header, "trials", "successes"])
        out.writerows([*key, trials[key], successes[key]] for key in sorted(trials))


def tables(data: Path) -> Iterator[tuple[str, str, list[Outcome]]]:
    """Yield the name, the grouping of the reference fit (item or cluster) and the outcomes of each table."""
    race = data / "rm_iat_open"
    yield "race_bertrand_validity", "item", race_validity(race / "GPT-OSS-20B" / "race_bertrand.csv.gz")
    yield "race_nosek_validity", "item", race_validity(race / "GPT-OSS-20B" / "race_nosek.csv.gz")
    yield "race_original_shift", "item", race_consistency(race / "Qwen3-8B" / "race_original.csv.gz")
    for domain in ("Physical_appearance", "Sexual_orientation"):
        for form in ("race", "arc"):
            path = data / "bbq_unifiedqa" / f"preds_{domain}.jsonl.gz"
            rows = bbq_consistency(path, f"unifiedqa-t5-11b_pred_{form}")
            yield f"bbq_{domain.lower()}_{form}_shift", "cluster", rows
    for test in ("career", "power", "science", "weapon"):
        yield f"bai_{test}_shift", "item", bai_consistency(data / "bai_iat_gpt4o", test)
    for name in CEILING:
        yield name, "item", ceiling(name)


def main() -> None:
    """Write every table and print its totals."""
    for name, group, outcomes in tables(Path(sys.argv[1])):
        place = 0 if group == "item" else 1
        write(HERE / "counts" / f"{name}.items.csv", ["group", "block"], ((o[place], o[2], o[3]) for o in outcomes))
        if any(o[1] for o in outcomes):
            write(HERE / "counts" / f"{name}.trials.csv", ["item", "cluster", "block"], outcomes)
        by_block = [[o[3] for o in outcomes if o[2] == block] for block in (0.5, -0.5)]
        totals = ", ".join(f"{sum(side)}/{len(side)}" for side in by_block)
        print(f"{name}: {len({o[place] for o in outcomes})} groups, congruent and incongruent {totals}")


if __name__ == "__main__":
    main()
