"""The NUTS gate: what passes, what fails, and what is undefined."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from judgestats.draws.gate import worst
from judgestats.errors import SamplingError
from judgestats.inference.nuts_gate import nuts_gate
from judgestats.inference.stage_posterior import join_stats, sample_stats, tree_depth

RNG = np.random.default_rng(5)
CHAINS, DRAWS = 4, 1000


def posterior(alpha):
    coords = {"cell": ["a x d", "b x d"], "judge": ("cell", ["a", "b"]), "domain": ("cell", ["d", "d"])}
    return xr.Dataset({"alpha": (("chain", "draw", "cell"), alpha)}, coords=coords)


def stats(diverging=0, energy=None):
    flags = np.zeros((CHAINS, DRAWS), dtype=bool)
    flags.ravel()[:diverging] = True
    return sample_stats({"diverging": flags, "energy": RNG.normal(size=(CHAINS, DRAWS)) if energy is None else energy})


def rows_by(gate, criterion):
    return [row for row in gate if row.criterion == criterion]


def test_independent_draws_pass():
    gate = nuts_gate("shift", posterior(RNG.normal(size=(CHAINS, DRAWS, 2))), stats())
    assert worst(gate) == "pass"
    assert [(r.judge, r.domain, r.criterion) for r in gate[:3]] == [
        ("a", "d", c) for c in ("rhat", "ess_bulk", "ess_tail")
    ]
    assert [r.criterion for r in gate[-2:]] == ["divergences", "ebfmi"]
    # Independent draws: ESS is near their number, E-BFMI of independent energies near 2.
    assert all(r.value == pytest.approx(CHAINS * DRAWS, rel=0.15) for r in rows_by(gate, "ess_bulk"))
    assert rows_by(gate, "ebfmi")[0].value == pytest.approx(2.0, abs=0.15)


def test_a_chain_elsewhere_fails_in_its_cell_only():
    alpha = RNG.normal(size=(CHAINS, DRAWS, 2))
    alpha[3, :, 1] += 1.0
    gate = nuts_gate("shift", posterior(alpha), stats())
    assert [r.status for r in rows_by(gate, "rhat")] == ["pass", "fail"]
    assert all(r.action for r in gate if r.status == "fail")


def test_sticky_chains_fail_on_ess():
    steps = RNG.normal(size=(CHAINS, DRAWS, 2))
    alpha = np.empty_like(steps)
    alpha[:, 0] = steps[:, 0]
    for t in range(1, DRAWS):  # AR(1) with rho .98: ESS = n (1 - rho) / (1 + rho), 1 % of n
        alpha[:, t] = 0.98 * alpha[:, t - 1] + np.sqrt(1 - 0.98**2) * steps[:, t]
    gate = nuts_gate("shift", posterior(alpha), stats())
    assert {r.status for r in rows_by(gate, "ess_bulk")} == {"fail"}
    assert all(r.value < 150 for r in rows_by(gate, "ess_bulk"))


def test_a_constant_is_undefined_and_does_not_crash():
    alpha = RNG.normal(size=(CHAINS, DRAWS, 2))
    alpha[..., 0] = 0.5
    gate = nuts_gate("shift", posterior(alpha), stats())
    first = [r for r in gate if r.judge == "a"]
    assert {r.status for r in first} == {"undefined"}
    assert all(r.value is None for r in first)
    assert {r.status for r in gate if r.judge == "b"} == {"pass"}


def test_one_divergence_fails():
    gate = nuts_gate("shift", posterior(RNG.normal(size=(CHAINS, DRAWS, 2))), stats(diverging=1))
    (row,) = rows_by(gate, "divergences")
    assert (row.value, row.status) == (1.0, "fail")


def test_slow_energy_fails_and_the_worst_part_counts():
    walk = np.cumsum(RNG.normal(size=(CHAINS, DRAWS)), axis=1)
    alpha = posterior(RNG.normal(size=(CHAINS, DRAWS, 2)))
    assert rows_by(nuts_gate("shift", alpha, stats(energy=walk)), "ebfmi")[0].status == "fail"
    good = RNG.normal(size=(CHAINS, DRAWS))
    parts = nuts_gate("shift", alpha, stats(energy=good * 100 + walk), [good, walk])
    assert rows_by(parts, "ebfmi")[0].status == "fail"


def test_a_nan_is_an_error():
    alpha = RNG.normal(size=(CHAINS, DRAWS, 2))
    alpha[0, 0, 0] = np.nan
    with pytest.raises(SamplingError, match="not finite"):
        nuts_gate("shift", posterior(alpha), stats())


def test_of_item_effects_the_worst_is_one_row():
    effects = RNG.normal(size=(CHAINS, DRAWS, 30))
    effects[0, :, 7] += 2.0
    data = xr.Dataset({"item_effect": (("chain", "draw", "item"), effects)})
    gate = nuts_gate("shift", data, stats())
    assert [r.quantity for r in gate[:3]] == ["item_effect[worst]"] * 3
    assert gate[0].status == "fail"


def test_statistics_of_parts_and_text_columns():
    one = {"diverging": np.zeros((1, 3), bool), "energy": np.array([[1.0, 2, 3]]), "tree_depth": np.array([[1, 2, 3]])}
    two = {
        "diverging": np.array([[0, 1, 0]], bool),
        "energy": np.array([[5.0, 5, 5]]),
        "tree_depth": np.array([[3, 1, 1]]),
    }
    for part, rate in ((one, 0.9), (two, 0.8)):
        part["acceptance_rate"] = np.full((1, 3), rate)
    joined = join_stats([one, two])
    assert joined["diverging"].tolist() == [[False, True, False]]
    assert joined["energy"].tolist() == [[6.0, 7.0, 8.0]]
    assert joined["tree_depth"].tolist() == [[3, 2, 3]]
    assert joined["acceptance_rate"].tolist() == [[0.8, 0.8, 0.8]]
    kept = sample_stats({**joined, "message": np.array([["a", "b", "c"]], dtype=object)})
    assert set(kept.data_vars) == {"diverging", "energy", "tree_depth", "acceptance_rate"}


def test_tree_depth_counts_doublings():
    # A complete tree of depth d took 2**d - 1 steps; a broken-off one is rounded up.
    assert tree_depth([1, 3, 7, 9, 15, 1023]).tolist() == [1, 2, 3, 4, 4, 10]


def test_a_single_chain_has_no_rhat():
    alpha = posterior(RNG.normal(size=(CHAINS, DRAWS, 2))).isel(chain=[0])
    effects = xr.Dataset({"item_effect": (("chain", "draw", "item"), RNG.normal(size=(1, DRAWS, 3)))})
    for data in (alpha, effects):
        gate = nuts_gate("shift", data, stats().isel(chain=[0]))
        assert {r.status for r in rows_by(gate, "rhat")} == {"undefined"}
        assert {r.status for r in rows_by(gate, "ess_bulk")} == {"pass"}
