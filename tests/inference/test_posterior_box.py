"""The search for the ranges of a posterior settles on every kind of table."""

from __future__ import annotations

from association_counts import pairs, stage, table
from hypothesis import given, settings
from hypothesis import strategies as st

from judgestats.inference.cell_posterior import CellModel, CellPosterior
from judgestats.inference.lattice import Lattice
from judgestats.inference.posterior_box import locate


def edge_mass(model: CellModel) -> float:
    box = locate(lambda lattice: model.log_posterior(lattice, model.nodes(lattice)), model.prior_box())
    return CellPosterior.on(model, Lattice.over(box, 13, 9), 61).edge_mass()


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[st.integers(0, 90)] * 4), st.floats(0.5, 3.0), st.floats(-3.0, 3.0))
def test_ranges_settle_and_hold_the_posterior(answers: tuple[int, int, int, int], sd: float, mean: float) -> None:
    """Any table of one trial an item and block, any prior of a plausible size: mass at the edges below 1e-6."""
    if sum(answers) == 0:
        return
    assert edge_mass(CellModel.of(stage((mean, sd), sd), pairs(*answers))) < 1e-6


def test_a_posterior_far_narrower_than_the_prior_is_found() -> None:
    """40,000 trials: the posterior of alpha is 100 times narrower than its prior."""
    rows = [(1, 1, 1, 1)] * 12_000 + [(1, 1, 1, 0)] * 3_000 + [(1, 0, 1, 1)] * 2_000 + [(1, 0, 1, 0)] * 3_000
    assert edge_mass(CellModel.of(stage(), table(rows))) < 1e-6
