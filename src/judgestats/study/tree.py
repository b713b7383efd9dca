"""Tree: the result tree of a run, built from its fits and rows and written as ``draws.nc``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from judgestats.checks.log_prior import log_prior
from judgestats.checks.posterior_predictive import posterior_predictive_counts
from judgestats.checks.prior_draws import prior_draws
from judgestats.checks.prior_predictive import PRIOR_DRAWS, prior_predictive_counts
from judgestats.draws.fit import StageFit
from judgestats.draws.store import save_tree
from judgestats.draws.tree import build_tree
from judgestats.seeds import Seed
from judgestats.study.likelihoods import Likelihoods
from judgestats.study.setup import Setup


def write_tree(
    setup: Setup,
    fits: Mapping[str, StageFit],
    likelihoods: Likelihoods,
    tables: Mapping[str, Sequence[Any]],
    provenance: Mapping[str, Any],
    path: Path,
) -> Path:
    """Write the result tree of a run under a temporary name and rename it.

    Parameters
    ----------
    setup : Setup
        Trials and model.
    fits : mapping of str to StageFit
        Fits by stage.
    likelihoods : Likelihoods
        Log-likelihoods by item.
    tables : mapping of str to sequence
        ``estimands``, ``falsification``, ``sensitivity``.
    provenance : mapping
        What the tree says about itself.
    path : Path
        File to write.
    """
    groups = {stage: stage_groups(setup, fit, likelihoods) for stage, fit in fits.items()}
    return save_tree(build_tree(fits, groups=groups, tables=tables, provenance=provenance), path)


def stage_groups(setup: Setup, fit: StageFit, likelihoods: Likelihoods) -> dict[str, xr.Dataset]:
    """Return the groups of one stage that are not in its fit: prior, predictive, log-likelihood and log prior."""
    stage, seed = setup.model.stage(fit.stage), Seed(setup.analysis.seed)
    return {
        "prior": prior_draws(stage, fit.counts.cells, PRIOR_DRAWS, seed),
        "prior_predictive": _named(prior_predictive_counts(stage, fit.counts, seed)),
        "posterior_predictive": _named(posterior_predictive_counts(stage, fit, seed)),
        "log_likelihood": likelihoods.of(fit.stage).rename(stage.response).to_dataset(),
        "log_prior": log_prior(stage, fit.posterior),
    }


def _named(counts: xr.DataArray) -> xr.Dataset:
    return counts.rename("successes").to_dataset()
