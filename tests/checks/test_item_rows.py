"""Item rows: raw counts, effects and influence of every item."""

from __future__ import annotations

from dataclasses import replace

import hand_made as hm
import numpy as np
import pytest
import xarray as xr

from judgestats.checks.item_rows import item_rows
from judgestats.checks.leave_one_out import leave_out_cells
from judgestats.checks.loo import relative_efficiency
from judgestats.draws.fit import StageFit
from judgestats.inference.coordinates import item_coordinates
from judgestats.seeds import Seed

CELLS = (hm.Cell("a", "x"), hm.Cell("b", "x"))


def made_fit(engine: str) -> tuple[StageFit, xr.DataArray]:
    rows = [*hm.paired(6, 3, 1, 2), (1, 0, None, 0.5, 4, 3), (1, 2, None, -0.5, 5, 1)]
    table = hm.counts(rows, CELLS)
    fit = replace(hm.fit(table, {k: np.zeros((2, 50, 2)) for k in ("alpha", "beta", "sigma_item")}), engine=engine)
    size = sum(len(names) for names in table.items)
    # Draws of item i are i, i + 1, ..., i + 99, so that mean and quantiles are known.
    values = np.arange(100.0).reshape(2, 50, 1) + np.arange(size)
    coordinates = item_coordinates(table.cells, table.items)
    return fit, xr.DataArray(values, dims=("chain", "draw", "item"), coords=coordinates)


def test_counts_and_effects_belong_to_their_item() -> None:
    fit, effects = made_fit("numpyro")
    rows = item_rows(hm.stage(), fit, Seed(1), effects=effects)
    first = rows[0]
    assert (first.judge, first.item, first.congruent_n, first.congruent_k, first.incongruent_n) == (
        "a",
        "item-000",
        1,
        1,
        1,
    )
    assert first.effect_mean == pytest.approx(49.5)
    assert (first.effect_lower, first.effect_upper) == pytest.approx(tuple(np.quantile(np.arange(100), [0.025, 0.975])))
    by_name = {(row.judge, row.item): row for row in rows}
    last = by_name["b", "item-002"]
    assert (last.congruent_n, last.incongruent_n, last.incongruent_k) == (0, 5, 1)
    # Twelve items of judge a come first; item-002 of judge b is number 14.
    assert last.effect_mean == pytest.approx(49.5 + 14)
    assert all(row.influence is None for row in rows)


def test_items_without_a_trial_in_the_stage_have_no_row() -> None:
    fit, effects = made_fit("numpyro")
    names = [row.item for row in item_rows(hm.stage(), fit, Seed(1), effects=effects) if row.judge == "b"]
    assert names == ["item-000", "item-002"]


def test_influence_comes_from_exact_refits() -> None:
    fit, effects = made_fit("exact")
    left_out = leave_out_cells(hm.stage(), fit)
    rows = [row for row in item_rows(hm.stage(), fit, Seed(1), effects=effects, left_out=left_out) if row.judge == "a"]
    assert [row.influence for row in rows] == pytest.approx(left_out[CELLS[0]].influence.tolist())
    # Leaving out an item that succeeded in the congruent block only lowers the difference.
    only_congruent = [row for row in rows if row.congruent_k > row.incongruent_k]
    assert len(only_congruent) == 3
    assert all(row.influence < 0 for row in only_congruent)
    # Items with equal answers have equal influence.
    assert len({row.influence for row in only_congruent}) == 1


def test_relative_efficiency_of_chains_and_of_independent_draws() -> None:
    fit, _ = made_fit("exact")
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(4, 500, 3))
    sticky = np.empty_like(noise)
    sticky[:, 0] = noise[:, 0]
    for draw in range(1, 500):
        sticky[:, draw] = 0.9 * sticky[:, draw - 1] + np.sqrt(1 - 0.81) * noise[:, draw]
    assert relative_efficiency(fit, sticky) == 1.0
    chains = replace(fit, engine="numpyro")
    # An AR(1) of .9 has 1/19 of the draws' information.
    assert relative_efficiency(chains, sticky * 0.1) == pytest.approx(1 / 19, abs=0.03)
    assert relative_efficiency(chains, noise * 0.1) > 0.8
