"""Slow calibration of the association model with the exact engine; results are written to docs/evidence/association.json."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy.stats import binom

from judgestats.checks.ecdf_band import ecdf_band
from judgestats.checks.permutation import falsify
from judgestats.checks.permutation_p import mid_p
from judgestats.checks.sbc import QUANTITIES, calibrate, simulate_counts
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import ExactEngine, line_quantities
from judgestats.judges.simulated import PlantedBias
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions

pytestmark = pytest.mark.calibration
SEED = Seed(20261130)
ITEMS = 80
JOBS = os.cpu_count() or 1
EVIDENCE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "association.json"
# The six planted cells of the demo: P(consistent | congruent) and Delta P.
PLANTED = ((0.97, 0.086), (0.98, 0.020), (0.98, 0.017), (0.985, 0.002), (0.985, 0.004), (0.985, 0.001))


def stage(task: str = "default") -> Any:
    return load_model("two_stage_association", ModelOptions(task=task), ()).stage("shift")  # type: ignore[arg-type]


def record(key: str, value: Any) -> None:
    """Write one result into the evidence file, keeping the others."""
    held = json.loads(EVIDENCE.read_text(encoding="utf-8")) if EVIDENCE.is_file() else {}
    held["command"] = "make calibration"
    held["seed"] = SEED.root
    held[key] = value
    EVIDENCE.parent.mkdir(parents=True, exist_ok=True)
    EVIDENCE.write_text(json.dumps(held, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def test_prior_draws_rank_uniformly() -> None:
    """1,000 data sets of the demo's cell design: ranks inside the simultaneous band, coverage 93 to 97 %."""
    datasets = 1000
    result = calibrate(stage(), datasets=datasets, items=ITEMS, seed=SEED, jobs=JOBS)
    record(
        "sbc",
        {
            "datasets": datasets,
            "items": ITEMS,
            "separated": result.separated,
            "band": "simultaneous 95 %; excess at most 0 means inside",
            "band_excess": {q: round(result.band_excess[q], 5) for q in QUANTITIES},
            "coverage_95": {q: round(result.coverage(q), 4) for q in QUANTITIES},
            "rank_histogram_20": {q: np.histogram(result.ranks[q], 20, (0, 1))[0].tolist() for q in QUANTITIES},
        },
    )
    for quantity in QUANTITIES:
        assert result.band_excess[quantity] <= 0, quantity
        assert 0.93 <= result.coverage(quantity) <= 0.97, quantity


def _covers(cell: int, index: int, task: str) -> tuple[bool, float, float]:
    p_congruent, delta = PLANTED[cell]
    bias = PlantedBias(p_congruent=p_congruent, delta_p=delta)
    coefficients = bias.coefficients()
    truth = {"alpha": coefficients.alpha, "beta": coefficients.beta, "sigma_item": bias.item_sd}
    counts = simulate_counts("shift", truth, ITEMS, SEED.generator(f"planted/{cell}/{index}"))
    fit = ExactEngine().fit(stage(task), counts, EngineSettings(SEED))
    quantity = line_quantities(next(iter(fit.lines.values())))["difference[marginal]"]
    return quantity.quantile(0.025) <= delta <= quantity.quantile(0.975), quantity.mean(), quantity.sd()


@pytest.mark.parametrize("task", ["default", "ceiling"])
def test_coverage_at_the_planted_values(task: str) -> None:
    """200 seeds a cell at the demo's fixed truths: reported cell by cell; near the ceiling it need not be nominal."""
    rows = []
    for cell, (p_congruent, delta) in enumerate(PLANTED):
        results = Parallel(n_jobs=JOBS)(delayed(_covers)(cell, i, task) for i in range(200))
        covered = sum(r[0] for r in results)
        rows.append(
            {
                "p_congruent": p_congruent,
                "delta_p": delta,
                "seeds": 200,
                "coverage_95": covered / 200,
                "interval_of_coverage": [float(v) for v in binom.interval(0.95, 200, covered / 200) / np.array(200.0)],
                "mean_of_posterior_means": round(float(np.mean([r[1] for r in results])), 5),
                "mean_posterior_sd": round(float(np.mean([r[2] for r in results])), 5),
            }
        )
    record(f"planted_{task}", rows)
    # A fixed truth is not a draw from the prior, so nominal coverage is not owed; far below it would be a defect.
    assert min(row["coverage_95"] for row in rows) >= 0.85


def _null_p(index: int) -> tuple[float, float, float]:
    rng = SEED.generator(f"null/{index}")
    truth = {"alpha": float(rng.normal(2.0, 1.0)), "beta": 0.0, "sigma_item": 1.0}
    counts = simulate_counts("shift", truth, ITEMS, rng)
    rows = falsify(stage(), counts, schemes=("within_item", "within_judge"), permutations=999, seed=Seed(index))
    within, judge = rows
    shuffled = (
        within.null
        if not within.enumerated
        else rng.choice(within.null, 999, p=within.null_weights / within.null_weights.sum())
    )
    return within.p_value, judge.p_value, mid_p(shuffled, within.observed, rng)


def test_permutation_p_is_valid_under_the_null() -> None:
    """500 null data sets: the share with p <= a is at most a within a binomial band, and the mid-p is uniform."""
    results = np.array(Parallel(n_jobs=JOBS)(delayed(_null_p)(i) for i in range(500)))
    levels = (0.01, 0.05, 0.1, 0.2)
    shares = {
        scheme: {str(a): float(np.mean(results[:, column] <= a)) for a in levels}
        for column, scheme in enumerate(("within_item", "within_judge", "within_item mid-p"))
    }
    excess = ecdf_band(500, 0.95, SEED.generator("null/band")).excess(results[:, 2])
    record(
        "permutation_null", {"datasets": 500, "share_p_at_most": shares, "mid_p_band_excess": round(float(excess), 5)}
    )
    for scheme in ("within_item", "within_judge"):
        for level in levels:
            limit = binom.ppf(0.999, 500, level) / 500
            assert shares[scheme][str(level)] <= limit, (scheme, level)
    assert excess <= 0
