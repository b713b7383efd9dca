"""Score fits made by hand: parameters with a small scatter over draws, no engine."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from judgestats.draws.score_fit import ScoreFit
from judgestats.trials.cell import Cell
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.variant import Variant

Array = NDArray[np.float64]
CELLS = (Cell("a", "x"), Cell("a", "y"), Cell("b", "x"))
VARIANTS = (
    Variant(),
    Variant("authority", "neg"),
    Variant("authority", "pos"),
    Variant("bandwagon", "pos"),
    Variant("style", "neg"),
    Variant("style", "pos"),
)
LEVELS = 5
CHAINS, DRAWS = 2, 50
DIMS = ("chain", "draw", "cell")


def rows(stage: str, outcomes: int, *, base: Array | None = None, repeats: int = 1) -> ScoreRows:
    """One row for every cell x variant (x base level, with `base` as counts by level); the outcome plays no part."""
    levels = np.arange(1) if base is None else np.flatnonzero(base)
    variants = np.arange(0 if base is None else 1, len(VARIANTS))
    grid = [g.ravel() for g in np.meshgrid(np.arange(len(CELLS)), variants, levels, indexing="ij")]
    zero = np.zeros(grid[0].size, dtype=np.int64)
    return ScoreRows(
        stage=stage,
        cells=CELLS,
        items=(("i",),) * len(CELLS),
        variants=VARIANTS,
        outcomes=outcomes,
        cell=grid[0],
        item=zero,
        variant=grid[1],
        outcome=zero + 1,
        count=zero + repeats if base is None else base[grid[2]].astype(np.int64),
        base=None if base is None else grid[2],
    )


def scattered(rng: np.random.Generator, around: Array, sd: float) -> Array:
    """Draws around some values, dims (chain, draw, ...)."""
    return around + sd * rng.standard_normal((CHAINS, DRAWS, *np.shape(around)))


def ordinal_fit(seed: int = 0, *, mirrored: bool = False, repeats: int = 1) -> ScoreFit:
    """A fit of levels; mirrored, the same judge on the scale read from the other end."""
    rng = np.random.default_rng(seed)
    threshold = scattered(rng, np.tile([-2.0, -0.6, 0.5, 1.9], (len(CELLS), 1)), 0.03)
    effect = scattered(rng, rng.normal(0.0, 1.0, (len(CELLS), len(VARIANTS))), 0.2)
    effect[..., 0] = 0.0
    sigma = np.exp(scattered(rng, np.full(len(CELLS), -0.2), 0.1))
    if mirrored:
        threshold, effect = -threshold[..., ::-1], -effect
    posterior = xr.Dataset(
        {
            "threshold": ((*DIMS, "threshold"), threshold),
            "effect": ((*DIMS, "variant"), effect),
            "sigma_item": (DIMS, sigma),
        }
    )
    return fit("shift", "cumulative_logit", rows("shift", LEVELS, repeats=repeats), posterior)


def bernoulli_fit(stage: str, seed: int = 1, base: Array | None = None) -> ScoreFit:
    """A fit of validity, or of moved pairs with `base` as counts of base levels."""
    rng = np.random.default_rng(seed)
    effect = scattered(rng, rng.normal(0.0, 0.5, (len(CELLS), len(VARIANTS))), 0.1)
    effect[..., 0] = 0.0
    posterior = xr.Dataset(
        {
            "alpha": (DIMS, scattered(rng, np.full(len(CELLS), 0.8), 0.1)),
            "effect": ((*DIMS, "variant"), effect),
            "sigma_item": (DIMS, np.exp(scattered(rng, np.full(len(CELLS), -0.5), 0.1))),
        }
    )
    return fit(stage, "bernoulli_logit", rows(stage, 2, base=base), posterior)


def difference_fit(base: Array, seed: int = 2, *, mirrored: bool = False, sigma: float = 0.6) -> ScoreFit:
    """A fit of nonzero differences in steps."""
    rng = np.random.default_rng(seed)
    shape = (len(CELLS), len(VARIANTS))
    effect = scattered(rng, rng.normal(0.0, 1.0, shape), 0.1)
    posterior = xr.Dataset(
        {
            "effect": ((*DIMS, "variant"), -effect if mirrored else effect),
            "scale": ((*DIMS, "variant"), np.exp(scattered(rng, np.full(shape, -0.1), 0.1))),
            "nu": (DIMS, 2.0 + np.exp(scattered(rng, np.full(len(CELLS), 1.5), 0.3))),
            "sigma_item": (DIMS, sigma * np.exp(scattered(rng, np.zeros(len(CELLS)), 0.1))),
        }
    )
    for name in ("effect", "scale"):
        posterior[name][..., 0] = np.nan
    return fit("shift", "rounded_t", rows("shift", LEVELS, base=base), posterior)


def fit(stage: str, family: str, of: ScoreRows, posterior: xr.Dataset) -> ScoreFit:
    """A fit of Markov chains."""
    return ScoreFit(stage, family, "numpyro", "made by hand", of, posterior, None)


def status_counts(valid: int = 40, refused: int = 10) -> pd.DataFrame:
    """The same counts for every cell and variant."""
    found = [
        (c.judge, c.domain, v.cue, v.polarity, status, n)
        for c in CELLS
        for v in VARIANTS
        for status, n in (("valid", valid), ("refusal", refused))
    ]
    return pd.DataFrame(found, columns=["judge", "domain", "cue", "polarity", "status", "n"])
