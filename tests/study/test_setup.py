"""Set-up: which counts the model sees, and digests that ignore what does not matter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from judgestats.errors import ConfigError, TrialDataError
from judgestats.study.analysis import Analysis, load_analysis
from judgestats.study.catalog import demo_folder
from judgestats.study.setup import counts_digest, prepare, success_counts, table_digest
from judgestats.study.trial_input import data_folder
from judgestats.trials.coding import stage_counts
from judgestats.trials.reading import read_file
from judgestats.trials.table import Choice, TrialTable

HEADER = "judge,domain,item,block,status,response,consistent\n"
ROWS = [
    "j,d,a,congruent,valid,A,true",
    "j,d,a,incongruent,valid,B,false",
    "j,d,b,congruent,valid,A,true",
    "j,d,b,incongruent,valid,A,true",
    "j,d,c,incongruent,refusal,,",
]


def table(tmp_path: Path, rows: list[str], name: str = "t.csv") -> TrialTable:
    (tmp_path / name).write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    return read_file(tmp_path / name, ("A", "B"))


def test_digests_ignore_row_order_and_see_every_value(tmp_path: Path) -> None:
    one = table(tmp_path, ROWS)
    two = table(tmp_path, ROWS[::-1], "u.csv")
    three = table(tmp_path, [ROWS[0].replace("A,true", "B,false"), *ROWS[1:]], "v.csv")
    assert table_digest(one) == table_digest(two) != table_digest(three)
    shift = [stage_counts(t)["shift"] for t in (one, two, three)]
    assert counts_digest(shift[0]) == counts_digest(shift[1]) != counts_digest(shift[2])


def test_free_assignment_counts_one_label_on_both_sides(tmp_path: Path) -> None:
    # First half (congruent) a, b: default, default. Second half (incongruent) c, d, e: other, other, default.
    rows = [
        "j,d,a,congruent,valid,A,true",
        "j,d,b,congruent,valid,A,true",
        "j,d,c,incongruent,valid,B,true",
        "j,d,d,incongruent,valid,B,true",
        "j,d,e,incongruent,valid,A,false",
    ]
    plain = table(tmp_path, rows)
    free = TrialTable(plain.frame, Choice(("A", "B"), free_assignment=True), plain.sources, plain.notices)
    shift = success_counts(free, stage_counts(free)["shift"])
    asked, default = shift.totals()[0, :, 0], shift.totals()[0, :, 1]
    assert default.tolist() == [2, 1]
    # P(default | first) - P(default | second) = 1 - 1/3 = P(c | congruent) + P(c | incongruent) - 1 = 1 + 2/3 - 1.
    assert default[0] / asked[0] - default[1] / asked[1] == pytest.approx(2 / 3)
    untouched = stage_counts(plain)["shift"]
    assert success_counts(plain, untouched) is untouched


def test_the_demo_has_the_published_size(tmp_path: Path) -> None:
    setup = prepare(load_analysis(demo_folder()), None, tmp_path)
    assert len(setup.table.frame) == 960
    assert setup.counts["validity"].totals()[:, :, 0].tolist() == [[80, 80]] * 6
    lost = setup.counts["validity"].totals()[:, :, 0] - setup.counts["validity"].totals()[:, :, 1]
    names = [cell.judge for cell in setup.counts["validity"].cells]
    assert np.all(lost[:, 0] == 0)
    assert [bool(n) for n in lost[:, 1]] == [name == "planted-B" for name in names]
    # What the report counts is what the file beside it holds.
    again = read_file(tmp_path / "trials.csv", ("A", "B"))
    assert table_digest(again) == table_digest(setup.table)


def test_a_table_without_blocks_is_refused(tmp_path: Path) -> None:
    table(tmp_path, ["j,d,a,,valid,A,true"])
    minimal = {"name": "a", "title": "t", "question": "q", "model": "two_stage_association", "seed": 1}
    analysis = Analysis.from_dict(minimal | {"trials": {"files": "*.csv", "labels": ["A", "B"]}})
    with pytest.raises(TrialDataError, match="has a block"):
        prepare(analysis, tmp_path)


def test_data_folders(tmp_path: Path) -> None:
    minimal = {"name": "a", "title": "t", "question": "q", "model": "two_stage_association", "seed": 1}
    analysis = Analysis.from_dict(minimal | {"trials": {"files": "*.csv", "data": "mine"}})
    with pytest.raises(ConfigError, match="no folder was given"):
        data_folder(analysis, tmp_path, None)
    (tmp_path / "mine").mkdir()
    assert data_folder(analysis, tmp_path / "analysis.toml", None) == tmp_path / "mine"
    assert data_folder(analysis, tmp_path, tmp_path) == tmp_path
    with pytest.raises(ConfigError, match="does not exist"):
        data_folder(analysis, tmp_path, tmp_path / "nowhere")
    demo = load_analysis(demo_folder())
    assert data_folder(demo, tmp_path, None) is None
    with pytest.raises(ConfigError, match="simulated judges"):
        data_folder(demo, tmp_path, tmp_path)
