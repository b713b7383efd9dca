"""Posterior predictive checks: calibrated when the model is right, failing when it is wrong."""

from __future__ import annotations

import hand_made as hm
import numpy as np
import pytest
from scipy.special import expit

from judgestats.checks.posterior_predictive import ALL_DOMAINS, posterior_predictive_counts, posterior_predictive_rows
from judgestats.seeds import Seed
from judgestats.spec.prior import Prior


def simulate(
    rng: np.random.Generator,
    *,
    alpha: float,
    beta: float,
    sigma: float,
    items: int,
    trials: int,
    slope: float = 0.0,
    cell: int = 0,
) -> list[hm.Row]:
    rows: list[hm.Row] = []
    for item in range(items):
        effect, tilt = rng.normal(0, sigma), rng.normal(0, slope)
        for block in (0.5, -0.5):
            p = expit(alpha + (beta + tilt) * block + effect)
            rows.append((cell, item, None, block, trials, int(rng.binomial(trials, p))))
    return rows


def test_tails_are_roughly_uniform_when_the_model_is_right() -> None:
    rng = np.random.default_rng(12)
    tails: dict[str, list[float]] = {}
    sets = 40
    for number in range(sets):
        alpha, beta, sigma = rng.normal(0, 1.5), rng.normal(0, 1.5), abs(rng.normal())
        table = hm.counts(simulate(rng, alpha=alpha, beta=beta, sigma=sigma, items=40, trials=2))
        fit = hm.lattice_fit(hm.stage(), table, rng, 400)
        for row in posterior_predictive_rows(hm.stage(), fit, Seed(number)):
            assert row.p_tail is not None
            tails.setdefault(row.statistic, []).append(row.p_tail)
    for statistic, values in tails.items():
        # Means of uniform tails have sd .29 / sqrt(40); posterior predictive tails are drawn towards 1/2, never
        # outwards, so at most a tenth (plus 3 binomial errors) lies in the outer tenth.
        assert np.mean(values) == pytest.approx(0.5, abs=3 * 0.29 / np.sqrt(sets)), statistic
        outer = np.mean([v < 0.05 or v > 0.95 for v in values])
        assert outer <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / sets), statistic


def test_a_model_without_items_fails_on_overdispersed_items() -> None:
    rng = np.random.default_rng(2)
    table = hm.counts(simulate(rng, alpha=0.5, beta=0.5, sigma=3.0, items=60, trials=2))
    right, wrong = hm.stage(), hm.stage(sigma=Prior("half_normal", 0.02))
    rows = {}
    for name, stage in (("right", right), ("wrong", wrong)):
        fit = hm.lattice_fit(stage, table, rng)
        rows[name] = {r.statistic: r for r in posterior_predictive_rows(stage, fit, Seed(1)) if r.block is None}
    for statistic in ("variance_over_items", "items_with_k_successes=0", "items_with_k_successes=4"):
        # Without items the replicated spread is binomial: the observed one is never reached.
        assert rows["wrong"][statistic].p_tail < 0.005
        assert 0.01 < rows["right"][statistic].p_tail < 0.99
    assert 0.05 < rows["wrong"]["successes"].p_tail < 0.95


def test_block_slopes_by_item_show_in_items_of_one_block() -> None:
    rng = np.random.default_rng(7)
    table = hm.counts(simulate(rng, alpha=0.0, beta=0.0, sigma=0.2, slope=6.0, items=60, trials=2))
    fit = hm.lattice_fit(hm.stage(), table, rng)
    rows = {r.statistic: r for r in posterior_predictive_rows(hm.stage(), fit, Seed(1)) if r.block is None}
    assert rows["items_congruent_only"].p_tail < 0.01
    assert rows["items_incongruent_only"].p_tail < 0.01


def test_rows_by_judge_and_their_spread_over_domains() -> None:
    rng = np.random.default_rng(3)
    cells = (hm.Cell("a/1", "x"), hm.Cell("a/1", "y"), hm.Cell("b", "x"))
    rows = []
    for index in range(3):
        rows += simulate(rng, alpha=1.0, beta=0.5, sigma=0.5, items=30, trials=1, cell=index)
    table = hm.counts(rows, cells)
    fit = hm.lattice_fit(hm.stage(), table, rng)
    found = {
        (r.judge, r.statistic): r
        for r in posterior_predictive_rows(hm.stage(), fit, Seed(1))
        if r.domain == ALL_DOMAINS
    }
    assert set(found) == {("a/1", "rate"), ("a/1", "spread_over_domains"), ("b", "rate")}
    totals = table.totals()
    rate = totals[:2, :, 1].sum() / totals[:2, :, 0].sum()
    assert found["a/1", "rate"].observed == pytest.approx(rate)
    deltas = totals[:2, 0, 1] / totals[:2, 0, 0] - totals[:2, 1, 1] / totals[:2, 1, 0]
    assert found["a/1", "spread_over_domains"].observed == pytest.approx(abs(deltas[0] - deltas[1]) / np.sqrt(2))


def test_a_cell_without_a_trial_gives_its_probabilities() -> None:
    cells = (hm.Cell("a", "x"), hm.Cell("b", "x"))
    table = hm.counts(hm.paired(5, 1, 0, 0), cells)
    fit = hm.lattice_fit(hm.stage(), table, np.random.default_rng(1))
    empty = [r for r in posterior_predictive_rows(hm.stage(), fit, Seed(1)) if r.judge == "b"]
    assert [(r.statistic, r.block, r.observed, r.replicates) for r in empty] == [
        ("rate", "congruent", None, "parameter"),
        ("rate", "incongruent", None, "parameter"),
    ]


def test_counts_for_the_tree_have_the_mean_of_the_rows() -> None:
    rng = np.random.default_rng(5)
    table = hm.counts(simulate(rng, alpha=1.0, beta=1.0, sigma=1.0, items=50, trials=1))
    fit = hm.lattice_fit(hm.stage(), table, rng, 1000)
    made = posterior_predictive_counts(hm.stage(), fit, Seed(3))
    assert made.sizes == {"chain": 1, "draw": 1000, "cell": 1, "block": 2}
    rows = {r.block: r for r in posterior_predictive_rows(hm.stage(), fit, Seed(3)) if r.statistic == "rate"}
    for position, block in enumerate(("congruent", "incongruent")):
        ours = made.values[0, :, 0, position] / 50
        assert ours.mean() == pytest.approx(rows[block].mean, abs=4 * ours.std() * np.sqrt(2 / 1000))


def test_replicates_of_the_same_items_follow_their_own_effects() -> None:
    # Ten trials an item and block: replicates of the same items repeat each item's share, replicates of new items do
    # not.
    rng = np.random.default_rng(9)
    table = hm.counts(simulate(rng, alpha=0.0, beta=0.3, sigma=2.0, items=30, trials=10))
    fit = hm.lattice_fit(hm.stage(), table, rng, 400)
    widths = {}
    for kind in ("new items", "same items"):
        rows = posterior_predictive_rows(hm.stage(), fit, Seed(2), replicates=kind)
        found = {r.statistic: r for r in rows if r.block is None}
        assert {r.replicates for r in rows} == {kind}
        assert 0.01 < found["variance_over_items"].p_tail < 0.99
        widths[kind] = found["successes"].upper - found["successes"].lower
    # The total of 600 trials: binomial noise alone (sd about 9) against that of 30 new items with sd 2 as well
    # (about 50).
    assert widths["same items"] < 0.5 * widths["new items"]


def test_same_items_within_clusters_that_hold_them() -> None:
    rng = np.random.default_rng(4)
    rows = []
    for item in range(40):
        shift = 2.5 if item < 20 else -2.5
        for block in (0.5, -0.5):
            rows.append((0, item, item // 10, block, 2, int(rng.binomial(2, expit(shift)))))
    table = hm.counts(rows)
    spec = hm.stage(clusters=True)
    fit = hm.lattice_fit(spec, table, rng, 300)
    for kind in ("new items", "same items"):
        found = {r.statistic: r for r in posterior_predictive_rows(spec, fit, Seed(2), replicates=kind)}
        assert 0.01 < found["variance_over_clusters"].p_tail < 0.99
    # Own clusters differ by five on the log-odds scale in every replicate: their variance hardly moves.
    assert found["variance_over_clusters"].upper < 1.4 * found["variance_over_clusters"].observed
    assert found["variance_over_clusters"].lower > 0.6 * found["variance_over_clusters"].observed
