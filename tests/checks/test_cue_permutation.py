"""Cue permutation: exact and random swaps agree, p holds its level, items flip whole, flips are joint."""

from __future__ import annotations

import numpy as np
import pytest
from made_pairs import CELL, SCALE, pair_rows_of
from scipy.stats import permutation_test

from judgestats.checks.cue_permutation import falsify_cues, flip_coins
from judgestats.checks.item_differences import item_differences
from judgestats.errors import ConfigError
from judgestats.seeds import Seed
from judgestats.trials.cell import Cell


def near_ceiling(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Return exchangeable level indices of 0..9, 40 % at the top."""
    return 9 - rng.choice(10, size=shape, p=np.array([40, 20, 15, 8, 6, 4, 3, 2, 1, 1]) / 100)


def test_equals_scipy_on_raw_scores() -> None:
    rng = np.random.default_rng(1)
    scores = near_ceiling(rng, (10, 2, 1))
    scores[:, 1] = np.maximum(scores[:, 1] - 1, 0)
    (row,) = falsify_cues(pair_rows_of({CELL: scores}), SCALE, seed=Seed(0))
    found = permutation_test(
        (scores[:, 1, 0].astype(float), scores[:, 0, 0].astype(float)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert row.observed == pytest.approx(found.statistic, abs=1e-12)
    assert row.p_value == pytest.approx(found.pvalue, abs=1e-12)
    assert (row.permutations, row.statistic, row.scheme) == (0, "raw_difference", "within_item")


def test_exact_distribution_equals_random_swaps() -> None:
    rng = np.random.default_rng(2)
    scores = {Cell("a", "arc"): near_ceiling(rng, (30, 4, 2)), Cell("b", "arc"): near_ceiling(rng, (25, 4, 1))}
    for values in scores.values():
        values[:, 2] = np.maximum(values[:, 2] - (rng.random(values[:, 2].shape) < 0.9), 0)
    m = 20_000
    exact = falsify_cues(pair_rows_of(scores), SCALE, permutations=m, seed=Seed(5))
    swapped = falsify_cues(pair_rows_of(scores), SCALE, permutations=m, seed=Seed(6), exact_limit=0)
    for one, other in zip(exact, swapped, strict=True):
        assert (one.permutations, other.permutations) == (0, m)
        assert one.observed == other.observed
        # p is twice a binomial share; the smaller of two tails adds the same again where both are near 1/2.
        error = 2 * np.sqrt(one.p_value / 2 * (1 - one.p_value / 2) / m)
        assert abs(one.p_value - other.p_value) < 5 * error + 2 / m
        assert abs(one.p_max - other.p_max) < 0.02
        assert one.p_max >= one.p_value
    assert min(row.p_value for row in exact) < 0.05


def test_p_holds_its_level_over_500_null_data_sets() -> None:
    rng = np.random.default_rng(3)
    p, p_max = [], []
    for k in range(500):
        rows = falsify_cues(pair_rows_of({CELL: near_ceiling(rng, (25, 5, 1))}), SCALE, permutations=399, seed=Seed(k))
        p.append(rows[0].p_value)
        p_max.append(min(row.p_max for row in rows))
    for level in (0.01, 0.05, 0.1, 0.2, 0.5):
        bound = level + 2.6 * np.sqrt(level * (1 - level) / 500)
        assert np.mean(np.array(p) <= level) <= bound
        assert np.mean(np.array(p_max) <= level) <= bound
    # Not so conservative that it could not fail: with 25 items the attainable levels are dense.
    assert np.mean(np.array(p) <= 0.2) > 0.12
    assert np.mean(np.array(p_max) <= 0.2) > 0.12


def test_repeats_of_an_item_flip_as_a_whole() -> None:
    # 4 items with 5 repeats, all 20 pairs one step down: 4 coins, so p = 2 / 2^4; single pairs would give 2 / 2^20.
    scores = np.full((4, 2, 5), 5)
    scores[:, 1] = 4
    (row,) = falsify_cues(pair_rows_of({CELL: scores}), SCALE, seed=Seed(1))
    assert row.observed == -1
    assert row.p_value == row.smallest_p == 2 / 16
    assert set(np.round(np.array(row.null), 9)) <= {-1.0, -0.5, 0.0, 0.5, 1.0}
    assert row.distinct == 5


def test_one_coin_serves_all_variants_and_judges_of_an_item() -> None:
    rng = np.random.default_rng(4)
    scores = near_ceiling(rng, (12, 2, 1))
    both = np.concatenate([scores, scores[:, 1:]], axis=1)
    cells = {Cell("a", "arc"): both, Cell("b", "arc"): both, Cell("a", "gsm"): both}
    rows = falsify_cues(pair_rows_of(cells), SCALE, permutations=200, seed=Seed(2))
    null = {(r.judge, r.domain, r.cue): r.null for r in rows}
    assert null["a", "arc", "cue-00"] == null["a", "arc", "cue-01"] == null["b", "arc", "cue-00"]
    assert null["a", "arc", "cue-00"] != null["a", "gsm", "cue-00"]
    # Twice the same question is one question: the p over rows of a cell with copies is the p of one, here of two domains.
    one = falsify_cues(pair_rows_of({Cell("a", "arc"): both[:, :2]}), SCALE, permutations=4000, seed=Seed(2))[0]
    copies = falsify_cues(pair_rows_of({Cell("a", "arc"): both}), SCALE, permutations=4000, seed=Seed(2))[0]
    assert copies.p_max == one.p_max
    assert abs(one.p_max - one.p_value) < 5 * np.sqrt(0.25 / 4000)


def test_moved_variants_do_not_widen_the_null_of_others() -> None:
    rng = np.random.default_rng(6)
    scores = near_ceiling(rng, (30, 3, 1))
    before = falsify_cues(pair_rows_of({CELL: scores}), SCALE, seed=Seed(1))[0]
    scores[:, 2] = 0
    after = falsify_cues(pair_rows_of({CELL: scores}), SCALE, seed=Seed(1))
    assert after[0].null == before.null
    assert after[0].p_value == before.p_value
    assert after[1].p_max < 0.01


def test_constant_judge_gives_no_claim() -> None:
    rows = falsify_cues(pair_rows_of({CELL: np.full((40, 3, 2), 9)}), SCALE, seed=Seed(1))
    assert [(row.p_value, row.smallest_p, row.p_max, row.distinct) for row in rows] == [(1.0, 1.0, None, 1)] * 2
    assert "p = 1 says nothing" in rows[0].notes[1]


def test_lost_trials_leave_their_pair_out() -> None:
    rng = np.random.default_rng(8)
    scores = near_ceiling(rng, (20, 2, 1))
    lost = np.zeros(scores.shape, dtype=bool)
    lost[:5, 0] = lost[5:8, 1] = True
    (row,) = falsify_cues(pair_rows_of({CELL: scores}, {CELL: lost}), SCALE, seed=Seed(1))
    (kept,) = falsify_cues(pair_rows_of({CELL: scores[8:]}), SCALE, seed=Seed(1))
    assert (row.observed, row.p_value) == (kept.observed, kept.p_value)
    assert "of 12 items" in row.notes[1]


def test_variant_without_a_pair_gives_no_row_and_bad_counts_are_refused() -> None:
    scores = np.full((3, 3, 1), 4)
    lost = np.zeros(scores.shape, dtype=bool)
    lost[:, 2] = True
    pairs = pair_rows_of({CELL: scores}, {CELL: lost})
    assert [row.cue for row in falsify_cues(pairs, SCALE, seed=Seed(1))] == ["cue-00"]
    with pytest.raises(ConfigError, match="permutations = 0"):
        falsify_cues(pairs, SCALE, permutations=0, seed=Seed(1))
    with pytest.raises(ValueError, match="missing: shift"):
        item_differences({"moved": pairs["moved"]})


def test_coins_are_fair_and_reproducible() -> None:
    cells = item_differences(pair_rows_of({CELL: np.full((50, 2, 1), 4)}))
    (coins,) = flip_coins(cells, 2000, Seed(9))
    assert set(np.unique(coins)) == {-1, 1}
    assert abs(coins.mean()) < 4 / np.sqrt(coins.size)
    np.testing.assert_array_equal(coins, flip_coins(cells, 2000, Seed(9))[0])
