"""The section ``[simulation]`` with cues, and the analyses of scores that come with the project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from judgestats.errors import ConfigError
from judgestats.study.analysis import Analysis, load_analysis
from judgestats.study.simulation import Simulation
from judgestats.trials.reading import read_file, read_trials
from judgestats.trials.table import Choice, Score

ANALYSES = Path(__file__).resolve().parents[2] / "analyses"
CUE_SHIFT = ("analysis.toml", "paired.toml")


def section(**changes: Any) -> dict[str, Any]:
    cell = {"kind": "ordinal", "level": 6, "effects": {"prestige neg": {"shift": -1, "refusal": 0.2}}}
    greedy = {"kind": "greedy", "effects": {"neutral": {"moved": 0.5, "steps": [-1, 1], "shares": [3, 1]}}}
    table: dict[str, Any] = {
        "design": "cues",
        "seed": 3,
        "scale": {"lowest": 1, "highest": 10},
        "items": 12,
        "cues": ["prestige", "diversity"],
        "judges": {"vendor/a:1": {"x": cell, "y": {"kind": "constant", "level": 4}}, "b": {"x": greedy}},
    }
    return table | changes


def test_a_section_is_read_and_written_back() -> None:
    simulation = Simulation.from_dict(section())
    assert Simulation.from_dict(simulation.to_dict()) == simulation
    assert simulation.verdict() == Score(1, 10)
    assert simulation.labels() == ()
    assert simulation.planted() == {}


def test_trials_are_those_of_the_design_and_not_every_judge_meets_every_domain() -> None:
    simulation = Simulation.from_dict(section())
    frame = simulation.trials()
    # 2 cues x 2 polarities + base + placebo = 6 variants of 12 items.
    assert frame.groupby(["judge", "domain"]).size().to_dict() == dict.fromkeys(
        [("b", "x"), ("vendor/a:1", "x"), ("vendor/a:1", "y")], 72
    )
    pd.testing.assert_frame_equal(frame, simulation.trials())
    other = Simulation.from_dict(section(seed=4)).trials()
    assert not frame["score"].equals(other["score"])


def test_planted_shifts_are_named_as_records_are() -> None:
    shifts = Simulation.from_dict(section()).planted_shifts()
    assert len(shifts) == 3 * 5
    moved = {place: value for place, value in shifts.items() if value != 0}
    assert set(moved) == {("vendor/a:1", "x", "prestige", "neg"), ("b", "x", "neutral", "")}
    # Far from both ends a latent shift of -1 moves the mean by -1 but for what the ends cut off.
    assert moved["vendor/a:1", "x", "prestige", "neg"] == pytest.approx(-1, abs=0.01)
    # Half of the items move, three down for one up: .5 * (-.75 + .25), but for items at an end of the scale.
    assert moved["b", "x", "neutral", ""] == pytest.approx(-0.25, abs=0.001)


def test_the_association_design_is_as_it_was() -> None:
    table = {"seed": 1, "judges": {"a": {"gender-career": {"p_congruent": 0.9, "delta_p": 0.1}}}}
    simulation = Simulation.from_dict(table)
    assert simulation.planted() == {("a", "gender-career"): 0.1}
    assert simulation.planted_shifts() == {}
    assert simulation.scale() is None
    assert simulation.verdict() == Choice(("A", "B"))
    assert Simulation.from_dict(simulation.to_dict()) == simulation
    assert len(simulation.trials()) == 160


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scale": {"lowest": 1, "highest": 10, "step": 4}}, "no whole number of steps"),
        ({"judges": {}}, "names no judge"),
        ({"items": 0}, "items"),
        ({"cues": ["prestgie"]}, "did you mean 'prestige'"),
        ({"itmes": 5}, "did you mean 'items'"),
        ({"judges": {"a": {"x": {"effects": {"authority neg": {"shift": 1.0}}}}}}, "does not ask 'authority neg'"),
        ({"judges": {"a": {"x": {"effects": {"prestige": {"shift": 1.0}}}}}}, "'prestige' is unknown"),
        ({"judges": {"a": {"x": {"kind": "ordnial"}}}}, "did you mean 'ordinal'"),
        ({"judges": {"a": {"x": {"kind": "constant", "level": 4.5}}}}, r"always answers 4\.5"),
        ({"design": "cue"}, "did you mean 'cues'"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Simulation.from_dict(section(**changes))


def test_scale_and_items_are_needed() -> None:
    for key in ("scale", "items"):
        with pytest.raises(ConfigError, match=key):
            Simulation.from_dict({name: value for name, value in section().items() if name != key})


@pytest.mark.parametrize("file", CUE_SHIFT)
def test_cue_shift_holds_what_its_readme_says(file: str, tmp_path: Path) -> None:
    analysis = load_analysis(ANALYSES / "cue_shift" / file)
    assert Analysis.from_dict(analysis.to_dict()) == analysis
    simulation = analysis.simulation
    assert simulation is not None
    path = tmp_path / "trials.csv"
    simulation.trials().to_csv(path, index=False)
    table = read_file(path, scale=simulation.scale())
    frame = table.frame
    assert len(frame) == 3 * 3 * 60 * 16 == 8640
    shifts = pd.Series(simulation.planted_shifts())
    moved = shifts[shifts.abs() > 1e-9].index
    assert set(moved.get_level_values(0)) == {"planted-cued", "planted-greedy"}
    assert {cue for judge, _, cue, _ in moved if judge == "planted-cued"} == {"authority", "bandwagon", "refinement"}
    lost = frame[frame["status"] == "refusal"]
    assert set(lost["judge"]) == {"planted-fair"}
    wide = frame[frame["judge"] == "planted-greedy"].pivot_table(
        index=["domain", "item"], columns=frame["cue"] + " " + frame["polarity"].fillna(""), values="score"
    )
    unchanged = (wide["authority neg"] == wide["base "]).mean(), (wide["verbosity neg"] == wide["base "]).mean()
    assert unchanged[0] == 1.0
    assert 0.4 < unchanged[1] < 0.7


def test_both_files_of_cue_shift_plant_the_same() -> None:
    first, second = (load_analysis(ANALYSES / "cue_shift" / file) for file in CUE_SHIFT)
    assert first.simulation == second.simulation
    assert (first.model, second.model) == ("two_stage_ordinal", "two_stage_shift")


# Trials, cells and variants beside the base of each set, counted on its files.
SETS = {
    "cue_scores": (6500, 26, 4),
    "prometheus": (960, 9, 3),
    "mtbench": (490, 8, 2),
    "hibayes/q1": (182, 1, 1),
    "hibayes/q2": (530, 3, 1),
    "hibayes/q3": (1048, 2, 5),
    "hibayes/q4": (600, 2, 2),
}


@pytest.mark.parametrize("name", SETS)
def test_an_analysis_reads_its_set(name: str, shared_data: Path) -> None:
    home = ANALYSES / name
    analysis = load_analysis(home)
    assert Analysis.from_dict(analysis.to_dict()) == analysis
    folder = shared_data / Path(str(analysis.source().data)).name
    table = read_trials(analysis.source(), folder)
    trials, cells, variants = SETS[name]
    assert (len(table.frame), len(table.cells())) == (trials, cells)
    named = table.frame[["cue", "polarity"]] if "polarity" in table.frame else table.frame[["cue"]]
    assert len(named.drop_duplicates()) == variants + 1
    assert np.isfinite(table.frame.loc[table.frame["status"] == "valid", "score"]).all()
    assert f"judgestats run analyses/{name} " in (home / "README.md").read_text(encoding="utf-8")
