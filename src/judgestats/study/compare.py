"""Compare: contrasts of the cells that two runs share, from the draws of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.checks.cell_draws import cell_draws
from judgestats.draws.intervals import eti
from judgestats.errors import ConfigError
from judgestats.estimands.contrast import contrast
from judgestats.estimands.probabilities import BlockProbabilities, marginal
from judgestats.seeds import Seed
from judgestats.study.codec import encode
from judgestats.study.folder import read_card
from judgestats.trials.cell import Cell

Array = NDArray[np.float64]


def _difference(blocks: BlockProbabilities) -> Array:
    return np.asarray(blocks.congruent - blocks.incongruent, dtype=np.float64)


_QUANTITIES: dict[str, tuple[tuple[str, Callable[[BlockProbabilities], Array]], ...]] = {
    "shift": (("delta_p", _difference),),
    "validity": (
        ("validity_difference", _difference),
        ("validity[congruent]", lambda blocks: blocks.congruent),
        ("validity[incongruent]", lambda blocks: blocks.incongruent),
    ),
}
CI_PROB = 0.95


@dataclass(frozen=True)
class Contrast:
    """Second run minus first run of one quantity in one cell, marginal over items, probability scale.

    Parameters
    ----------
    judge, domain, estimand : str
        What is compared.
    first, second : float
        Posterior means.
    mean, lower, upper : float
        Mean and 95 % equal-tailed interval of the difference.
    p_gt_0 : float
        P(second > first).
    """

    judge: str
    domain: str
    estimand: str
    first: float
    second: float
    mean: float
    lower: float
    upper: float
    p_gt_0: float


@dataclass(frozen=True)
class Comparison:
    """All contrasts of two runs, and the cells that only one of them holds."""

    first: str
    second: str
    contrasts: tuple[Contrast, ...]
    only_first: tuple[Cell, ...]
    only_second: tuple[Cell, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values."""
        return {"schema": "judgestats/compare/1", "ci_prob": CI_PROB, "ci_kind": "eti", **encode(self)}

    def lines(self) -> list[str]:
        """Return the comparison as text."""
        out = [f"{self.second} minus {self.first}, marginal over items, {CI_PROB:.0%} equal-tailed intervals"]
        for c in self.contrasts:
            out.append(
                f"  {c.judge} x {c.domain}  {c.estimand}: {c.mean:+.3f} [{c.lower:+.3f}, {c.upper:+.3f}], "
                f"P(> 0) {c.p_gt_0:.3f} ({c.first:.3f} to {c.second:.3f})"
            )
        for word, cells in (("first", self.only_first), ("second", self.only_second)):
            if cells:
                out.append(f"only in the {word} run: {', '.join(map(str, cells))}")
        return out


def compare_runs(first: Path, second: Path) -> Comparison:
    """Contrast the cells that two finished runs share; the runs are independent fits.

    Raises
    ------
    ConfigError
        If a folder holds no finished run, or the two share no cell.
    """
    cells = {folder: _cells(folder) for folder in (first, second)}
    shared = sorted(cells[first].keys() & cells[second].keys())
    if not shared:
        raise ConfigError(
            f"{first} and {second} share no judge and domain",
            allowed=f"cells of the first: {', '.join(map(str, cells[first]))}",
            remedy="compare runs over the same judges and domains",
        )
    return Comparison(
        first=_name(first),
        second=_name(second),
        contrasts=tuple(row for cell in shared for row in _contrasts(cell, cells[first][cell], cells[second][cell])),
        only_first=tuple(sorted(cells[first].keys() - cells[second].keys())),
        only_second=tuple(sorted(cells[second].keys() - cells[first].keys())),
    )


def _contrasts(
    cell: Cell, first: Mapping[str, BlockProbabilities], second: Mapping[str, BlockProbabilities]
) -> Iterator[Contrast]:
    for stage, quantities in _QUANTITIES.items():
        if stage not in first or stage not in second:
            continue
        for name, value in quantities:
            one, two = value(first[stage]), value(second[stage])
            draws = difference_draws(one, two, cell, name)
            ends = eti(draws, CI_PROB)
            above = float(np.mean(draws > 0) + 0.5 * np.mean(draws == 0))
            # The means are taken apart, so that swapping the runs negates the mean exactly.
            mean = float(two.mean() - one.mean())
            yield Contrast(
                cell.judge, cell.domain, name, float(one.mean()), float(two.mean()), mean, ends.lower, ends.upper, above
            )


def difference_draws(first: Array, second: Array, cell: Cell, name: str) -> Array:
    """Return draws of second minus first from two independent fits, dims (draw,).

    Fits with one seed may hold draws that are alike by index, so those of the second are shuffled before they are
    paired; the longer is cut to the length of the shorter after its own shuffle.
    """
    size = min(first.size, second.size)
    seed = Seed(0)
    where = f"compare/{cell.judge}\x1f{cell.domain}/{name}"
    one = seed.generator(f"{where}/first").permutation(first)[:size]
    two = seed.generator(f"{where}/second").permutation(second)[:size]
    return np.asarray(contrast(two, one), dtype=np.float64)


def _cells(folder: Path) -> dict[Cell, dict[str, BlockProbabilities]]:
    path = folder / "draws.nc"
    if not path.is_file():
        raise ConfigError(
            f"{folder} holds no draws.nc",
            allowed="the folder of a finished `judgestats run` or `judgestats fit`",
            remedy="finish the run first",
        )
    out: dict[Cell, dict[str, BlockProbabilities]] = {}
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        for stage in _QUANTITIES:
            if stage in tree.children:
                posterior = tree[f"{stage}/posterior"].to_dataset().load()
                for index, cell in enumerate(_names(posterior)):
                    parameters = cell_draws(posterior, cell, index).parameters()
                    out.setdefault(cell, {})[stage] = marginal(parameters)
    return out


def _names(posterior: xr.Dataset) -> list[Cell]:
    pairs = zip(posterior["judge"].values, posterior["domain"].values, strict=True)
    return [Cell(str(judge), str(domain)) for judge, domain in pairs]


def _name(folder: Path) -> str:
    card = read_card(folder)
    return folder.name if card is None else f"{card.analysis} ({folder.name})"
