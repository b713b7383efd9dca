"""Likelihoods: the log-likelihood by item of each stage, computed once for all checks of a run that need it."""

from __future__ import annotations

from collections.abc import Mapping

import xarray as xr

from judgestats.checks.item_likelihood import item_log_likelihood
from judgestats.draws.fit import StageFit
from judgestats.study.setup import Setup


class Likelihoods:
    """Log-likelihood by item with its effect integrated out, dims (chain, draw, item), natural logs.

    Parameters
    ----------
    setup : Setup
        Trials and model.
    fits : mapping of str to StageFit
        Fits by stage.
    """

    def __init__(self, setup: Setup, fits: Mapping[str, StageFit]) -> None:
        self._setup = setup
        self._fits = fits
        self._found: dict[str, xr.DataArray] = {}

    def of(self, stage: str) -> xr.DataArray:
        """Return the log-likelihood of a stage."""
        if stage not in self._found:
            self._found[stage] = item_log_likelihood(self._setup.model.stage(stage), self._fits[stage])
        return self._found[stage]
