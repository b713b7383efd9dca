"""The result tree: its groups, what it refuses, and a round trip through a file."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

import arviz
import numpy as np
import pytest
import xarray as xr

from judgestats.draws.fit import StageFit
from judgestats.draws.record import Record
from judgestats.draws.store import load_tree, save_tree
from judgestats.draws.tree import build_tree, matched_stage, provenance_of, table_rows
from judgestats.errors import TrialDataError
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

CELLS = (Cell("acme/judge:1.5", "gender–science"), Cell("acme/judge:1.5", "人種"))
ITEMS = (("naïve / 1", "<script>alert(1)</script>"), ("单词", "word"))
CHAINS, DRAWS = 4, 250


def counts(stage: str) -> StageCounts:
    cell = np.repeat([0, 1], 4)
    return StageCounts(
        stage,
        CELLS,
        ITEMS,
        None,
        cell,
        np.tile([0, 0, 1, 1], 2),
        None,
        np.tile([-0.5, 0.5], 4),
        np.full(8, 2),
        np.array([2, 1, 2, 2, 0, 1, 2, 1]),
    )


def fit(stage: str, *, nuts: bool = False) -> StageFit:
    rng = np.random.default_rng(7)
    shape = (CHAINS, DRAWS, 2)
    labels = np.array([str(c) for c in CELLS])
    coords = {
        "chain": np.arange(CHAINS),
        "draw": np.arange(DRAWS),
        "cell": labels,
        "judge": ("cell", [c.judge for c in CELLS]),
        "domain": ("cell", [c.domain for c in CELLS]),
    }
    posterior = xr.Dataset(
        {name: (("chain", "draw", "cell"), rng.standard_normal(shape)) for name in ("alpha", "beta")}, coords=coords
    )
    posterior["sigma_item"] = abs(posterior["alpha"])
    # Samplers leave attributes that a netCDF file cannot hold, and time stamps.
    posterior.attrs = {"created_at": str(time.time()), "nothing": None}
    stats = xr.Dataset({"diverging": (("chain", "draw"), rng.random((CHAINS, DRAWS)) < 0.1)})
    return StageFit(stage, "pymc" if nuts else "exact", "", counts(stage), posterior, stats if nuts else None)


def extra(one: StageFit, draws: int = DRAWS) -> dict[str, xr.Dataset]:
    rng = np.random.default_rng(8)
    names = [f"{c} | {i}" for c, items in zip(CELLS, ITEMS, strict=True) for i in items]
    coords = {"chain": np.arange(CHAINS), "draw": np.arange(DRAWS)[:: DRAWS // draws]}
    likelihood = xr.Dataset(
        {"items": (("chain", "draw", "item"), -rng.random((CHAINS, draws, 4)))}, coords={**coords, "item": names}
    )
    prior = xr.Dataset({"alpha": (("chain", "draw"), -rng.random((CHAINS, draws)))}, coords=coords)
    return {"log_likelihood": likelihood, "log_prior": prior}


RECORDS = (
    Record("acme/judge:1.5", "人種", "delta_p", "shift", "two_stage_association", "exact", "probability", mean=0.1),
    Record(None, None, "rank", "shift", "two_stage_association", "exact", "rank", rope=(-0.02, 0.02), n_lost={"a": 3}),
)


def tree() -> xr.DataTree:
    fits = {"validity": fit("validity"), "shift": fit("shift", nuts=True)}
    return build_tree(
        fits,
        groups={name: extra(one) for name, one in fits.items()},
        tables={"estimands": RECORDS},
        provenance={"seed": 1, "judge": "é"},
    )


def test_groups() -> None:
    found = set(tree().groups)
    for group in ("posterior", "observed_data", "constant_data", "log_likelihood", "log_prior"):
        assert {f"/validity/{group}", f"/shift/{group}"} <= found
    assert "/shift/sample_stats" in found
    assert "/validity/sample_stats" not in found
    assert "/estimands" in found
    # Judge names live in coordinates, never in names of groups or variables.
    assert not any("acme" in path for path in found)


def test_round_trip_is_identical(tmp_path: Path) -> None:
    before = tree()
    after = load_tree(save_tree(before, tmp_path / "draws.nc"))
    xr.testing.assert_identical(before, after)
    posterior = after["/shift/posterior"].to_dataset()
    assert posterior["judge"].values.tolist() == ["acme/judge:1.5"] * 2
    assert posterior["domain"].values.tolist() == ["gender–science", "人種"]
    names = after["/shift/constant_data"].to_dataset()["item_name"].values.tolist()
    assert set(names) == {name for items in ITEMS for name in items}
    assert after["/shift/sample_stats"].to_dataset()["diverging"].dtype == bool
    assert provenance_of(after) == {"seed": 1, "judge": "é"}
    assert [p.name for p in tmp_path.iterdir()] == ["draws.nc"]


def test_tables_are_lossless(tmp_path: Path) -> None:
    after = load_tree(save_tree(tree(), tmp_path / "draws.nc"))
    expected = json.loads(json.dumps([record.to_dict() for record in RECORDS]))
    assert table_rows(after, "estimands") == expected
    columns = after["/estimands"].to_dataset()
    assert columns["judge"].values.tolist() == ["acme/judge:1.5", "not applicable"]
    assert columns["mean"].values[0] == 0.1
    assert np.isnan(columns["mean"].values[1])


def test_same_tree_same_bytes(tmp_path: Path) -> None:
    first = save_tree(tree(), tmp_path / "a.nc")
    time.sleep(1.1)  # HDF5 keeps whole seconds
    second = save_tree(tree(), tmp_path / "b.nc")
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (first, second)}
    assert len(digests) == 1


@pytest.mark.parametrize("label", [None, "", float("nan")])
def test_a_missing_label_is_an_error(label: object) -> None:
    one = fit("shift")
    broken = one.posterior.assign_coords(domain=("cell", np.array(["x", label], dtype=object)))
    with pytest.raises(ValueError, match="missing label"):
        build_tree({"shift": StageFit("shift", "exact", "", one.counts, broken, None)})


def test_inputs_are_not_changed() -> None:
    one = fit("shift")
    before = one.posterior.copy(deep=True)
    build_tree({"shift": one})
    xr.testing.assert_identical(one.posterior, before)


def test_unknown_names_are_refused() -> None:
    one = fit("shift")
    with pytest.raises(ValueError, match="allowed"):
        build_tree({"shift": one}, groups={"shift": {"posteriors": one.posterior}})
    with pytest.raises(ValueError, match="allowed"):
        build_tree({"shift": one}, tables={"estimates": RECORDS})


def test_a_failed_write_leaves_nothing_and_keeps_the_old_file(tmp_path: Path) -> None:
    path = save_tree(tree(), tmp_path / "draws.nc")
    old = path.read_bytes()
    broken = tree()
    broken["/shift/posterior"] = xr.DataTree(xr.Dataset({"a": ("x", np.array([object()]))}))
    with pytest.raises((TypeError, ValueError)):
        save_tree(broken, path)
    assert path.read_bytes() == old
    assert [p.name for p in tmp_path.iterdir()] == ["draws.nc"]


def test_other_files_are_refused_in_words(tmp_path: Path) -> None:
    noise = tmp_path / "noise.nc"
    noise.write_bytes(b"not a file of ours")
    with pytest.raises(TrialDataError, match="cannot be read"):
        load_tree(noise)
    xr.Dataset({"a": 1}).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    with pytest.raises(TrialDataError, match="not a result tree"):
        load_tree(tmp_path / "other.nc")


@pytest.mark.parametrize("stage", ["validity", "shift"])
def test_arviz_works_on_every_stage_as_it_is(stage: str, tmp_path: Path) -> None:
    node = load_tree(save_tree(tree(), tmp_path / "draws.nc"))[stage]
    summary = arviz.summary(node, ci_prob=0.95, ci_kind="eti", kind="all", round_to="none")
    expected = fit(stage).posterior["alpha"].isel(cell=1)
    row = summary.loc[f"alpha[{CELLS[1]}]"]
    assert float(row["mean"]) == pytest.approx(float(expected.mean()), abs=1e-12)
    assert float(row["eti95_ub"]) == pytest.approx(float(np.quantile(expected, 0.975)), abs=1e-12)
    assert np.isfinite(arviz.ess(node, var_names=["beta"])["beta"].values).all()
    assert arviz.loo(node).n_data_points == 4
    assert arviz.psense_summary(node)[["prior", "likelihood"]].notna().all(axis=None)


def test_thinned_likelihoods_are_matched_before_power_scaling() -> None:
    one = fit("shift")
    thinned = build_tree({"shift": one}, groups={"shift": extra(one, draws=50)})
    # What goes wrong without it: NaN and a tick, without an error.
    assert arviz.psense_summary(thinned["shift"])["prior"].isna().all()
    assert arviz.psense_summary(matched_stage(thinned, "shift"))["prior"].notna().all()
