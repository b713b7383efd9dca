"""Compare: contrasts of the cells that two runs share, from the draws of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.intervals import eti
from judgestats.errors import ConfigError
from judgestats.estimands.contrast import contrast
from judgestats.estimands.probabilities import BlockProbabilities
from judgestats.seeds import Seed
from judgestats.study.codec import encode
from judgestats.study.finished_run import dependence, read_run
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


COLUMNS: dict[str, str] = {
    "judge": "the judge, in both runs",
    "domain": "the domain, in both runs",
    "quantity": "delta_p: P(consistent) congruent minus incongruent, given a valid answer; validity[block]: P(valid) there; "
    "validity_difference: P(valid) congruent minus incongruent",
    "first": "posterior mean in the first run",
    "second": "posterior mean in the second run",
    "second - first": "posterior mean of the difference",
    "interval": f"{CI_PROB:.0%} equal-tailed interval of the difference",
    "P(second > first)": "posterior probability that the second run's quantity is the larger",
}
INDEPENDENT = (
    "The two runs are treated as independent: draws of the first are paired with draws of the second at random."
)


@dataclass(frozen=True)
class Comparison:
    """All contrasts of two runs, the cells that only one of them holds, and what speaks against their independence."""

    first: str
    second: str
    contrasts: tuple[Contrast, ...]
    only_first: tuple[Cell, ...]
    only_second: tuple[Cell, ...]
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values."""
        head = {"schema": "judgestats/compare/1", "ci_prob": CI_PROB, "ci_kind": "eti"}
        return {**head, "assumes": INDEPENDENT, "columns": COLUMNS, **encode(self)}

    def lines(self) -> list[str]:
        """Return the comparison as text: a table with a head, what its columns mean, and warnings."""
        table = [tuple(COLUMNS)]
        for c in self.contrasts:
            numbers = (f"{c.first:.3f}", f"{c.second:.3f}", f"{c.mean:+.3f}", f"[{c.lower:+.3f}, {c.upper:+.3f}]")
            table.append((c.judge, c.domain, c.estimand, *numbers, f"{c.p_gt_0:.3f}"))
        widths = [max(len(row[i]) for row in table) for i in range(len(COLUMNS))]
        out = [f"first: {self.first}", f"second: {self.second}", ""]
        out += ["  ".join(entry.ljust(w) for entry, w in zip(row, widths, strict=True)).rstrip() for row in table]
        out += ["", *(f"{name}: {meaning}" for name, meaning in COLUMNS.items() if name not in ("judge", "domain"))]
        out += [INDEPENDENT, *(f"Warning: {text}" for text in self.warnings)]
        for word, cells in (("first", self.only_first), ("second", self.only_second)):
            if cells:
                out.append(f"only in the {word} run: {', '.join(map(str, cells))}")
        return out


def compare_runs(first: Path, second: Path) -> Comparison:
    """Contrast the cells that two finished runs share; the runs are treated as independent fits.

    Raises
    ------
    ConfigError
        If a folder holds no finished run, or the two share no cell.
    """
    runs = (read_run(first), read_run(second))
    one, two = (run.cells for run in runs)
    shared = sorted(one.keys() & two.keys())
    if not shared:
        raise ConfigError(
            f"{first} and {second} share no judge and domain",
            allowed=f"cells of the first: {', '.join(map(str, one))}",
            remedy="compare runs over the same judges and domains",
        )
    return Comparison(
        first=_name(first),
        second=_name(second),
        contrasts=tuple(row for cell in shared for row in _contrasts(cell, one[cell], two[cell])),
        only_first=tuple(sorted(one.keys() - two.keys())),
        only_second=tuple(sorted(two.keys() - one.keys())),
        warnings=dependence(*runs),
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


def _name(folder: Path) -> str:
    card = read_card(folder)
    return folder.name if card is None else f"{card.analysis} ({folder.name})"
