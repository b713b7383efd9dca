"""Posterior draws: the parameters of a score fit as plain arrays, thinned to what summaries need."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from judgestats.draws.score_fit import ScoreFit
from judgestats.draws.summary import Source

Array = NDArray[np.float64]
MOST_DRAWS = 4000
_INDEPENDENT = ("exact", "laplace")


def source_of(fit: ScoreFit) -> Source:
    """Return whether the draws of a fit come from Markov chains or are independent."""
    return "independent" if fit.engine.startswith(_INDEPENDENT) else "markov"


def parameters(fit: ScoreFit, most: int = MOST_DRAWS) -> dict[str, Array]:
    """Return the parameters of a fit, each with dims (chain, draw, cell, ...) in this order.

    Chains are thinned evenly, so that R-hat and effective sample sizes of what is computed keep their meaning.

    Parameters
    ----------
    fit : ScoreFit
        One stage of a score model.
    most : int
        Most draws over all chains.
    """
    posterior = fit.posterior
    stride = thinning(posterior.sizes, most)
    kept = posterior.isel(draw=slice(None, None, stride))
    found = {}
    for name in ("alpha", "effect", "sigma_item", "threshold", "scale", "nu"):
        if name in kept:
            rest = [d for d in kept[name].dims if d not in ("chain", "draw", "cell")]
            dims = ("chain", "draw", "cell", *rest)
            found[name] = np.asarray(kept[name].transpose(*dims).values, dtype=np.float64)
    return found


def thinning(sizes: Mapping[Hashable, int], most: int) -> int:
    """Return the stride that leaves at most `most` draws over all chains, at least 1."""
    return max(1, -(-sizes["chain"] * sizes["draw"] // most))


def coordinates(fit: ScoreFit) -> dict[str, tuple[str, list[str]]]:
    """Return the coordinates of cells and variants: ``judge`` and ``domain``, ``cue`` and ``polarity``."""
    cells, variants = fit.rows.cells, fit.rows.variants
    return {
        "judge": ("cell", [c.judge for c in cells]),
        "domain": ("cell", [c.domain for c in cells]),
        "cue": ("variant", [v.cue for v in variants]),
        "polarity": ("variant", [v.polarity for v in variants]),
    }


def labelled(values: Array, fit: ScoreFit, last: str, labels: NDArray[np.generic] | None = None) -> xr.DataArray:
    """Return an array with dims (chain, draw, cell, variant, `last`) and its coordinates."""
    coords = {name: (dim, labels_) for name, (dim, labels_) in coordinates(fit).items()}
    found = xr.DataArray(values, dims=("chain", "draw", "cell", "variant", last), coords=coords)
    return found if labels is None else found.assign_coords({last: labels})
