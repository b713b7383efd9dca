"""Unmoved: the size of differences that never occurred is known from the prior alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import xarray as xr

from judgestats.draws.score_fit import ScoreFit
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec

_PARAMETERS = {"effect": "variant", "scale": "variant", "nu": None, "sigma_item": None}


def with_prior_where_unmoved(shift: ScoreFit, moved: ScoreFit, stage: StageSpec, seed: Seed) -> ScoreFit:
    """Return the fit of nonzero differences with prior draws for variants whose pairs all kept their score.

    A judge that never moves under a cue says that differences are rare and nothing of how large one would be. The
    posterior of the latter is then its prior, which rare differences carry into the quantities with little weight; without
    it "no pair moved" would read as not estimable. A variant without a pair keeps its NaN.

    Parameters
    ----------
    shift, moved : ScoreFit
        Stages of the paired model.
    stage : StageSpec
        Stage ``shift`` of the model, with its priors; of pooled models the prior of a single cell is taken.
    seed : Seed
        Source of the draws.
    """
    shape = (len(shift.rows.cells), len(shift.rows.variants))
    paired, differing = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    paired[moved.rows.cell, moved.rows.variant] = True
    differing[shift.rows.cell, shift.rows.variant] = True
    lacking = paired & ~differing
    if not lacking.any():
        return shift
    posterior = shift.posterior.copy()
    size = (posterior.sizes["chain"], posterior.sizes["draw"])
    for name, last in _PARAMETERS.items():
        dims = ("chain", "draw", "cell", last) if last else ("chain", "draw", "cell")
        values = posterior[name].transpose(*dims).values.copy()
        wanted = lacking if last else lacking.any(axis=1)
        for place in np.argwhere(wanted):
            at = (slice(None), slice(None), *place)
            if np.isnan(values[at]).all():
                cell, *rest = (int(i) for i in place)
                variant = f"/{shift.rows.variants[rest[0]]}" if rest else ""
                stream = f"estimands/unmoved/{name}/{shift.rows.cells[cell]}{variant}"
                prior = stage.term(name).prior if stage.has(name) else None
                values[at] = 0.0 if prior is None else prior.sample(seed.generator(stream), size)
        posterior[name] = xr.DataArray(values, dims=dims, coords=posterior[name].transpose(*dims).coords)
    return replace(shift, posterior=posterior)
