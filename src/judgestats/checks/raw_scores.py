"""Raw scores: plain arithmetic on the scores of every cell and variant, beside which the model's numbers stand."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from judgestats.checks.score_finding import RawScores
from judgestats.trials.columns import weights
from judgestats.trials.pairing import level_index, pair_trials
from judgestats.trials.status import Status
from judgestats.trials.table import TrialTable
from judgestats.trials.variant import BASE_CUE, Variant

Index = NDArray[np.int64]
_ROUNDING = 1e-9


def raw_scores(table: TrialTable) -> tuple[RawScores, ...]:
    """Return one row per cell and variant that was asked, sorted by cell, the base first.

    Distributions are those of all valid scores; differences, d, dz, Wasserstein-1 and drops those of the pairs that
    `judgestats.trials.pairing.pair_trials` makes. Standard deviations divide by n - 1.

    Parameters
    ----------
    table : TrialTable
        Trials whose verdict is a score.

    Raises
    ------
    ConfigError
        The verdict of the table is no score.
    """
    frame, scale = table.frame, table.score
    count = weights(frame)
    level = level_index(frame["score"].to_numpy(dtype=np.float64), scale)
    valid = np.asarray(frame["status"] == Status.VALID.value, dtype=bool)
    names = _variant_names(table)
    pairs = pair_trials(table)
    places = sorted(set(names), key=_order)
    position = {place: i for i, place in enumerate(places)}
    code = np.array([position[name] for name in names], dtype=np.int64)
    found = []
    for index, (judge, domain, variant) in enumerate(places):
        here = code == index
        if not count[here].any():
            continue
        answered = here & valid
        levels = np.bincount(level[answered], weights=count[answered], minlength=len(scale.levels)).astype(np.int64)
        mean, sd = _moments(levels, np.asarray(scale.levels))
        row = RawScores(judge, domain, variant.cue, variant.polarity, tuple(levels.tolist()), mean, sd)
        mine = here[pairs.row]
        if variant.is_base or not mine.any():
            found.append(row)
            continue
        found.append(_paired(row, pairs.base[mine], pairs.level[mine], pairs.count[mine], np.asarray(scale.levels)))
    return tuple(found)


def _variant_names(table: TrialTable) -> list[tuple[str, str, Variant]]:
    frame = table.frame
    cue = frame["cue"].fillna(BASE_CUE) if "cue" in frame else [BASE_CUE] * len(frame)
    polarity = frame["polarity"].fillna("") if "polarity" in frame else [""] * len(frame)
    return [
        (str(j), str(d), Variant(str(c), str(p)))
        for j, d, c, p in zip(frame["judge"], frame["domain"], cue, polarity, strict=True)
    ]


def _order(name: tuple[str, str, Variant]) -> tuple[str, str, bool, Variant]:
    return name[0], name[1], not name[2].is_base, name[2]


def _paired(row: RawScores, base: Index, level: Index, count: Index, points: NDArray[np.float64]) -> RawScores:
    """Return the row with the arithmetic on its pairs."""
    size = points.size
    n = int(count.sum())
    step = float(points[1] - points[0])
    ours = np.bincount(level, weights=count, minlength=size)
    theirs = np.bincount(base, weights=count, minlength=size)
    steps = np.arange(-size + 1, size)
    moves = np.asarray(steps * step, dtype=np.float64)
    differences = np.bincount(level - base + size - 1, weights=count, minlength=steps.size).astype(np.int64)
    shift, shift_sd = _moments(differences, moves)
    (_, sd), (_, base_sd) = _moments(ours.astype(np.int64), points), _moments(theirs.astype(np.int64), points)
    pooled = None if sd is None or base_sd is None else math.sqrt((sd**2 + base_sd**2) / 2.0)
    return RawScores(
        row.judge,
        row.domain,
        row.cue,
        row.polarity,
        row.levels,
        row.mean,
        row.sd,
        n_pairs=n,
        shift=shift,
        shift_sd=shift_sd,
        cohens_d=_ratio(shift, pooled),
        cohens_dz=_ratio(shift, shift_sd),
        wasserstein1=float(np.abs(np.cumsum(ours - theirs)).sum()) * step / n,
        drop_1=int(differences[moves <= -1.0 + _ROUNDING].sum()) / n,
        drop_2=int(differences[moves <= -2.0 + _ROUNDING].sum()) / n,
        moved=int(count[level != base].sum()),
    )


def _moments(counts: Index, points: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """Return mean and sd (n - 1) of values with counts; None where there are too few."""
    n = int(counts.sum())
    if n == 0:
        return None, None
    mean = float(counts @ points) / n
    return mean, math.sqrt(float(counts @ (points - mean) ** 2) / (n - 1)) if n > 1 else None


def _ratio(value: float | None, by: float | None) -> float | None:
    return None if value is None or not by else value / by
