"""Predictive statistics against counts made by hand."""

from __future__ import annotations

import hand_made as hm
import numpy as np
import pytest

from judgestats.checks.predictive_statistic import cell_statistics, group_sums, mid_p


def test_statistics_of_a_table_by_hand() -> None:
    # Items: (1,1) twice, (1,0) once, (0,0) once; columns are congruent and incongruent successes.
    table = hm.counts(hm.paired(2, 1, 0, 1))
    mirrored = 1.0 - table.successes
    found = {(s.name, s.block): s for s in cell_statistics(table, mirrored[None, :].astype(float))}
    assert found["rate", "congruent"].observed == 3 / 4
    assert found["rate", "incongruent"].observed == 2 / 4
    assert found["rate_difference", None].observed == 1 / 4
    assert found["successes", None].observed == 5
    assert [found[f"items_with_k_successes={k}", None].observed for k in range(3)] == [1, 1, 2]
    assert found["items_congruent_only", None].observed == 1
    assert found["items_incongruent_only", None].observed == 0
    # Shares of successes 1, 1, 1/2, 0: mean 5/8, squared deviations 9/64, 9/64, 1/64, 25/64; over 3.
    assert found["variance_over_items", None].observed == pytest.approx(44 / 64 / 3)
    assert found["rate", "congruent"].replicated[0] == 1 / 4
    assert found["items_incongruent_only", None].replicated[0] == 1
    assert found["items_with_k_successes=0", None].replicated[0] == 2


def test_many_trials_an_item_are_not_listed_one_by_one() -> None:
    rows: list[hm.Row] = []
    for item, (up, down) in enumerate([(5, 5), (0, 0), (5, 0)]):
        rows += [(0, item, None, 0.5, 5, up), (0, item, None, -0.5, 5, down)]
    found = {s.name: s.observed for s in cell_statistics(hm.counts(rows), np.zeros((1, 6)))}
    assert found["items_without_success"] == 1
    assert found["items_without_failure"] == 1
    assert found["items_congruent_only"] == 1
    assert not any(name.startswith("items_with_k") for name in found)


def test_one_trial_an_item_says_nothing_beyond_the_rate() -> None:
    rows = [(0, i, None, (0.5, -0.5)[i % 2], 1, 1) for i in range(6)]
    names = [s.name for s in cell_statistics(hm.counts(rows), np.zeros((1, 6)))]
    assert names == ["rate", "rate", "rate_difference", "successes"]


def test_one_block_has_no_difference() -> None:
    names = [s.name for s in cell_statistics(hm.counts([(0, i, None, 0.5, 1, 1) for i in range(3)]), np.zeros((1, 3)))]
    assert names == ["rate", "successes"]


def test_clusters_have_their_variance() -> None:
    # Template 0: 2 of 2; template 1: 0 of 2. Variance of (1, 0) is 1/2.
    rows = [(0, i, c, 0.5, 1, int(c == 0)) for i in range(2) for c in range(2)]
    found = {s.name: s.observed for s in cell_statistics(hm.counts(rows), np.zeros((1, 4)))}
    assert found["variance_over_clusters"] == pytest.approx(0.5)


def test_mid_p_counts_ties_half() -> None:
    assert mid_p(1.0, np.array([0.0, 1.0, 1.0, 2.0])) == pytest.approx((1 + 2 / 2) / 4)
    assert mid_p(0.3, np.full(5, 0.1 + 0.2)) == 0.5


def test_group_sums_with_gaps_and_disorder() -> None:
    values = np.array([[1.0, 2.0, 4.0, 8.0]])
    assert group_sums(values, np.array([3, 0, 3, 1]), 5).tolist() == [[2, 8, 0, 5, 0]]
    assert group_sums(values, np.array([3, 0, 3, 1])).tolist() == [[2, 8, 5]]
