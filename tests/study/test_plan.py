"""Plans of the real analyses: sizes, engines and the reasons for them, without a fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgestats.study.analysis import load_analysis
from judgestats.study.plan import make_plan

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("name", "folder", "trials", "engine"),
    [
        # Sizes are those that the README files of the data state.
        ("rm_iat", "rm_iat_open", 13_480, "pymc"),
        ("bai_iat", "bai_iat_gpt4o", 9_972, "pymc"),
        ("bbq", "bbq_unifiedqa", 4_880, "pymc"),
    ],
)
def test_real_analyses(name: str, folder: str, trials: int, engine: str, shared_data: Path) -> None:
    plan = make_plan(load_analysis(ROOT / "analyses" / name), shared_data / folder, None)
    assert plan.trials == trials
    assert sum(row[-1] for row in plan.counts) == trials
    assert {chosen for chosen, _ in plan.engines.values()} == {engine}
    assert all(why for _, why in plan.engines.values())
    if engine == "pymc":
        reason = "offered by name only" if name == "bbq" else "clusters cross items"
        assert reason in plan.engines["shift"][1]
    assert not plan.finished
    assert not plan.outdated
    assert "nothing had been finished yet" in "\n".join(plan.lines())
    assert ("never stored" in plan.fits) is (engine == "exact")
    text = "\n".join(plan.lines())
    assert f"{trials} trials" in text
    assert "beta ~ N(0, 1.5)" in text


def test_a_correlated_model_is_sampled_in_one_piece() -> None:
    from dataclasses import replace

    from judgestats.spec.model import ModelOptions
    from judgestats.study.catalog import demo_folder

    analysis = replace(load_analysis(demo_folder()), options=ModelOptions(correlated_stages=True))
    plan = make_plan(analysis, None, None)
    assert {chosen for chosen, _ in plan.engines.values()} == {"pymc"}
    assert "correlate" in plan.engines["validity"][1]
