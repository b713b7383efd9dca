"""The second engine of ``[engine] check``: its own gate is told apart from that of the fit that is reported."""

from __future__ import annotations

from pathlib import Path

from judgestats.study.analysis import load_analysis
from judgestats.study.gate_rows import gate_rows
from judgestats.study.setup import prepare

ANALYSIS = """
name = "small"
title = "Small"
question = "Any effect?"
model = "two_stage_association"
seed = 1
[trials]
files = "t.csv"
labels = ["A", "B"]
[engine]
name = "exact"
check = "exact"
"""
ROWS = "".join(
    f"j,d,i{item},{block},valid,{'A,true' if item or block == 'congruent' else 'B,false'}\n"
    for item in range(4)
    for block in ("congruent", "incongruent")
)


def test_gate_rows_of_the_second_engine_name_it(tmp_path: Path) -> None:
    """Without fits and records of the first engine every row is the second's, and says so."""
    (tmp_path / "analysis.toml").write_text(ANALYSIS, encoding="utf-8")
    (tmp_path / "t.csv").write_text("judge,domain,item,block,status,response,consistent\n" + ROWS, encoding="utf-8")
    setup = prepare(load_analysis(tmp_path), tmp_path)
    rows = gate_rows(setup, {}, (), None)
    assert {row.stage for row in rows} == {"validity", "shift"}
    assert all(row.quantity.endswith(", second engine (exact)") for row in rows)
