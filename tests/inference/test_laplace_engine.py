"""The Laplace engine: right where its check passes, caught by the check where it is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from association_counts import pairs, stage, table
from nuts_tables import counts_of, simulate

from judgestats.draws.gate import worst
from judgestats.errors import SamplingError
from judgestats.inference.choose import load_engine
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines import laplace
from judgestats.inference.engines.exact import ExactEngine
from judgestats.inference.engines.laplace import LaplaceEngine
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions
from judgestats.trials.cell import Cell

SETTINGS = EngineSettings(Seed(4))


@pytest.mark.parametrize(
    "make",
    [lambda: pairs(72, 7, 1), lambda: pairs(80, 0, 0), lambda: table([(20, 18, 20, 15)] * 3 + [(20, 20, 20, 20)] * 10)],
    ids=["near the ceiling", "separated", "many trials an item"],
)
def test_agrees_with_the_exact_engine_where_its_check_passes(make):
    counts = make()
    fit, exact = LaplaceEngine().fit(stage(), counts, SETTINGS), ExactEngine().fit(stage(), counts, SETTINGS)
    assert worst(fit.gate) == "pass"
    assert {r.criterion for r in fit.gate} == {"pareto_khat", "node_error"}
    for name in ("alpha", "beta", "sigma_item"):
        values, target = fit.posterior[name].values, exact.posterior[name]
        # 20,000 proposals whose effective number is above 4,000: a standard error below sd / 60, taken four times.
        assert abs(values.mean() - target.mean().item()) < 4 * target.std().item() / 60
        assert values.std() == pytest.approx(target.std().item(), rel=0.06)


def test_a_bad_proposal_is_caught(monkeypatch):
    monkeypatch.setattr(laplace, "WIDER", 0.3)
    monkeypatch.setattr(laplace, "DEGREES", 100.0)
    fit = LaplaceEngine().fit(stage(), pairs(72, 7, 1), SETTINGS)
    (row,) = (r for r in fit.gate if r.criterion == "pareto_khat")
    assert row.status == "fail"
    assert row.value > 0.7
    assert "use exact" in row.action


def test_an_empty_cell_holds_the_prior():
    cells, rows = simulate(np.random.default_rng(1), [(1.0, 0.5, 0.5, 0.0)], items=20)
    fit = LaplaceEngine().fit(stage(), counts_of([*cells, Cell("judge/b", "d")], rows, clusters=False), SETTINGS)
    cell = fit.posterior.isel(cell=1)
    assert cell["alpha"].std().item() == pytest.approx(1.5, rel=0.06)
    assert cell["sigma_item"].mean().item() == pytest.approx((2 / np.pi) ** 0.5, abs=0.05)
    assert fit.posterior.sizes == {"chain": 4, "draw": 1000, "cell": 2}


def test_seeds():
    one, two = (LaplaceEngine().fit(stage(), pairs(30, 4, 1), SETTINGS) for _ in range(2))
    assert one.posterior.equals(two.posterior)
    other = LaplaceEngine().fit(stage(), pairs(30, 4, 1), replace(SETTINGS, seed=Seed(5)))
    assert not np.array_equal(other.posterior["alpha"], one.posterior["alpha"])


def test_it_is_never_called_exact_and_says_what_it_does_not_serve():
    counts = pairs(30, 4, 1)
    fit = LaplaceEngine().fit(stage(), counts, SETTINGS)
    assert fit.engine == "laplace"
    assert "exact" not in fit.why
    assert load_engine("laplace").name == "laplace"
    pooled = load_model("two_stage_association", ModelOptions(pooling="partial"), []).stage("shift")
    for spec in (stage(cluster=1.0), pooled):
        assert "use" in str(LaplaceEngine().refusal(spec, counts))
        with pytest.raises(SamplingError, match="cannot serve"):
            LaplaceEngine().fit(spec, counts, SETTINGS)
