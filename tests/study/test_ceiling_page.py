"""The numbers on docs/explanation/ceiling.md are those of the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgestats.checks.prior_sensitivity import prior_grid
from judgestats.inference.contract import EngineSettings
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions
from judgestats.study.doctor import SELF_CHECK_DELTA_P, self_check_counts

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "ceiling.md"


def test_the_three_block_priors_give_the_numbers_on_the_page() -> None:
    model = load_model("two_stage_association", ModelOptions(), ())
    rows = prior_grid(model, self_check_counts(), EngineSettings(Seed(1)))
    fitted = next(row for row in rows if row.setting.startswith("as fitted"))
    assert fitted.mean == pytest.approx(SELF_CHECK_DELTA_P, abs=5e-4)
    found = {"N(0, 1.5)": fitted} | {
        row.setting.removeprefix("block effect "): row for row in rows if row.setting.startswith("block effect")
    }
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    said = "is {} under a block prior of N(0, 1), {} under the default N(0, 1.5) and {} under N(0, 2.5)"
    means = [f"{found[prior].mean:.3f}".lstrip("0") for prior in ("N(0, 1)", "N(0, 1.5)", "N(0, 2.5)")]
    assert said.format(*means) in text
    holds = {prior: row.lower < 0 < row.upper for prior, row in found.items() if row.lower is not None and row.upper}
    assert holds == {"N(0, 1)": True, "N(0, 1.5)": True, "N(0, 2.5)": False}
