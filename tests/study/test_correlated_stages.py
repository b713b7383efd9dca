"""Correlated stages: refits that take one stage alone say so and are never called the main fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgestats.study.analysis import load_analysis
from judgestats.study.check_suite import Evidence, falsification, prior_sensitivity
from judgestats.study.likelihoods import Likelihoods
from judgestats.study.setup import Setup, prepare
from judgestats.study.stages_apart import STAGES_APART

ANALYSIS = """
name = "small"
title = "Small"
question = "Any effect?"
model = "two_stage_association"
seed = 1
[trials]
files = "t.csv"
labels = ["A", "B"]
[options]
correlated_stages = {correlated}
[sensitivity]
power_scaling = false
[falsification]
permutations = 5
"""
ROWS = "".join(
    f"j,d,i{item},{block},valid,{'A,true' if item or block == 'congruent' else 'B,false'}\n"
    for item in range(4)
    for block in ("congruent", "incongruent")
)


def setup(tmp_path: Path, correlated: str) -> Setup:
    (tmp_path / "analysis.toml").write_text(ANALYSIS.format(correlated=correlated), encoding="utf-8")
    (tmp_path / "t.csv").write_text("judge,domain,item,block,status,response,consistent\n" + ROWS, encoding="utf-8")
    return prepare(load_analysis(tmp_path), tmp_path)


@pytest.mark.parametrize("correlated", [True, False])
def test_refits_of_one_stage_say_so_where_the_main_fit_correlates_them(tmp_path: Path, correlated: bool) -> None:
    """The prior grid and the permutation refit the factorised model; under ``correlated_stages`` that is another model."""
    made = setup(tmp_path, str(correlated).lower())
    evidence = Evidence(made, {}, Likelihoods(made, {}))
    priors = prior_sensitivity(evidence)
    assert priors
    assert any(row.setting.startswith("as fitted") for row in priors) is not correlated
    assert all(row.note.endswith(STAGES_APART) is correlated for row in priors)
    permuted = falsification(made, None)
    assert {row.statistic for row in permuted} == {"posterior_mean_delta_p"}
    assert all((STAGES_APART in row.notes) is correlated for row in permuted)
