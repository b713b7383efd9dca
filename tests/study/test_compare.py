"""Contrasts between two runs: exact where draws are constant, independent where they are not."""

from __future__ import annotations

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
