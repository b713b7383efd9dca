"""The frozen count tables: they are what the shared data hold, and the package's own readers count the same."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import frozen_reference as frozen
import prepare_counts
import pytest

from judgestats.study.analysis import load_analysis
from judgestats.study.trial_input import analysis_trials
from judgestats.trials.cell import Cell
from judgestats.trials.coding import stage_counts

ROOT = Path(__file__).resolve().parents[2]
# analysis, judge and domain of each table of real data
ORIGINS = {
    "race_bertrand_validity": ("rm_iat", "GPT-OSS-20B", "race_bertrand"),
    "race_nosek_validity": ("rm_iat", "GPT-OSS-20B", "race_nosek"),
    "race_original_shift": ("rm_iat", "Qwen3-8B", "race_original"),
    "bbq_physical_appearance_race_shift": ("bbq", "unifiedqa-t5-11b_race", "Physical_appearance"),
    "bbq_physical_appearance_arc_shift": ("bbq", "unifiedqa-t5-11b_arc", "Physical_appearance"),
    "bbq_sexual_orientation_race_shift": ("bbq", "unifiedqa-t5-11b_race", "Sexual_orientation"),
    "bbq_sexual_orientation_arc_shift": ("bbq", "unifiedqa-t5-11b_arc", "Sexual_orientation"),
    "bai_career_shift": ("bai_iat", "gpt4o", "career"),
    "bai_power_shift": ("bai_iat", "gpt4o", "power"),
    "bai_science_shift": ("bai_iat", "gpt4o", "science"),
    "bai_weapon_shift": ("bai_iat", "gpt4o", "weapon"),
}
FOLDERS = {"rm_iat": "rm_iat_open", "bbq": "bbq_unifiedqa", "bai_iat": "bai_iat_gpt4o"}
ByUnit = Counter[tuple[str, float, int]]


def read(table: str) -> ByUnit:
    """Return trials by group, block and outcome of a frozen table."""
    found: ByUnit = Counter()
    for row in frozen.rows(f"counts/{table}.items.csv"):
        successes = int(row["successes"])
        found[row["group"], float(row["block"]), 1] = successes
        found[row["group"], float(row["block"]), 0] = int(row["trials"]) - successes
    return found


def test_every_table_of_real_data_has_an_origin() -> None:
    assert set(ORIGINS) == {table for table in frozen.TABLES if not table.startswith("ceiling")}


def test_frozen_tables_are_what_the_script_makes(shared_data: Path) -> None:
    made = {name: (group, outcomes) for name, group, outcomes in prepare_counts.tables(shared_data)}
    assert set(made) == set(frozen.TABLES)
    for name, (group, outcomes) in made.items():
        place = 0 if group == "item" else 1
        expected = Counter((outcome[place], outcome[2], int(outcome[3])) for outcome in outcomes)
        assert +read(name) == expected, name


@pytest.mark.parametrize("analysis", sorted(FOLDERS))
def test_readers_of_the_package_count_the_same(analysis: str, shared_data: Path) -> None:
    """Two independent readings of the README definitions: the script's plain arithmetic and the package's readers."""
    table = analysis_trials(load_analysis(ROOT / "analyses" / analysis), shared_data / FOLDERS[analysis])
    stages = stage_counts(table)
    for name, (home, judge, domain) in ORIGINS.items():
        if home != analysis:
            continue
        counts = stages["validity" if name.endswith("validity") else "shift"]
        one = counts.select(counts.cells.index(Cell(judge, domain)))
        by_cluster = name.startswith("bbq")
        unit, names = (one.cluster, one.clusters) if by_cluster else (one.item, one.items)
        assert unit is not None
        assert names is not None
        found: ByUnit = Counter()
        for i, block, trials, successes in zip(unit, one.block, one.trials, one.successes, strict=True):
            found[names[0][i], float(block), 1] += int(successes)
            found[names[0][i], float(block), 0] += int(trials - successes)
        assert +found == +read(name), name


def test_trial_tables_add_up_to_the_item_tables() -> None:
    for path in sorted((frozen.HERE / "counts").glob("*.trials.csv")):
        name = path.name.removesuffix(".trials.csv")
        column = "cluster" if name.startswith("bbq") else "item"
        total: Counter[tuple[str, float]] = Counter()
        with path.open(encoding="utf-8", newline="") as handle:
            for row in csv.DictReader(handle):
                total[row[column], float(row["block"])] += int(row["trials"])
        expected: Counter[tuple[str, float]] = Counter()
        for (group, block, _), count in read(name).items():
            expected[group, block] += count
        assert total == expected, name
