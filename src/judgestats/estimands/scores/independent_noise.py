"""Independent noise: paired quantities of an ordinal model, in which two answers to one item share its effect only.

A judge that decodes greedily repeats its answers, and independent noise invents differences for it: these quantities are
a labelled version beside those of the paired model, never instead of them.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from judgestats.draws.score_fit import ScoreFit
from judgestats.estimands.scores.levels import item_levels
from judgestats.estimands.scores.posterior_draws import MOST_DRAWS, Array, coordinates, parameters


def independent_noise(fit: ScoreFit, points: Array, *, most: int = MOST_DRAWS) -> xr.Dataset:
    """Return drop_1, drop_2 and Cohen's dz of a pair, and the sd of repeated answers, under an ordinal model.

    Given the item effect u the scores of base and variant are independent: P(difference <= -d) =
    E_u[sum over k of P(base = x_k | u) P(variant <= x_k - d | u)]; Var(difference) = E_u[Var(variant | u) + Var(base | u)] +
    Var_u(E(variant | u) - E(base | u)); instability = sqrt(E_u[Var(score | u)]).

    Parameters
    ----------
    fit : ScoreFit
        Stage ``shift`` of family ``cumulative_logit``.
    points : ndarray, dims (level,)
        Scores of the levels, ascending and evenly spaced.
    most : int
        Most draws.

    Returns
    -------
    xarray.Dataset, dims (chain, draw, cell, variant)
        ``drop_1`` and ``drop_2`` (probabilities), ``cohens_dz`` (sd units; NaN where a cell has no spread) and
        ``instability`` (score points). NaN where a cell has no valid trial of a variant.
    """
    theta = parameters(fit, most)
    chains, draws, cells, variants = theta["effect"].shape
    names = ("drop_1", "drop_2", "cohens_dz", "instability")
    found = {name: np.full((cells, variants, chains * draws), np.nan) for name in names}
    steps = {f"drop_{by}": int(np.ceil(by / (points[1] - points[0]) - 1e-9)) for by in (1, 2)}
    for cell in range(cells):
        base = mean = spread = None
        for block in item_levels(theta, cell, "marginal"):
            p, w, at = block.probability, block.weight, (cell, block.variant, block.draws)
            own_mean = p @ points
            own_spread = np.maximum(p @ points**2 - own_mean**2, 0.0)
            found["instability"][at] = np.sqrt(own_spread @ w)
            if block.variant == 0:
                base, mean, spread = p, own_mean, own_spread
                continue
            if base is None or mean is None or spread is None:
                continue
            below = np.cumsum(p, axis=2)
            for name, step in steps.items():
                found[name][at] = np.einsum("q,dql,dql->d", w, base[..., step:], below[..., :-step], optimize=False)
            shift = own_mean - mean
            average = shift @ w
            sd = np.sqrt((own_spread + spread) @ w + (shift - average[:, None]) ** 2 @ w)
            found["cohens_dz"][at] = np.divide(average, sd, out=np.full_like(sd, np.nan), where=sd > 0)
    dims = ("chain", "draw", "cell", "variant")
    shaped = {
        k: (dims, np.moveaxis(v.reshape(cells, variants, chains, draws), (0, 1), (2, 3))) for k, v in found.items()
    }
    return xr.Dataset(shaped, coords=coordinates(fit))
