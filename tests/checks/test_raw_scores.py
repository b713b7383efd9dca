"""Raw scores: numbers by hand, and SciPy and NumPy on the same pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wasserstein_distance

from judgestats.checks.raw_scores import raw_scores
from judgestats.trials.columns import TEXT
from judgestats.trials.table import Score, TrialTable


def table(rows: list[tuple[str, str, str, str, float | None]], scale: Score, judge: str = "j") -> TrialTable:
    """A table of (item, cue, polarity, status, score)."""
    frame = pd.DataFrame(rows, columns=["item", "cue", "polarity", "status", "score"]).assign(judge=judge, domain="d")
    frame["score"] = frame["score"].astype("float64")
    for name in ("judge", "domain", "item", "cue", "polarity", "status"):
        frame[name] = frame[name].astype(TEXT)
    return TrialTable(frame, scale)


def test_by_hand() -> None:
    # Pairs (base, pos): (5, 3), (5, 5), (9, 8); item d lost its base, item e its variant.
    rows = [
        ("a", "base", "", "valid", 5.0),
        ("b", "base", "", "valid", 5.0),
        ("c", "base", "", "valid", 9.0),
        ("d", "base", "", "refusal", None),
        ("e", "base", "", "valid", 1.0),
        ("a", "style", "pos", "valid", 3.0),
        ("b", "style", "pos", "valid", 5.0),
        ("c", "style", "pos", "valid", 8.0),
        ("d", "style", "pos", "valid", 10.0),
        ("e", "style", "pos", "error", None),
        ("a", "style", "neg", "refusal", None),
    ]
    base, neg, pos = raw_scores(table(rows, Score(1, 10)))
    assert base.cue == "base"
    assert base.levels == (1, 0, 0, 0, 2, 0, 0, 0, 1, 0)
    assert (base.mean, base.n_pairs, base.shift) == (5.0, 0, None)
    assert (neg.levels, neg.mean, neg.sd, neg.n_pairs) == ((0,) * 10, None, None, 0)
    assert sum(pos.levels) == 4
    assert pos.mean == 6.5
    assert (pos.n_pairs, pos.moved, pos.shift) == (3, 2, -1.0)
    # Differences -2, 0, -1: sd 1. Sorted scores 3, 5, 8 against 5, 5, 9: W1 = (2 + 0 + 1) / 3.
    assert pos.shift_sd == pytest.approx(1.0)
    assert pos.cohens_dz == pytest.approx(-1.0)
    assert pos.wasserstein1 == pytest.approx(1.0)
    assert (pos.drop_1, pos.drop_2) == (2 / 3, 1 / 3)
    # Variances: of 5, 5, 9 is 16/3; of 3, 5, 8 is 19/3.
    assert pos.cohens_d == pytest.approx(-1.0 / np.sqrt(35.0 / 6.0))


@pytest.mark.parametrize(("seed", "scale"), [(0, Score(1, 10)), (1, Score(0, 4, 0.5)), (2, Score(-3, 3, 2.0))])
def test_scipy_on_the_raw_pairs(seed: int, scale: Score) -> None:
    rng = np.random.default_rng(seed)
    levels = np.array(scale.levels)
    base, other = rng.choice(levels, 60), rng.choice(levels, 60)
    rows = [(str(i), "base", "", "valid", s) for i, s in enumerate(base)]
    rows += [(str(i), "style", "pos", "valid", s) for i, s in enumerate(other)]
    found = raw_scores(table(rows, scale))[1]
    difference = other - base
    assert found.wasserstein1 == pytest.approx(wasserstein_distance(base, other), abs=1e-13)
    assert found.shift == pytest.approx(difference.mean(), abs=1e-13)
    assert found.shift_sd == pytest.approx(difference.std(ddof=1))
    assert found.cohens_dz == pytest.approx(difference.mean() / difference.std(ddof=1))
    pooled = np.sqrt((base.var(ddof=1) + other.var(ddof=1)) / 2.0)
    assert found.cohens_d == pytest.approx(difference.mean() / pooled)
    assert found.drop_1 == (difference <= -1).mean()
    assert found.drop_2 == (difference <= -2).mean()
    assert found.moved == (difference != 0).sum()
    assert found.wasserstein1 >= abs(found.shift) - 1e-13


def test_a_row_that_stands_for_several_trials_counts_them() -> None:
    rows = [("a", "base", "", "valid", 5.0), ("a", "style", "pos", "valid", 3.0), ("b", "base", "", "valid", 2.0)]
    once = table(rows, Score(1, 10))
    weighted = TrialTable(once.frame.assign(n=[2, 2, 1]), once.verdict)
    found = raw_scores(weighted)
    assert found[0].levels[4] == 2
    assert (found[1].n_pairs, found[1].shift, found[1].sd) == (2, -2.0, 0.0)
    assert found[1].cohens_dz is None


def test_cells_come_apart_and_in_order() -> None:
    one, two = (table([("a", "base", "", "valid", 4.0)], Score(1, 5), judge) for judge in ("z", "k"))
    both = TrialTable(pd.concat([one.frame, two.frame], ignore_index=True), one.verdict)
    assert [row.judge for row in raw_scores(both)] == ["k", "z"]
