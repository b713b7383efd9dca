"""Score item effects: draws against numerical integration, and replicates of the same items."""

from __future__ import annotations

import numpy as np
import pytest
from made_fits import level_rows, score_fit
from made_pairs import CELL, SCALE, pair_rows_of
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from judgestats.checks.score_item_effects import item_effect_draws
from judgestats.checks.score_predictive import score_predictive
from judgestats.checks.score_replicate import replicated_levels
from judgestats.seeds import Seed

THRESHOLDS = np.linspace(-3, 3, 9)
EFFECT = np.array([0.0, 0.7])


def test_moments_of_an_item_equal_numerical_integration() -> None:
    # Three items: at the top in both variants, at the bottom, and in the middle with a repeat.
    counts = np.zeros((1, 3, 2, 10), dtype=np.int64)
    counts[0, 0, :, 9] = counts[0, 1, :, 0] = 1
    counts[0, 2, 0, 4] = counts[0, 2, 1, 6] = 2
    n, sigma = 4000, 1.3
    theta = {
        "threshold": np.broadcast_to(THRESHOLDS, (n, 9)),
        "effect": np.broadcast_to(EFFECT, (n, 2)),
        "sigma_item": np.full(n, sigma),
    }
    made = np.stack(list(item_effect_draws(level_rows(counts, items=3), theta, np.random.default_rng(1))))

    def density(u: float, item: int) -> float:
        edges = np.concatenate([np.zeros((2, 1)), expit(THRESHOLDS - EFFECT[:, None] - u), np.ones((2, 1))], axis=1)
        return float(norm.pdf(u, 0, sigma) * np.prod(np.diff(edges, axis=1) ** counts[0, item]))

    for item in range(3):
        mass = quad(density, -9, 9, args=(item,))[0]
        mean = quad(lambda u, i=item: u * density(u, i), -9, 9)[0] / mass
        square = quad(lambda u, i=item: u * u * density(u, i), -9, 9)[0] / mass
        sd = np.sqrt(square - mean**2)
        assert made[:, item].mean() == pytest.approx(mean, abs=4 * sd / np.sqrt(n))
        assert made[:, item].std() == pytest.approx(sd, rel=0.06)


def test_replicates_of_the_same_items_follow_the_items() -> None:
    rng = np.random.default_rng(2)
    u = rng.normal(0, 2.5, (60, 1, 1))
    below = expit(THRESHOLDS - EFFECT[None, :, None] - u)
    levels = (rng.random((60, 2, 1)) > below).sum(axis=-1)
    rows = level_rows((levels[None, ..., None] == np.arange(10)).astype(np.int64), items=60)
    shape = (2, 200, 1)
    fit = score_fit(
        "cumulative_logit",
        rows,
        effect=np.broadcast_to(EFFECT, (*shape, 2)).copy(),
        sigma_item=np.full(shape, 2.5),
        threshold=np.broadcast_to(THRESHOLDS, (*shape, 9)).copy(),
    )
    same = np.mean(list(replicated_levels(fit, 0, 400, rng, replicates="same items")), axis=0)
    new = np.mean(list(replicated_levels(fit, 0, 400, rng)), axis=0)
    assert np.corrcoef(same, rows.outcome)[0, 1] > 0.8
    assert abs(np.corrcoef(new, rows.outcome)[0, 1]) < 0.5
    wide = score_predictive({"shift": fit}, SCALE, Seed(1), draws=400)
    narrow = score_predictive({"shift": fit}, SCALE, Seed(1), draws=400, replicates="same items")
    assert sum(row.upper - row.lower for row in narrow) < 0.97 * sum(row.upper - row.lower for row in wide)


def test_paired_models_refuse_the_same_items() -> None:
    rows = pair_rows_of({CELL: np.full((3, 2, 1), 5)})
    fit = score_fit("bernoulli_logit", rows["moved"], alpha=np.zeros((1, 2, 1)))
    with pytest.raises(ValueError, match="new items only"):
        score_predictive({"moved": fit, "shift": fit}, SCALE, Seed(1), replicates="same items")
