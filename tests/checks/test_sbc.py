"""Simulation-based calibration: the right model passes, wrong ones fail by the quantity that must catch them."""

from __future__ import annotations

import numpy as np
import pytest

from judgestats.checks.ecdf_band import ecdf_band
from judgestats.checks.sbc import calibrate
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions, StageSpec
from judgestats.spec.prior import Prior

SEED = Seed(20261130)
DATASETS = 60


@pytest.fixture(scope="module")
def stage() -> StageSpec:
    return load_model("two_stage_association", ModelOptions(), ()).stage("shift")


def test_band_holds_uniforms_and_not_others() -> None:
    """400 sets of 100 uniforms: about 95 % inside, sd sqrt(.95 x .05 / 400) = .011; a shifted set is outside."""
    rng = np.random.default_rng(0)
    band = ecdf_band(100, 0.95, rng)
    inside = np.mean([band.excess(rng.uniform(size=100)) <= 0 for _ in range(400)])
    assert inside == pytest.approx(0.95, abs=4 * 0.011)
    assert band.excess(rng.uniform(size=100) ** 2) > 0


def test_the_right_model_is_calibrated(stage: StageSpec) -> None:
    result = calibrate(stage, datasets=DATASETS, items=30, seed=SEED)
    # Five quantities at 95 % each: a slack of .03 keeps a right model from failing by chance.
    assert max(result.band_excess.values()) <= 0.03
    # Binomial sd of coverage at 60 sets: .028.
    assert result.coverage("delta_p") == pytest.approx(0.95, abs=3.5 * 0.028)


def test_a_prior_off_by_two_is_caught_by_the_intercept(stage: StageSpec) -> None:
    wrong = stage.with_priors({"alpha": Prior("normal", 0.5, 3.0)})
    result = calibrate(stage, datasets=DATASETS, items=30, seed=SEED, fitted=wrong)
    assert result.band_excess["alpha"] > 0.1


def test_a_dropped_item_effect_is_caught_by_its_scale(stage: StageSpec) -> None:
    wrong = stage.with_priors({"sigma_item": Prior("half_normal", 0.02)})
    result = calibrate(stage, datasets=DATASETS, items=30, seed=SEED, fitted=wrong)
    assert result.band_excess["sigma_item"] > 0.3
