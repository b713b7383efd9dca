"""Cue rank agreement: whether the raw difference and the posterior mean order data sets with swapped labels alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from judgestats.checks.score_refit import PAIRED, fit_shift, shift_draws
from judgestats.inference.contract import EngineSettings
from judgestats.spec.model import POOLED_GROUPS, ModelSpec, StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.table import Score
from judgestats.trials.variant import Variant

Array = NDArray[np.float64]
Index = NDArray[np.int64]
REFITS = 20
_CHAINS, _WARMUP, _DRAWS = 2, 200, 250


def cue_rank_agreement(
    model: ModelSpec,
    rows: Mapping[str, ScoreRows],
    settings: EngineSettings,
    scale: Score,
    places: Sequence[tuple[Cell, Variant]],
    *,
    refits: int = REFITS,
) -> dict[tuple[Cell, Variant], str]:
    """Refit data sets with swapped labels in full and return how the raw difference ranks them.

    A data set holds the base and one variant of one cell, whose labels are swapped in a random half of the items. Chains are
    short: only the posterior mean is needed.

    Parameters
    ----------
    model : ModelSpec
        The model as fitted.
    rows : mapping of str to ScoreRows
        Rows of its stages.
    settings : EngineSettings
        Seed and target acceptance. Streams ``cue rank agreement/<cell>/<variant>``.
    scale : Score
        The declared scale.
    places : sequence of (Cell, Variant)
        Where to check: each takes one fit of `refits` cells, unpooled whatever the model.
    refits : int
        Full refits, at least 3.

    Returns
    -------
    dict of (Cell, Variant) to str
        One sentence each.
    """
    short = replace(settings, chains=_CHAINS, warmup=_WARMUP, draws=_DRAWS, progress=None)
    apart = replace(model, stages=tuple(_unpooled(stage) for stage in model.stages))
    used = {name: rows[name] for name in rows if name != "validity"}
    out = {}
    for cell, variant in settings.steps("full refits of swapped data", list(places)):
        mine = {name: _of_variant(one, cell, variant) for name, one in used.items()}
        rng = settings.seed.generator(f"cue rank agreement/{cell.judge}\x1f{cell.domain}/{variant}")
        flips = rng.integers(0, 2, size=(refits, len(next(iter(mine.values())).items[0]))).astype(bool)
        sets = [{name: _swapped(one, flip) for name, one in mine.items()} for flip in flips]
        # Every data set is a cell of its own, so that all of them run side by side in one program.
        data = {name: _side_by_side([one[name] for one in sets]) for name in mine}
        shift = shift_draws(fit_shift(apart, data, short, scale), scale).shift
        means = np.asarray(shift.isel(variant=1).mean(("chain", "draw")).values, dtype=np.float64)
        out[cell, variant] = _sentence(np.array([_raw(one) for one in sets]), means, refits)
    return out


def _unpooled(stage: StageSpec) -> StageSpec:
    """Return a stage whose cells are apart: swapped data sets share nothing."""
    return replace(stage, terms=tuple(term for term in stage.terms if term.group not in POOLED_GROUPS))


def _side_by_side(parts: Sequence[ScoreRows]) -> ScoreRows:
    first = parts[0]
    base = [part.base for part in parts if part.base is not None]
    return replace(
        first,
        cells=tuple(Cell(first.cells[0].judge, f"refit {r:03d}") for r in range(len(parts))),
        items=tuple(part.items[0] for part in parts),
        cell=np.repeat(np.arange(len(parts)), [part.cell.size for part in parts]),
        item=np.concatenate([part.item for part in parts]),
        variant=np.concatenate([part.variant for part in parts]),
        outcome=np.concatenate([part.outcome for part in parts]),
        count=np.concatenate([part.count for part in parts]),
        base=np.concatenate(base) if base else None,
    )


def _of_variant(rows: ScoreRows, cell: Cell, variant: Variant) -> ScoreRows:
    """Return the rows of the base and one variant of one cell."""
    one = rows.select(rows.cells.index(cell))
    place = one.variants.index(variant)
    keep = (one.variant == 0) | (one.variant == place)
    return replace(
        one,
        variants=(one.variants[0], variant),
        item=one.item[keep],
        cell=one.cell[keep],
        variant=(one.variant[keep] == place).astype(np.int64),
        outcome=one.outcome[keep],
        count=one.count[keep],
        base=None if one.base is None else one.base[keep],
    )


def _swapped(rows: ScoreRows, flip: NDArray[np.bool_]) -> ScoreRows:
    """Return rows with the labels of variant and base swapped in the items that are marked, in canonical order."""
    at = flip[rows.item]
    variant, outcome, base = rows.variant, rows.outcome, rows.base
    if base is None:
        variant = np.where(at, 1 - variant, variant)
    elif rows.stage == "shift":
        base, outcome = np.where(at, base + outcome, base), np.where(at, -outcome, outcome)
    keys = [outcome, variant, rows.item] if base is None else [outcome, base, variant, rows.item]
    order = np.lexsort(keys)
    return replace(
        rows,
        item=rows.item[order],
        variant=variant[order],
        outcome=outcome[order],
        count=rows.count[order],
        base=None if base is None else base[order],
    )


def _raw(data: Mapping[str, ScoreRows]) -> float:
    """Return the mean difference in steps, variant minus base."""
    if PAIRED in data:
        return float(np.sum(data["shift"].outcome * data["shift"].count) / np.sum(data[PAIRED].count))
    rows = data["shift"]
    means = [np.average(rows.outcome[rows.variant == v], weights=rows.count[rows.variant == v]) for v in (0, 1)]
    return float(means[1] - means[0])


def _sentence(raw: Array, means: Array, refits: int) -> str:
    usable = np.isfinite(raw) & np.isfinite(means)
    if np.unique(np.round(raw[usable], 12)).size < 3:
        return (
            f"{refits} full refits: the data sets have fewer than three distinct raw differences, so nothing to rank."
        )
    rho = float(spearmanr(raw[usable], means[usable]).statistic)
    words = "rank the same" if rho >= 0.9 else "do not rank the same, so read this p as that of the raw difference only"
    return f"Over {refits} full refits of swapped data the raw difference and the posterior mean {words} (Spearman {rho:.2f})."
