"""Analysis files: what is read, what is refused and how it is said."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgestats.errors import ConfigError
from judgestats.study.analysis import Analysis, DecisionSection, load_analysis
from judgestats.study.section import read_section

ROOT = Path(__file__).resolve().parents[2]

MINIMAL: dict[str, Any] = {
    "name": "a",
    "title": "t",
    "question": "q",
    "model": "two_stage_association",
    "seed": 1,
    "simulation": {"seed": 2, "judges": {"j/1": {"gender-career": {"p_congruent": 0.9, "delta_p": 0.1}}}},
}


def altered(**changes: Any) -> dict[str, Any]:
    table = copy.deepcopy(MINIMAL)
    for key, value in changes.items():
        if value is None:
            del table[key]
        else:
            table[key] = value
    return table


@pytest.mark.parametrize("name", sorted(path.parent.name for path in ROOT.glob("analyses/*/analysis.toml")))
def test_every_analysis_in_the_checkout_round_trips(name: str) -> None:
    analysis = load_analysis(ROOT / "analyses" / name)
    assert analysis.name == name
    assert Analysis.from_dict(analysis.to_dict()) == analysis
    assert load_analysis(ROOT / "analyses" / name / "analysis.toml") == analysis


@given(
    rope=st.floats(0.001, 0.5),
    ci_prob=st.floats(0.5, 0.999),
    permutations=st.integers(0, 10**6),
    draws=st.integers(1, 10**5),
    title=st.text(max_size=20),
    pooling=st.sampled_from(["none", "partial"]),
    delta=st.floats(-0.05, 0.05),
)
def test_round_trip(
    rope: float, ci_prob: float, permutations: int, draws: int, title: str, pooling: str, delta: float
) -> None:
    table = altered(
        title=title,
        decision={"rope": rope, "ci_prob": ci_prob},
        falsification={"permutations": permutations, "schemes": ["within_judge"]},
        engine={"draws": draws, "name": "numpyro", "check": "pymc"},
        options={"pooling": pooling},
        planted=[{"judge": "ü/x", "domain": "d", "delta_p": delta}],
    )
    analysis = Analysis.from_dict(table)
    assert Analysis.from_dict(analysis.to_dict()) == analysis
    assert analysis.decision.rope == rope
    assert analysis.planted_values() == {("j/1", "gender-career"): 0.1, ("ü/x", "d"): delta}


def test_the_demo_plants_the_published_sizes() -> None:
    analysis = load_analysis(ROOT / "analyses" / "demo")
    assert list(analysis.planted_values().values()) == [0.086, 0.020, 0.017, 0.002, 0.004, 0.001]
    assert analysis.simulation is not None
    lost = {
        (judge, cell.refusal_congruent, cell.refusal_incongruent)
        for judge, cells in analysis.simulation.judges.items()
        for cell in cells.values()
    }
    assert lost == {("planted-A", 0.0, 0.0), ("planted-B", 0.0, 0.25), ("planted-C", 0.0, 0.0)}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (altered(sead=1), ["unknown key 'sead'", "did you mean 'seed'?"]),
        (altered(decision={"rop": 0.1}), ["[decision]", "unknown key 'rop'", "did you mean 'rope'?"]),
        (altered(decision={"rope": -0.1}), ["rope is -0.1", "above 0"]),
        (altered(decision={"rope": "wide"}), ["rope is 'wide'", "a number"]),
        (altered(decision={"ci_prob": 95}), ["ci_prob is 95", "such as 0.95"]),
        (altered(decision={"ci_kind": "HDI"}), ["ci_kind is 'HDI'", "'hdi'"]),
        (altered(engine={"name": "exat"}), ["name is 'exat'", "did you mean 'exact'?"]),
        (altered(engine={"chains": True}), ["chains is True", "a whole number"]),
        (altered(falsification={"schemes": "within_item"}), ["schemes is 'within_item'", "a list"]),
        (altered(falsification={"schemes": ["within_items"]}), ["did you mean 'within_item'?"]),
        (altered(options={"pooling": "full"}), ["pooling is 'full'", "'partial'"]),
        (altered(seed=-1), ["seed is -1", "0 or more"]),
        (altered(seed="1"), ["seed is '1'"]),
        (altered(model=None), ["the key 'model' is missing"]),
        (altered(simulation=None), ["neither of [trials] and [simulation]"]),
        (altered(trials={"files": "*.csv"}), ["both of [trials] and [simulation]"]),
        (altered(simulation={"seed": 1, "judges": {}}), ["names no judge"]),
        (altered(simulation={"seed": 1, "design": "asociation"}), ["did you mean 'association'?"]),
        (
            altered(simulation={"seed": 1, "judges": {"j": {"gender-carer": {"p_congruent": 0.9, "delta_p": 0.1}}}}),
            ["gender-carer", "did you mean 'gender-career'?"],
        ),
        (
            altered(simulation={"seed": 1, "judges": {"j": {"gender-career": {"p_congruent": 0.9}}}}),
            ["the key 'delta_p' is missing"],
        ),
        (altered(planted=[{"judge": "j", "domian": "d", "delta_p": 0.1}]), ["did you mean 'domain'?"]),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(table: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ConfigError) as raised:
        Analysis.from_dict(table)
    for word in words:
        assert word in str(raised.value)
    assert raised.value.exit_code == 2


def test_files_that_are_absent_or_not_toml(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds no analysis\.toml"):
        load_analysis(tmp_path)
    broken = tmp_path / "analysis.toml"
    broken.write_text("name = ", encoding="utf-8")
    with pytest.raises(ConfigError, match="not valid TOML"):
        load_analysis(tmp_path)
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"not UTF-8: line 1, byte 0"):
        load_analysis(broken)


def test_a_whole_number_serves_where_a_number_is_asked() -> None:
    with pytest.raises(ConfigError, match="between 0 and 1"):
        read_section(DecisionSection, {"rope": 1}, "[decision]").half_width("choice")


def test_the_default_rule_states_its_numbers() -> None:
    words = DecisionSection(rope=0.03, ci_prob=0.9).words()
    assert "90 % interval" in words
    assert "[-0.03, 0.03]" in words
    assert DecisionSection(rule="Mine.").words() == "Mine."
