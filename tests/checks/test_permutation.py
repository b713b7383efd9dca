"""Permutation falsification: schemes, enumeration, validity of p and agreement of the batch with single fits."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from judgestats.checks.label_permutation import LabelledUnits, item_tables, pattern_counts, permuted
from judgestats.checks.permutation import falsify
from judgestats.checks.permutation_enumeration import outcomes
from judgestats.checks.permutation_p import mid_p, monte_carlo_p, smallest_over_cells
from judgestats.errors import ConfigError
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import ExactEngine, line_quantities
from judgestats.inference.refit_batch import raw_difference, refit_means
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

STAGE = StageSpec(
    "shift",
    "consistent",
    "valid",
    "bernoulli_logit",
    (
        Term("alpha", "product", Prior("normal", 1.5), ("cell",)),
        Term("beta", "product", Prior("normal", 1.5), ("cell", "block")),
        Term("sigma_item", "varying", Prior("half_normal", 1.0), ("cell",), group="item"),
    ),
)


def cell_counts(rows: np.ndarray, cluster: np.ndarray | None = None) -> StageCounts:
    """Return one cell from unit rows (item, n_c, k_c, n_i, k_i), with a cluster per row where given."""
    long = [
        (item, 0 if cluster is None else cluster[r], code, n, k)
        for r, (item, n_c, k_c, n_i, k_i) in enumerate(rows.tolist())
        for code, n, k in ((-0.5, n_i, k_i), (0.5, n_c, k_c))
        if n
    ]
    item, clusters, block, trials, successes = (np.array(v) for v in zip(*sorted(long), strict=True))
    return StageCounts(
        "shift",
        (Cell("judge", "domain"),),
        (tuple(f"i{i:03d}" for i in range(int(item.max()) + 1)),),
        None if cluster is None else (tuple(f"c{i}" for i in range(int(clusters.max()) + 1)),),
        np.zeros(len(item), dtype=np.int64),
        item,
        None if cluster is None else clusters,
        block.astype(float),
        trials,
        successes,
    )


def pairs(both: int, more: int, less: int, neither: int = 0) -> StageCounts:
    answers = [(1, 1)] * both + [(1, 0)] * more + [(0, 1)] * less + [(0, 0)] * neither
    return cell_counts(np.array([(i, 1, c, 1, d) for i, (c, d) in enumerate(answers)]))


def test_discordant_pairs_give_the_binomial_test() -> None:
    """7 against 1 discordant items: two-sided p = 2 x (1 + 8) / 2^8 = .0703; the smallest is 2 / 2^8 = .0078."""
    (row,) = falsify(STAGE, pairs(72, 7, 1), schemes=("within_item",), seed=Seed(1))
    assert row.enumerated
    assert row.distinct == 9
    assert row.p_value == pytest.approx(2 * (comb(8, 0) + comb(8, 1)) / 2**8, abs=1e-12)
    assert row.smallest_p == pytest.approx(2 / 2**8, abs=1e-12)
    assert row.raw_observed == pytest.approx(79 / 80 - 73 / 80)
    assert "7 towards" in row.notes[0]


def test_enumeration_equals_monte_carlo(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = pairs(60, 9, 3, 8)
    (exact,) = falsify(STAGE, counts, schemes=("within_item",), seed=Seed(1))
    monkeypatch.setattr("judgestats.checks.permutation.outcomes", lambda units: None)
    (drawn,) = falsify(STAGE, counts, schemes=("within_item",), permutations=4000, seed=Seed(1))
    assert not drawn.enumerated
    # Binomial standard error of a p estimated from 4,000 refits, four of them allowed.
    error = np.sqrt(exact.p_value * (1 - exact.p_value) / 4000)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=4 * error)
    assert drawn.distinct <= exact.distinct
    # The two batches may settle on different lattices, each accurate to 1e-5.
    nearest = np.abs(drawn.null[:, None] - exact.null[None, :]).min(axis=1)
    assert nearest.max() <= 2e-5


def test_outcomes_of_unequal_units_have_the_probabilities_of_shuffled_labels() -> None:
    """Units of 2 + 1 trials: enumerated probabilities against 40,000 shuffles of the labels themselves."""
    units = LabelledUnits.of(
        cell_counts(np.array([(0, 2, 1, 1, 1), (1, 2, 2, 1, 0), (2, 1, 1, 1, 0), (3, 1, 0, 0, 0)]))
    )
    listed = outcomes(units)
    assert listed is not None
    patterns, rows, probabilities = listed
    assert probabilities.sum() == pytest.approx(1.0)
    rng = np.random.default_rng(5)
    m = 40_000
    seen: dict[float, int] = {}
    for _ in range(m):
        k_c = 0
        for n_c, k, n_i, other in units.table.tolist():
            if n_c and n_i:
                labels = rng.permutation([1] * n_c + [0] * n_i)
                answers = np.array([1] * (k + other) + [0] * (n_c + n_i - k - other))
                k_c += int(answers[labels == 1].sum())
            else:
                k_c += k
        seen[k_c] = seen.get(k_c, 0) + 1
    totals = rows @ patterns[:, 1]
    for total in np.unique(totals):
        expected = probabilities[totals == total].sum()
        assert seen[int(total)] / m == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / m) + 1e-4)


units_rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8
)


@hypothesis_settings(max_examples=80, deadline=None)
@given(units_rows, st.sampled_from(["within_item", "within_judge"]), st.integers(0, 2**31))
def test_permuted_tables_keep_what_they_must(raw: list[tuple[int, int, int, int]], scheme: str, seed: int) -> None:
    """Trials and successes of every unit stay, so do the trials of each block; within an item so does its own split."""
    rows = np.array([(i, n_c, min(k_c, n_c), n_i, min(k_i, n_i)) for i, (n_c, k_c, n_i, k_i) in enumerate(raw)])
    if rows[:, [1, 3]].sum() == 0:
        return
    units = LabelledUnits.of(cell_counts(rows))
    tables = permuted(units, scheme, np.random.default_rng(seed), 20)
    np.testing.assert_array_equal(
        tables[..., 0] + tables[..., 2], np.broadcast_to(units.table[:, 0] + units.table[:, 2], tables.shape[:2])
    )
    np.testing.assert_array_equal(
        tables[..., 1] + tables[..., 3], np.broadcast_to(units.table[:, 1] + units.table[:, 3], tables.shape[:2])
    )
    np.testing.assert_array_equal(tables[..., 0].sum(axis=1), units.table[:, 0].sum())
    assert (tables >= 0).all()
    assert (tables[..., 1] <= tables[..., 0]).all()
    assert (tables[..., 3] <= tables[..., 2]).all()
    if scheme == "within_item":
        np.testing.assert_array_equal(tables[..., 0], np.broadcast_to(units.table[:, 0], tables.shape[:2]))
    patterns, counts = pattern_counts(item_tables(units, tables))
    np.testing.assert_array_equal((counts @ patterns)[:, 1], tables[..., 1].sum(axis=1))


def test_between_items_moves_whole_items_within_their_cluster() -> None:
    """Items stand in one block; cluster 0 holds one congruent item of three, cluster 1 two of three."""
    rows = np.array(
        [(0, 2, 2, 0, 0), (1, 0, 0, 2, 1), (2, 0, 0, 3, 0), (3, 1, 1, 0, 0), (4, 1, 0, 0, 0), (5, 0, 0, 1, 1)]
    )
    cluster = np.array([0, 0, 0, 1, 1, 1])
    units = LabelledUnits.of(cell_counts(rows, cluster))
    assert units.default_scheme() == "between_items"
    tables = permuted(units, "between_items", np.random.default_rng(2), 500)
    congruent = tables[..., 0] > 0
    assert set(congruent[:, :3].sum(axis=1)) == {1}
    assert set(congruent[:, 3:].sum(axis=1)) == {2}
    # Each of the three items of cluster 0 is the congruent one a third of the time: 500 shuffles, sd sqrt(2/9/500) = .021.
    np.testing.assert_allclose(congruent[:, :3].mean(axis=0), 1 / 3, atol=4 * 0.0211)


def test_incomplete_pairs_keep_their_label_and_are_counted() -> None:
    counts = cell_counts(np.array([(0, 1, 1, 1, 0), (1, 1, 1, 0, 0), (2, 0, 0, 1, 0), (3, 1, 0, 1, 1)]))
    (row,) = falsify(STAGE, counts, schemes=("within_item",), seed=Seed(1))
    assert any("2 incomplete pairs" in note for note in row.notes)


def test_batched_means_equal_single_fits() -> None:
    """The batch's lattice is coarser than the engine's; it halves its steps until no mean moves by more than 1e-5."""
    units = LabelledUnits.of(pairs(60, 12, 4, 4))
    patterns, counts = pattern_counts(item_tables(units, permuted(units, "within_judge", np.random.default_rng(0), 40)))
    batch = refit_means(STAGE, patterns, counts)
    assert batch.failed == 0
    assert batch.error <= 1e-5
    for row in (0, 7, 21):
        table = np.repeat(patterns, counts[row], axis=0)
        single = ExactEngine().fit(
            STAGE, cell_counts(np.column_stack([np.arange(len(table)), table])), EngineSettings(Seed(1))
        )
        mean = line_quantities(single.lines[Cell("judge", "domain")])["difference[marginal]"].mean()
        assert batch.means[row] == pytest.approx(mean, abs=2e-5)


def test_a_constant_cell_cannot_be_falsified_and_says_so() -> None:
    (row,) = falsify(STAGE, pairs(80, 0, 0), schemes=("within_item",), seed=Seed(1))
    assert row.p_value == 1.0
    assert row.distinct == 1
    one_block = cell_counts(np.array([(0, 1, 1, 0, 0), (1, 1, 0, 0, 0)]))
    (refused,) = falsify(STAGE, one_block, schemes=("within_judge",), seed=Seed(1))
    assert refused.statistic == "none"
    assert "one block" in refused.notes[0]


def test_p_values_are_valid_under_the_null() -> None:
    """80 null cells of 40 items at base rate .9: the share with p <= a is at most a, within three binomial sds."""
    rng = np.random.default_rng(8)
    p_values, mid = [], []
    for index in range(80):
        effects = rng.normal(2.2, 1.0, 40)
        answers = (rng.uniform(size=(40, 2)) < 1 / (1 + np.exp(-effects[:, None]))).astype(int)
        counts = cell_counts(
            np.column_stack([np.arange(40), np.ones(40, int), answers[:, 0], np.ones(40, int), answers[:, 1]])
        )
        (row,) = falsify(STAGE, counts, schemes=("within_judge",), permutations=199, seed=Seed(index))
        p_values.append(row.p_value)
        mid.append(mid_p(row.null, row.observed, rng))
    for level in (0.05, 0.1, 0.2, 0.5):
        assert np.mean(np.array(p_values) <= level) <= level + 3 * np.sqrt(level * (1 - level) / 80)
        assert np.mean(np.array(mid) <= level) == pytest.approx(level, abs=3.5 * np.sqrt(level * (1 - level) / 80))


def test_a_planted_effect_is_found() -> None:
    (row,) = falsify(STAGE, pairs(40, 25, 2, 3), schemes=("within_judge",), permutations=500, seed=Seed(4))
    # No refit reaches it on its side: p = 2 (0 + 1) / 501.
    assert row.p_value == pytest.approx(2 / 501)


def test_failed_refits_count_as_exceedances() -> None:
    null = np.array([0.0, 0.1, np.nan, 0.3])
    p, lower, upper = monte_carlo_p(null, 0.2)
    # Above .2: .3 and the failed one, so 2 x (2 + 1) / 5, capped at 1; below: 0, .1 and the failed one.
    assert p == pytest.approx(1.0)
    assert monte_carlo_p(np.append(np.zeros(98), np.nan), 0.2)[0] == pytest.approx(2 * (1 + 1) / 100)
    assert lower < 0.5 < upper


def test_failed_outcomes_of_an_enumeration_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """6 against 2 discordant items: p = 2 x (1 + 8 + 28) / 256 = .289; the two extreme outcomes failing changes nothing."""
    import judgestats.checks.permutation as module

    whole = module._statistics

    def failing(*args: object, **kwargs: object) -> tuple[np.ndarray, np.ndarray]:
        values, _ = whole(*args, **kwargs)
        values = values.copy()
        values[[np.argmin(values), np.argmax(values)]] = np.nan
        return values, np.isnan(values)

    (clean,) = falsify(STAGE, pairs(40, 6, 2), schemes=("within_item",), seed=Seed(1))
    monkeypatch.setattr(module, "_statistics", failing)
    (row,) = falsify(STAGE, pairs(40, 6, 2), schemes=("within_item",), seed=Seed(1))
    assert clean.p_value == pytest.approx(74 / 256)
    assert row.failed == 2
    # The failed outcome of the other side (1 / 256) counts as an exceedance as well: an upper bound.
    assert row.p_value == pytest.approx(2 * (37 + 1) / 256)


def test_a_failed_observed_refit_is_not_an_extreme_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "judgestats.checks.permutation._statistics",
        lambda stage, patterns, rows, *, batched: (np.full(len(rows), np.nan), np.ones(len(rows), dtype=bool)),
    )
    (row,) = falsify(STAGE, pairs(40, 6, 2), schemes=("within_item",), seed=Seed(1))
    assert row.p_value == 1.0
    assert "failed" in row.notes[0]


def test_incomplete_pairs_do_not_hide_an_extreme_result() -> None:
    """Incomplete pairs that keep their label shift the null; all 20 discordant pairs point against the congruent block.

    The observed data set is then the lowest of 2^20 outcomes: p = 2 / 2^20.
    """
    rows = [(1, 1, 0, 0)] * 15 + [(0, 0, 1, 0)] * 15 + [(1, 0, 1, 1)] * 20 + [(1, 1, 1, 1)] * 10
    counts = cell_counts(np.array([(i, *row) for i, row in enumerate(rows)]))
    (row,) = falsify(STAGE, counts, schemes=("within_item",), seed=Seed(1))
    assert row.p_value == pytest.approx(2 / 2**20)
    assert row.p_value == pytest.approx(row.smallest_p)


def test_the_smallest_p_is_that_of_the_design() -> None:
    """Two items, congruent answers consistent, incongruent not: 6 ways to deal the labels, the extremes 1 in 6 each."""
    counts = cell_counts(np.array([(0, 1, 1, 1, 0), (1, 1, 1, 1, 0)]))
    (row,) = falsify(STAGE, counts, schemes=("within_judge",), permutations=1000, seed=Seed(1))
    # Monte Carlo sd of a share of 1/6 over 1,000: .012; doubled, and four of them.
    assert row.smallest_p == pytest.approx(1 / 3, abs=4 * 2 * 0.012)
    assert row.p_value == pytest.approx(1 / 3, abs=4 * 2 * 0.012)


def test_labels_of_whole_clusters_move_together() -> None:
    """12 items asked in six conversations of one block each: labels move among the 20 ways to choose three of six."""
    rows, cluster = [], []
    for conversation in range(6):
        for item in range(12):
            consistent = 1 if conversation < 3 or item < 4 else 0
            rows.append((item, 1, consistent, 0, 0) if conversation < 3 else (item, 0, 0, 1, consistent))
            cluster.append(conversation)
    units = LabelledUnits.of(cell_counts(np.array(rows), np.array(cluster)))
    assert units.default_scheme() == "between_clusters"
    tables = permuted(units, "between_clusters", np.random.default_rng(1), 400)
    congruent = np.stack([tables[:, units.cluster == c, 0].sum(axis=1) for c in range(6)], axis=1)
    assert set(np.unique(congruent)) == {0, 12}
    assert set((congruent > 0).sum(axis=1)) == {3}
    assert len(np.unique(congruent, axis=0)) == 20
    assert "clusters" in str(units.refusal("within_item"))


def test_a_scheme_that_moves_nothing_says_so() -> None:
    """Items of one block inside clusters of one block: within a cluster no item can take another label."""
    rows = np.array([(i, 1, 1, 0, 0) if i < 10 else (i, 0, 0, 1, 0) for i in range(20)])
    (row,) = falsify(STAGE, cell_counts(rows, np.repeat([0, 1], 10)), schemes=("between_items",), seed=Seed(1))
    assert row.p_value == 1.0
    assert row.smallest_p == 1.0
    assert any("No label can move" in note for note in row.notes)


def test_the_p_over_cells_is_never_below_the_cells_own() -> None:
    rng = np.random.default_rng(2)
    answers = (rng.uniform(size=(3, 40, 2)) < 0.85).astype(int)
    parts = [np.column_stack([np.arange(40), np.ones(40, int), a[:, 0], np.ones(40, int), a[:, 1]]) for a in answers]
    singles = [cell_counts(part) for part in parts]
    joint = StageCounts(
        "shift",
        tuple(Cell("judge", f"d{i}") for i in range(3)),
        tuple(s.items[0] for s in singles),
        None,
        np.concatenate([np.full(len(s.item), i) for i, s in enumerate(singles)]),
        np.concatenate([s.item for s in singles]),
        None,
        np.concatenate([s.block for s in singles]),
        np.concatenate([s.trials for s in singles]),
        np.concatenate([s.successes for s in singles]),
    )
    rows = falsify(STAGE, joint, schemes=("within_judge",), permutations=400, seed=Seed(1))
    assert len(rows) == 3
    for row in rows:
        assert row.p_max is not None
        assert row.p_max >= row.p_value - 1e-12


def test_unknown_scheme_is_named_with_a_near_match() -> None:
    with pytest.raises(ConfigError, match="did you mean 'within_item'"):
        falsify(STAGE, pairs(3, 1, 1), schemes=("within_items",), seed=Seed(1))


def test_raw_difference_is_plain_arithmetic() -> None:
    patterns = np.array([[1, 1, 1, 0], [2, 1, 3, 3]])
    counts = np.array([[2, 1], [0, 0]])
    # (2 x 1 + 1) / (2 + 2) - (0 + 3) / (2 + 3) = .75 - .6
    assert raw_difference(patterns, counts)[0] == pytest.approx(0.15)
    assert np.isnan(raw_difference(patterns, counts)[1])


@pytest.mark.parametrize("level", ["item", "cluster"])
def test_loss_does_not_change_the_level_at_which_labels_were_assigned(level: str) -> None:
    """20 items asked in both blocks, each with one valid answer left, sides in turn: no label was assigned between items.

    The same for 20 conversations that were asked in both blocks.
    """
    asked = np.array([(i, 1, 1, 1, 1) for i in range(20)])
    left = np.array([(i, 1, 1, 0, 0) if i % 2 else (i, 0, 0, 1, i % 4 == 0) for i in range(20)])
    cluster = np.arange(20) if level == "cluster" else None
    validity, shift = cell_counts(asked, cluster), cell_counts(left, cluster)
    wrong = "between_items" if level == "item" else "between_clusters"
    assert LabelledUnits.of(shift).default_scheme() == wrong
    auto, named = falsify(STAGE, shift, asked=validity, schemes=("auto", wrong), permutations=50, seed=Seed(1))
    assert (auto.scheme, auto.p_value, auto.statistic) == ("within_item", 1.0, "none")
    assert "no item" in auto.notes[0]
    assert (named.scheme, named.p_value, named.statistic) == (wrong, 1.0, "none")
    assert "were asked in both blocks" in named.notes[0]


def test_the_adjusted_p_does_not_undercut_the_p_that_it_adjusts() -> None:
    """3 errors, all among 20 incongruent of 120 trials: p = 2 (20 choose 3)/(120 choose 3) = .0081; the other tail is thick."""
    counts = cell_counts(np.array([(0, 100, 100, 20, 17)]))
    (row,) = falsify(STAGE, counts, schemes=("within_judge",), permutations=2000, seed=Seed(1))
    assert row.statistic == "raw_difference"
    expected = 2 * comb(20, 3) / comb(120, 3)
    # Twice a binomial share of 2,000 refits, four standard errors, and the observed data set counted once more.
    assert row.p_value == pytest.approx(expected, abs=4 * 2 * np.sqrt(expected / 2 / 2000) + 2 / 2001)
    assert row.p_max is not None
    assert row.p_max >= row.p_value


def test_failed_refits_count_against_a_claim_over_cells_on_both_sides() -> None:
    """99 refits of one cell, 5 failed, observed lower or higher than all others: 1 + 5 of 100 on its side, twice that."""
    draws = np.arange(99.0)[None]
    draws[0, :5] = np.nan
    for observed in (-1.0, 1000.0):
        own = 2 * (1 + 5) / 100
        # As extreme over cells: the observed one, the 5 failed ones, and the one at the other end, with the same p.
        assert smallest_over_cells(np.array([observed]), draws)[0] == pytest.approx(7 / 100)
        assert monte_carlo_p(draws[0], observed)[0] == pytest.approx(own)
