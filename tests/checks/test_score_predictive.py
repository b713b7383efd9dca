"""Score predictive: replicates have the model's own probabilities, calibrated shares, and catch a wrong model."""

from __future__ import annotations

import numpy as np
import pytest
from made_fits import level_rows, score_fit
from made_pairs import CELL, SCALE, pair_rows_of
from scipy.special import expit
from scipy.stats import t as student

from judgestats.checks.score_predictive import score_predictive
from judgestats.checks.score_replicate import replicated_differences, replicated_levels, rounded_t
from judgestats.draws.score_fit import ScoreFit
from judgestats.estimands.scores.differences import difference_probabilities
from judgestats.estimands.scores.levels import level_probabilities
from judgestats.seeds import Seed

THRESHOLDS = np.linspace(-3, 3, 9)


def ordinal(counts: np.ndarray, effect: tuple[float, ...], sigma: float, draws: int = 200) -> ScoreFit:
    """Return a fit that knows its parameters."""
    rows = level_rows(counts, items=counts.shape[1])
    shape = (4, draws // 4, 1)
    return score_fit(
        "cumulative_logit",
        rows,
        effect=np.broadcast_to(np.array(effect), (*shape, len(effect))).copy(),
        sigma_item=np.full(shape, sigma),
        threshold=np.broadcast_to(THRESHOLDS, (*shape, 9)).copy(),
    )


def simulated(rng: np.random.Generator, items: int, effect: tuple[float, ...], sigma: float) -> np.ndarray:
    """Return counts of one trial an item and variant, dims (cell, item, variant, level), from the written-out model."""
    u = rng.normal(0, sigma, (items, 1))
    below = expit(THRESHOLDS - np.array(effect)[None, :, None] - u[..., None])
    level = (rng.random((items, len(effect), 1)) > below).sum(axis=-1)
    return np.asarray(level[None, ..., None] == np.arange(10), dtype=np.int64)


def test_replicated_levels_have_the_marginal_probabilities() -> None:
    rng = np.random.default_rng(1)
    fit = ordinal(simulated(rng, 300, (0.0, 1.2), 0.8), (0.0, 1.2), 0.8)
    made = np.stack(list(replicated_levels(fit, 0, 200, rng)))
    wanted = level_probabilities(fit).values[0, 0, 0]
    for variant in (0, 1):
        mine = made[:, fit.rows.variant == variant]
        found = np.bincount(mine.ravel(), minlength=10) / mine.size
        # 60,000 independent items: 4 standard errors of a share.
        np.testing.assert_allclose(found, wanted[variant], atol=4 * np.sqrt(0.25 / 60_000))


def test_shares_of_the_true_model_are_covered_and_those_of_a_wrong_one_are_not() -> None:
    rng = np.random.default_rng(2)
    inside, far = [], []
    for k in range(20):
        counts = simulated(rng, 150, (0.0, 1.0), 0.7)
        right = score_predictive({"shift": ordinal(counts, (0.0, 1.0), 0.7)}, SCALE, Seed(k))
        assert len(right) == 20
        assert [row.level for row in right[:10]] == list(range(1, 11))
        assert sum(row.observed for row in right[:10]) == pytest.approx(1)
        assert sum(row.mean for row in right[10:]) == pytest.approx(1)
        inside += [row.lower <= row.observed <= row.upper for row in right]
        wrong = score_predictive({"shift": ordinal(counts, (0.0, 0.0), 0.7)}, SCALE, Seed(k))
        far.append(min(min(row.p_tail, 1 - row.p_tail) for row in wrong[10:]))
    # 95 % intervals of discrete shares hold at least that; 400 intervals, dependent within a data set.
    assert np.mean(inside) > 0.92
    assert np.median(far) < 0.01


def test_rounded_t_has_the_truncated_probabilities() -> None:
    rng = np.random.default_rng(3)
    n = 200_000
    for location, scale, nu, base in (
        (-0.6, 1.3, 4.0, 7),
        (2.0, 0.4, 10.0, 8),
        (0.3, 2.0, 3.0, 0),
        (-3.0, 0.2, 30.0, 0),
    ):
        found = rounded_t(np.full(n, location), np.full(n, scale), nu, np.full(n, base), 10, rng)
        d = np.arange(-base, 10 - base)
        p = student.cdf(d + 0.5, nu, location, scale) - student.cdf(d - 0.5, nu, location, scale)
        # Beyond the middle by the upper tail, which keeps its digits.
        q = student.sf(d - 0.5, nu, location, scale) - student.sf(d + 0.5, nu, location, scale)
        p = np.where(d > location, q, p)
        p[d == 0] = 0
        p /= p.sum()
        share = np.bincount(found + base, minlength=10)[:10] / n
        np.testing.assert_allclose(share, p, atol=4.5 * np.sqrt(0.25 / n))


def paired(scores: np.ndarray, chance: float, location: float, sigma: float) -> dict[str, ScoreFit]:
    """Return fits of the paired model that know their parameters; one variant beside the base."""
    rows = pair_rows_of({CELL: scores})
    shape = (4, 50, 1)
    two = np.zeros((*shape, 2))
    at = np.stack([np.zeros(shape), np.full(shape, location)], axis=-1)
    moved = score_fit(
        "bernoulli_logit",
        rows["moved"],
        alpha=np.full(shape, np.log(chance / (1 - chance))),
        effect=two,
        sigma_item=np.full(shape, sigma),
    )
    shift = score_fit(
        "rounded_t",
        rows["shift"],
        effect=at,
        sigma_item=np.full(shape, sigma),
        scale=np.ones((*shape, 2)),
        nu=np.full(shape, 5.0),
    )
    return {"moved": moved, "shift": shift}


def test_replicated_differences_have_the_probabilities_of_the_paired_model() -> None:
    rng = np.random.default_rng(4)
    base = rng.integers(4, 10, 400)
    scores = np.stack([base, np.clip(base - rng.integers(0, 3, 400), 0, 9)], axis=1)[:, :, None]
    fits = paired(scores, 0.4, -1.0, 0.5)
    made = np.stack(list(replicated_differences(fits["moved"], fits["shift"], 0, 200, rng)))
    found = np.bincount(made.ravel() + 9, minlength=19) / made.size
    wanted = difference_probabilities(fits["moved"], fits["shift"])["p_difference"].values[0, 0, 0, 1]
    np.testing.assert_allclose(found, wanted, atol=4 * np.sqrt(0.25 / made.size))


def test_paired_rows_hold_the_observed_shares_of_differences() -> None:
    rng = np.random.default_rng(5)
    base = rng.integers(4, 10, 200)
    scores = np.stack([base, np.clip(base - rng.integers(0, 3, 200), 0, 9)], axis=1)[:, :, None]
    rows = {row.level: row for row in score_predictive(paired(scores, 0.6, -1.0, 0.1), SCALE, Seed(1))}
    difference = scores[:, 1, 0] - scores[:, 0, 0]
    for d in (-2, -1, 0):
        assert rows[d].observed == pytest.approx(np.mean(difference == d))
    assert sum(row.observed for row in rows.values()) == pytest.approx(1)
    assert {row.cue for row in rows.values()} == {"cue-00"}


def test_constant_judge_is_replicated_without_a_location() -> None:
    fits = paired(np.full((50, 2, 1), 9), 0.001, 0.0, 0.01)
    for name in ("effect", "scale"):
        fits["shift"].posterior[name].values[...] = np.nan
    (row,) = score_predictive(fits, SCALE, Seed(1))
    assert (row.level, row.observed, row.mean) == (0.0, 1.0, 1.0)
