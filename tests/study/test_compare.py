"""Contrasts between two runs: exact where draws are constant, independent where they are not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from numpy.typing import NDArray
from scipy.special import logit

from judgestats.errors import ConfigError
from judgestats.inference.coordinates import cell_coordinates
from judgestats.study.compare import compare_runs
from judgestats.trials.cell import Cell

CELLS = (Cell("a/x:1", "d"), Cell("b", "é"))


def save(folder: Path, alpha: NDArray[np.float64], beta: NDArray[np.float64], cells: tuple[Cell, ...] = CELLS) -> Path:
    """Write draws (chain, draw, cell) of both stages without item effects, so that P = expit(alpha +- beta/2)."""
    dims = ("chain", "draw", "cell")
    variables = {"alpha": (dims, alpha), "beta": (dims, beta), "sigma_item": (dims, np.zeros_like(alpha))}
    posterior = xr.Dataset(variables, coords=cell_coordinates(cells))
    folder.mkdir()
    groups = {"/validity/posterior": posterior, "/shift/posterior": posterior}
    xr.DataTree.from_dict(groups).to_netcdf(folder / "draws.nc", engine="h5netcdf")
    return folder


def constant(congruent: float, incongruent: float, cells: int = 2) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    shape = (1, 50, cells)
    c, i = logit(congruent), logit(incongruent)
    return np.full(shape, (c + i) / 2), np.full(shape, c - i)


def test_constant_draws_give_the_plain_difference(tmp_path: Path) -> None:
    first = save(tmp_path / "one", *constant(0.9, 0.8))
    second = save(tmp_path / "two", *constant(0.95, 0.7))
    found = compare_runs(first, second)
    assert {(c.judge, c.domain) for c in found.contrasts} == {("a/x:1", "d"), ("b", "é")}
    # (.95 - .70) - (.90 - .80) = .15; congruent .95 - .90; incongruent .70 - .80.
    expected = {
        "delta_p": 0.15,
        "validity_difference": 0.15,
        "validity[congruent]": 0.05,
        "validity[incongruent]": -0.1,
    }
    for row in found.contrasts:
        assert row.mean == pytest.approx(expected[row.estimand], abs=1e-12)
        assert row.lower == pytest.approx(row.mean, abs=1e-12)
        assert row.p_gt_0 == (1.0 if row.mean > 0 else 0.0)
    back = compare_runs(second, first)
    assert [row.mean for row in back.contrasts] == [-row.mean for row in found.contrasts]


def test_equal_draws_of_two_runs_are_not_paired_by_index(tmp_path: Path) -> None:
    # Runs of one seed hold equal draws; paired by index their difference would be 0 without error. Independent, the
    # variance of the difference is twice that of one run; with 4,000 draws its sd is known to about 1.1 % (1/sqrt(8000)).
    rng = np.random.default_rng(1)
    alpha = rng.normal(1.0, 0.3, (4, 1000, 2))
    beta = rng.normal(0.5, 0.4, (4, 1000, 2))
    first, second = save(tmp_path / "one", alpha, beta), save(tmp_path / "two", alpha, beta)
    c, i = alpha + beta / 2, alpha - beta / 2
    spread = (1 / (1 + np.exp(-c)) - 1 / (1 + np.exp(-i)))[..., 0].std() * np.sqrt(2)
    row = next(r for r in compare_runs(first, second).contrasts if r.judge == "a/x:1" and r.estimand == "delta_p")
    assert row.mean == 0.0
    assert row.upper - row.lower == pytest.approx(2 * 1.96 * spread, rel=0.08)
    assert row.p_gt_0 == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(4000))


def test_cells_of_one_run_only_are_named_and_disjoint_runs_refused(tmp_path: Path) -> None:
    first = save(tmp_path / "one", *constant(0.9, 0.8))
    second = save(tmp_path / "two", *constant(0.9, 0.8, 1), cells=(CELLS[0],))
    found = compare_runs(first, second)
    assert (found.only_first, found.only_second) == ((CELLS[1],), ())
    assert "only in the first run: b x é" in found.lines()[-1]
    other = save(tmp_path / "three", *constant(0.9, 0.8, 1), cells=(Cell("z", "z"),))
    with pytest.raises(ConfigError, match="share no judge and domain"):
        compare_runs(first, other)
    with pytest.raises(ConfigError, match="holds no draws"):
        compare_runs(first, tmp_path)


def made_of(folder: Path, trials: str, files: dict[str, str], items: dict[Cell, list[str]]) -> Path:
    """Add to a saved run what it was made of."""
    tree = xr.load_datatree(folder / "draws.nc", engine="h5netcdf")
    rows = [(cell.judge, cell.domain, name) for cell, names in items.items() for name in names]
    columns = dict(zip(("judge", "domain", "item_name"), zip(*rows, strict=True), strict=True))
    tree["/shift/constant_data"] = xr.DataTree(xr.Dataset({name: ("row", list(c)) for name, c in columns.items()}))
    entries = [{"path": path, "sha256": digest, "rows": 1} for digest, path in files.items()]
    tree.attrs["judgestats"] = json.dumps({"trials": {"sha256": trials, "files": entries}})
    tree.to_netcdf(folder / "new.nc", engine="h5netcdf")
    (folder / "new.nc").replace(folder / "draws.nc")
    return folder


def test_what_speaks_against_independence_is_said(tmp_path: Path) -> None:
    items = {CELLS[0]: ["i1", "i2"], CELLS[1]: ["k"]}
    others = {CELLS[0]: ["i2", "i3"], CELLS[1]: ["m"]}
    base = made_of(save(tmp_path / "base", *constant(0.9, 0.8)), "t1", {"f1": "a.csv", "f2": "b.csv"}, items)
    same = made_of(save(tmp_path / "same", *constant(0.9, 0.7)), "t1", {"f1": "a.csv", "f2": "b.csv"}, items)
    part = made_of(save(tmp_path / "part", *constant(0.9, 0.7)), "t2", {"f2": "again.csv"}, others)
    apart = made_of(save(tmp_path / "apart", *constant(0.9, 0.7)), "t3", {"f3": "c.csv"}, {CELLS[0]: ["z"]})
    (said,) = compare_runs(base, same).warnings
    assert "the same trials" in said
    files, shared = compare_runs(base, part).warnings
    assert "share 1 source file ('b.csv')" in files
    assert "in 1 cell the same judge answered the same items" in shared
    assert f"'{CELLS[0]}: 1'" in shared
    found = compare_runs(base, apart)
    assert found.warnings == ()
    text = found.lines()
    assert next(line for line in text if line.startswith("judge")).split("  ")[0] == "judge"
    assert any(line.startswith("P(second > first): ") for line in text)
    assert any("treated as independent" in line for line in text)
    plain = found.to_dict()
    assert "independent" in plain["assumes"]
    assert set(plain["columns"]) >= {"first", "second", "interval"}
    assert any(line.startswith("Warning: both runs") for line in compare_runs(base, same).lines())
