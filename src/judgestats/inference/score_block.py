"""Score block: cells of a score stage that are sampled together, one or all, as the arrays that their density takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.special import logit

from judgestats.inference.families.cumulative_logit import logit_counts
from judgestats.inference.families.rounded_t import difference_counts
from judgestats.inference.score_parameters import LOGIT, Groups, ScoreShape
from judgestats.inference.score_patterns import ScorePatterns, collapse_items
from judgestats.inference.terms.product import group_index, group_levels
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.score_rows import ScoreRows

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreBlock:
    """Cells of one stage whose parameters are one vector.

    Parameters
    ----------
    index : tuple of int
        Positions of the cells in the rows of the stage.
    cells : tuple of Cell
        The cells.
    stream : str
        Name of the seed stream: the cell, or ``all``.
    shape : ScoreShape
        Structure.
    data : dict
        Priors, contrasts and counts.
    start : ndarray, dims (element,)
        Where the search for the mode begins.
    work : int
        Numbers of one density per node.
    """

    index: tuple[int, ...]
    cells: tuple[Cell, ...]
    stream: str
    shape: ScoreShape
    data: dict[str, Any]
    start: Array
    work: int

    @property
    def widths(self) -> tuple[int, ...]:
        """Return the sizes of the arrays of counts: blocks of one shape are stacked only where these agree too."""
        return tuple(array.shape[-1] for _, array in sorted(self.data["cell"].items()))


def score_blocks(stage: StageSpec, rows: ScoreRows) -> list[ScoreBlock]:
    """Return the blocks of a stage: each cell with rows apart, or all of them where terms pool cells."""
    filled = [i for i in range(len(rows.cells)) if np.any(rows.cell == i)]
    if not filled:
        return []
    if stage.pooled("intercept") or stage.pooled("variant"):
        return [_block(stage, rows, tuple(filled), "all")]
    return [_block(stage, rows, (i,), str(rows.cells[i])) for i in filled]


def zero_sum_contrast(present: NDArray[np.bool_]) -> Array:
    """Return orthonormal coefficients of effects that add to 0 over the variants present, dims (variant, variant - 1).

    Independent normal coefficients give every effect the same variance and every pair the same covariance. Columns that are
    not needed are 0.
    """
    out = np.zeros((present.size, present.size - 1))
    at = np.flatnonzero(present)
    if at.size > 1:
        out[at, : at.size - 1] = null_space(np.ones((1, at.size)))
    return out


def _block(stage: StageSpec, rows: ScoreRows, index: tuple[int, ...], stream: str) -> ScoreBlock:
    items = stage.has("sigma_item")
    parts = [rows.select(i) for i in index]
    patterns = [collapse_items(part, items) for part in parts]
    cells = tuple(rows.cells[i] for i in index)
    levels = group_levels(cells)
    intercepts, effects = _groups(stage, "intercept"), _groups(stage, "variant")
    pooled = bool(intercepts or effects)
    padded = _padded(max(p.size for p in patterns)) if items else 1
    counts = _counts(stage.family, patterns, rows, padded)
    shape = ScoreShape(
        family=stage.family,
        cells=len(cells),
        judges=len(levels["judge"]) if pooled else 0,
        domains=len(levels["domain"]) if pooled else 0,
        variants=len(rows.variants),
        outcomes=rows.outcomes,
        patterns=padded,
        items=items,
        intercepts=intercepts,
        effects=effects,
    )
    data: dict[str, Any] = {"cell": counts, "contrast": _contrasts(stage, parts), **_priors(stage)}
    if stage.family == "cumulative_logit":
        data["middle"] = np.stack([_middle(_cuts(part)) for part in parts])
    if pooled:
        data |= {f"{group}_index": at for group, at in group_index(cells).items()}
    columns = counts["both"] if "both" in counts else np.concatenate([counts["moves"], counts["starts"]], axis=-1)
    work = padded * int(columns.shape[-1])
    return ScoreBlock(index, cells, stream, shape, data, _start(shape, parts), work * len(cells))


def _groups(stage: StageSpec, of: str) -> Groups:
    return tuple((str(term.group), term.name) for term in stage.pooled(of))


def _counts(family: str, patterns: list[ScorePatterns], rows: ScoreRows, padded: int) -> dict[str, Array]:
    if family in LOGIT:
        made = [logit_counts(p, len(rows.variants), rows.outcomes, padded) for p in patterns]
    else:
        made = difference_counts(patterns, rows.outcomes, padded)
    return {name: np.stack([m[name] for m in made]) for name in made[0]}


def _contrasts(stage: StageSpec, parts: list[ScoreRows]) -> Array:
    variants = len(parts[0].variants)
    if not (stage.family == "bernoulli_logit" and parts[0].base is not None):
        plain = np.concatenate([np.zeros((1, variants - 1)), np.eye(variants - 1)])
        return np.broadcast_to(plain, (len(parts), variants, variants - 1)).copy()
    present = [np.bincount(part.variant, minlength=variants) > 0 for part in parts]
    if len(parts) > 1:  # pooled effects are deviations from one vector, so all cells share the contrast
        present = [np.any(present, axis=0)] * len(parts)
    return np.stack([zero_sum_contrast(p) for p in present])


def _priors(stage: StageSpec) -> dict[str, Array]:
    out: dict[str, Array] = {}
    for term in stage.terms:
        out[f"{term.name}_mean"], out[f"{term.name}_sd"] = np.array(term.prior.mean), np.array(term.prior.sd)
        if term.prior.shape is not None:
            out[f"{term.name}_shape"] = np.array(float(term.prior.shape))
    return out


def _start(shape: ScoreShape, parts: list[ScoreRows]) -> Array:
    start = np.zeros(shape.dimension())
    if shape.family == "cumulative_logit":
        size = shape.outcomes - 1
        for i, part in enumerate(parts):
            cuts = _cuts(part)
            at = int(np.argmax(_middle(cuts)))
            gaps = np.log(np.expm1(np.diff(cuts)))  # softplus gives the distances back
            start[i * size : (i + 1) * size] = [*gaps[:at], cuts[at], *gaps[at:]]
    if shape.items:
        start[-shape.cells :] = np.log(0.7)
    return start


def _cuts(part: ScoreRows) -> Array:
    """Return thresholds that give the pooled shares of the levels, half a trial added to each level, dims (threshold,)."""
    totals = part.totals()[0].sum(axis=0) + 0.5
    return np.asarray(logit(np.cumsum(totals)[:-1] / totals.sum()))


def _middle(cuts: Array) -> Array:
    """Return 1 at the threshold that halves the scores best, 0 elsewhere, dims (threshold,)."""
    out = np.zeros(cuts.size)
    out[int(np.argmin(np.abs(cuts)))] = 1.0
    return out


def _padded(size: int) -> int:
    """Round up to at most 6 % more, at least 8, so that cells of near size share a compiled program."""
    if size <= 8:
        return 8
    step = max(4, 1 << max(0, (size - 1).bit_length() - 3))
    return -(-size // step) * step
