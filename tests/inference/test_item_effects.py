"""Item effects drawn from their conditionals, against dense quadrature."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from association_counts import stage, table
from nuts_tables import constant_fit, counts_of
from scipy import stats
from scipy.special import expit

from judgestats.inference.item_effects import cluster_effects, item_effect_summary, item_effects, thinned
from judgestats.seeds import Seed
from judgestats.trials.cell import Cell

GRID = np.linspace(-12, 12, 4001)
SEED = Seed(11)


def moments(density):
    weights = density / density.sum()
    mean = float(weights @ GRID)
    return mean, float(np.sqrt(weights @ (GRID - mean) ** 2))


def conditional(row, alpha, beta, sigma):
    """Density on the grid of u given one item's answers: N(u; 0, sigma) times its trials, by plain arithmetic."""
    n_c, k_c, n_i, k_i = row
    p_c, p_i = expit(alpha + beta / 2 + GRID), expit(alpha - beta / 2 + GRID)
    return stats.norm.pdf(GRID, 0, sigma) * p_c**k_c * (1 - p_c) ** (n_c - k_c) * p_i**k_i * (1 - p_i) ** (n_i - k_i)


ROWS = [
    (1, 1, 1, 1),
    (1, 1, 1, 0),
    (1, 0, 1, 1),
    (1, 0, 1, 0),
    (0, 0, 1, 0),
    (60, 40, 60, 20),
    (30, 30, 30, 30),
    (1, 1, 1, 1),
]


@pytest.mark.parametrize(("alpha", "beta", "sigma"), [(2.0, 0.8, 0.6), (3.0, -1.0, 2.5), (0.0, 0.0, 1e-3)])
def test_each_effect_follows_its_conditional(alpha, beta, sigma):
    fit = constant_fit(table(ROWS), {"alpha": [alpha], "beta": [beta], "sigma_item": [sigma]})
    effects = item_effects(stage(), fit, SEED)
    assert effects.dims == ("chain", "draw", "item")
    for index, row in enumerate(ROWS):
        draws = effects.values[..., index].ravel()
        if sigma < 0.01:
            assert draws.std() == pytest.approx(sigma, rel=0.05)
            continue
        density = conditional(row, alpha, beta, sigma)
        mean, sd = moments(density)
        assert abs(draws.mean() - mean) < 4 * sd / np.sqrt(draws.size)
        cumulative = np.cumsum(density) / density.sum()
        # Kolmogorov-Smirnov against the dense conditional at the 0.1 % level.
        assert stats.kstest(draws, lambda x, c=cumulative: np.interp(x, GRID, c)).pvalue > 0.001


def test_equal_items_share_their_law_and_not_their_draws():
    fit = constant_fit(table(ROWS), {"alpha": [2.0], "beta": [0.8], "sigma_item": [1.0]})
    values = item_effects(stage(), fit, SEED).values.reshape(-1, len(ROWS))
    assert abs(np.corrcoef(values[:, 0], values[:, -1])[0, 1]) < 4 / np.sqrt(len(values))
    assert stats.ks_2samp(values[:, 0], values[:, -1]).pvalue > 0.001


def test_an_item_without_a_trial_holds_its_prior():
    counts = table([(1, 1, 1, 1), (1, 1, 1, 0)])
    counts = replace(counts, items=((*counts.items[0], "never valid"),))
    fit = constant_fit(counts, {"alpha": [2.0], "beta": [0.8], "sigma_item": [1.7]})
    effects = item_effects(stage(), fit, SEED)
    assert effects["item_name"].values[-1] == "never valid"
    assert stats.kstest(effects.values[..., -1].ravel() / 1.7, "norm").pvalue > 0.001


def test_effects_are_repeatable_and_do_not_depend_on_other_cells():
    cells = [Cell("a", "d"), Cell("b", "d")]
    rows = [(c, f"i{i}", "t", b, 1, (i + c) % 2) for c in (0, 1) for i in range(3) for b in (-0.5, 0.5)]
    both = constant_fit(
        counts_of(cells, rows, clusters=False), {"alpha": [1.0, 2.0], "beta": [0.0, 1.0], "sigma_item": [1.0, 0.5]}
    )
    alone = constant_fit(
        counts_of(cells[1:], [(0, *r[1:]) for r in rows if r[0] == 1], clusters=False),
        {"alpha": [2.0], "beta": [1.0], "sigma_item": [0.5]},
    )
    first, again = item_effects(stage(), both, SEED), item_effects(stage(), both, SEED)
    assert np.array_equal(first.values, again.values)
    assert not np.array_equal(first.values, item_effects(stage(), both, Seed(12)).values)
    assert np.array_equal(first.values[..., 3:], item_effects(stage(), alone, SEED).values)


def test_shared_items_are_one_effect_for_all_judges():
    cells = [Cell("a", "d"), Cell("b", "d")]
    rows = [(c, f"i{i}", "t", b, 1, c) for c in (0, 1) for i in range(3) for b in (-0.5, 0.5)]
    spec = stage()
    shared = replace(
        spec, terms=tuple(replace(t, factors=("domain",)) if t.name == "sigma_item" else t for t in spec.terms)
    )
    fit = constant_fit(
        counts_of(cells, rows, clusters=False), {"alpha": [1.0, -0.5], "beta": [0.5, 0.2], "sigma_item": [1.2, 1.2]}
    )
    values = item_effects(shared, fit, SEED).values
    assert np.array_equal(values[..., :3], values[..., 3:])
    # One item: judge a failed in both blocks, judge b succeeded in both, under one u.
    density = stats.norm.pdf(GRID, 0, 1.2)
    for block in (-0.5, 0.5):
        density = density * (1 - expit(1.0 + 0.5 * block + GRID)) * expit(-0.5 + 0.2 * block + GRID)
    mean, sd = moments(density)
    assert abs(values[..., 0].mean() - mean) < 4 * sd / np.sqrt(values[..., 0].size)


def test_nested_clusters_against_two_dimensional_quadrature():
    alpha, beta, sigma_u, sigma_v = 1.0, 0.6, 0.9, 1.3
    counts = table([(1, 0, 1, 0), (1, 1, 1, 0), (1, 1, 1, 1), (2, 2, 0, 0)], clusters=[0, 0, 1, 1])
    values = {"alpha": [alpha], "beta": [beta], "sigma_item": [sigma_u], "sigma_cluster": [sigma_v]}
    fit, spec = constant_fit(counts, values), stage(cluster=1.0)
    items, clusters = item_effects(spec, fit, SEED).values, cluster_effects(spec, fit, SEED).values
    # p(u1, u2, v | y) over cluster 0: integrate on a grid of (u, v) with plain sums, the other item summed out.
    u = v = np.linspace(-7, 7, 281)
    p = {b: expit(alpha + beta * b + u[:, None] + v[None, :]) for b in (0.5, -0.5)}
    one = (1 - p[0.5]) * (1 - p[-0.5]) * stats.norm.pdf(u, 0, sigma_u)[:, None]
    two = p[0.5] * (1 - p[-0.5]) * stats.norm.pdf(u, 0, sigma_u)[:, None]
    joint = one * (two.sum(axis=0) * stats.norm.pdf(v, 0, sigma_v))[None, :]
    joint /= joint.sum()
    expected_u, expected_v = joint.sum(axis=1) @ u, joint.sum(axis=0) @ v
    product = u @ joint @ v
    n = items[..., 0].size
    assert abs(items[..., 0].mean() - expected_u) < 4 * items[..., 0].std() / np.sqrt(n)
    assert abs(clusters[..., 0].mean() - expected_v) < 4 * clusters[..., 0].std() / np.sqrt(n)
    # Jointly drawn: the covariance of an item with its own cluster is right too (it is negative: they share the answers).
    both = items[..., 0] * clusters[..., 0]
    assert abs(both.mean() - product) < 4 * both.std() / np.sqrt(n)
    assert product - expected_u * expected_v < -0.05


def test_crossed_clusters_and_missing_intercepts_are_refused():
    rows = [(0, "i", g, 0.5, 1, 1) for g in ("t1", "t2")]
    counts = counts_of([Cell("a", "d")], rows, clusters=True)
    fit = constant_fit(counts, {"alpha": [1.0], "beta": [0.0], "sigma_item": [1.0], "sigma_cluster": [1.0]})
    with pytest.raises(ValueError, match="cross items"):
        item_effects(stage(cluster=1.0), fit, SEED)
    with pytest.raises(ValueError, match="no cluster intercept"):
        cluster_effects(stage(), fit, SEED)


def test_thinning_keeps_labels_and_summary_counts():
    fit = constant_fit(table(ROWS), {"alpha": [2.0], "beta": [0.8], "sigma_item": [1.0]})
    few = item_effects(stage(), fit, SEED, 200)
    assert few.sizes["draw"] == 50
    assert few["draw"].values[[0, -1]].tolist() == [0, 999]
    assert thinned(fit.posterior, 10**6) is fit.posterior
    summary = item_effect_summary(few)
    values = few.values.reshape(-1, len(ROWS))
    assert summary["mean"].to_numpy() == pytest.approx(values.mean(axis=0))
    assert summary["lower"].to_numpy() == pytest.approx(np.quantile(values, 0.025, axis=0))
    assert summary["item"].tolist() == list(fit.counts.items[0])
    assert set(summary["ci_prob"]) == {0.95}
