"""The collapsed likelihood against trial-by-trial likelihoods integrated by an adaptive rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nuts_tables import counts_of
from scipy import integrate
from scipy.special import expit
from scipy.stats import norm

from judgestats.inference.collapsed import collapse_units, pattern_log_likelihood
from judgestats.inference.families.bernoulli_logit import log_likelihood
from judgestats.inference.units import item_units
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term
from judgestats.trials.cell import Cell

SEPARATE = Term("sigma_item", "varying", Prior("half_normal", 1.0), ("cell",), group="item")
SHARED = replace(SEPARATE, factors=("domain",))
CELLS = [Cell("a", "d"), Cell("b", "d"), Cell("b", "e")]
ALPHA, BETA, SIGMA = np.array([1.0, -0.5, 3.0]), np.array([0.8, -1.2, 0.3]), {"d": 0.7, "e": 2.0}


def brute_force(rows, shared):
    """Sum over items of log integral N(u; 0, sigma) prod_trials P(y | alpha + beta block + u) du, trial by trial.

    Items of different cells are independent unless shared; then the judges of a domain meet the same u.
    """
    groups: dict[tuple, list] = {}
    for c, item, _, block, n, k in rows:
        key = (CELLS[c].domain, item) if shared else (c, item)
        groups.setdefault(key, []).extend([(c, block, 1)] * k + [(c, block, 0)] * (n - k))
    total = 0.0
    for trials in groups.values():
        sigma = SIGMA[CELLS[trials[0][0]].domain]

        def integrand(u, trials=trials, sigma=sigma):
            probabilities = [
                expit(ALPHA[c] + BETA[c] * b + u) if y else expit(-ALPHA[c] - BETA[c] * b - u) for c, b, y in trials
            ]
            return norm.pdf(u, 0, sigma) * np.prod(probabilities)

        value, _ = integrate.quad(integrand, -8 * sigma, 8 * sigma, epsabs=1e-14, epsrel=1e-11, limit=200, points=[0.0])
        total += np.log(value)
    return total


def collapsed(rows, term, *, clusters, nodes=61):
    counts = counts_of(CELLS, rows, clusters=clusters)
    units = item_units(term, counts)
    table = collapse_units(counts, units)
    sigma = np.array([[SIGMA[CELLS[int(np.argmax(units.scale_of_cell == s))].domain] for s in range(units.scales)]])
    return pattern_log_likelihood(table, ALPHA[None], BETA[None], sigma, nodes) @ table.count, table, units


ROWS = [
    (0, "x", "t1", -0.5, 1, 0),
    (0, "x", "t1", 0.5, 1, 1),
    (0, "x", "t2", 0.5, 3, 1),
    (0, "y", "t1", 0.5, 1, 1),
    (0, "z", "t1", -0.5, 12, 9),
    (0, "z", "t1", 0.5, 12, 12),
    (1, "x", "t1", -0.5, 1, 0),
    (1, "x", "t2", -0.5, 2, 2),
    (1, "y", "t1", 0.5, 1, 0),
    (1, "w", "t1", 0.5, 1, 0),
    (2, "x", "t1", 0.5, 40, 37),
    (2, "x", "t1", -0.5, 40, 33),
    (2, "y", "t1", 0.5, 2, 2),
]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("clusters", [False, True])
def test_equals_the_trial_by_trial_likelihood(shared, clusters):
    rows = ROWS if clusters else [r for r in ROWS if r[2] == "t1"]
    value, _, _ = collapsed(rows, SHARED if shared else SEPARATE, clusters=clusters, nodes=481)
    assert value[0] == pytest.approx(brute_force(rows, shared), abs=1e-8)


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 4), st.sampled_from([-0.5, 0.5]), st.integers(0, 1)), max_size=30
    )
)
@settings(max_examples=40, deadline=None)
def test_aggregated_and_single_trials_are_one_likelihood(trials):
    # The same trials, once as rows of counts and once one row a trial (told apart by a cluster each): the likelihood
    # without binomial constants is the same number.
    single = [(c, f"i{i}", f"t{t:02d}", b, 1, y) for t, (c, i, b, y) in enumerate(trials)]
    sums: dict[tuple, list[int]] = {}
    for c, i, b, y in trials:
        entry = sums.setdefault((c, i, b), [0, 0])
        entry[0] += 1
        entry[1] += y
    together = [(c, f"i{i}", "t", b, n, k) for (c, i, b), (n, k) in sums.items()]
    one, table, _ = collapsed(single, SEPARATE, clusters=True)
    two, _, _ = collapsed(together, SEPARATE, clusters=False)
    assert one[0] == pytest.approx(two[0], abs=1e-10)
    assert table.trials @ table.count[table.pattern] == len(trials)


def test_items_with_equal_answers_are_one_pattern():
    rows = [(0, f"i{i}", "t", b, 1, 1) for i in range(50) for b in (-0.5, 0.5)] + [(0, "odd", "t", 0.5, 1, 0)]
    _, table, units = collapsed(rows, SEPARATE, clusters=False)
    assert sorted(table.count.tolist()) == [1, 50]
    assert units.size == 51
    assert np.bincount(table.of_unit).tolist() == table.count.tolist()


def test_shared_items_are_one_unit_for_all_judges_of_a_domain():
    counts = counts_of(CELLS, [r for r in ROWS if r[2] == "t1"], clusters=False)
    apart, together = item_units(SEPARATE, counts), item_units(SHARED, counts)
    assert apart.size == 8  # x y z | w x y | x y
    assert together.size == 6  # w x y z in d | x y in e
    assert together.scale_of_cell.tolist() == [0, 0, 1]
    names = [(c.domain, n) for c, part in zip(counts.cells, counts.items, strict=True) for n in part]
    for a, b in zip(*np.triu_indices(len(names)), strict=True):
        assert (together.of_level[a] == together.of_level[b]) == (names[a] == names[b])


@pytest.mark.parametrize("eta", [-800.0, -40.0, 0.0, 40.0, 800.0])
def test_log_likelihood_stays_exact_far_out(eta):
    # log P(y = 1) = -log(1 + exp(-eta)) and log P(y = 0) = -log(1 + exp(eta)); at 40, y = 0 this is -40 to 17 digits.
    assert log_likelihood(1, 1, eta) == pytest.approx(-np.logaddexp(0, -eta), rel=1e-15)
    assert log_likelihood(0, 1, eta) == pytest.approx(-np.logaddexp(0, eta), rel=1e-15)
