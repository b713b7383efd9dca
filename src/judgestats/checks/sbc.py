"""Simulation-based calibration: truths from the prior, data from the truths, ranks of the truths in their posteriors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.special import expit

from judgestats.checks.ecdf_band import ecdf_band
from judgestats.checks.item_likelihood import item_log_likelihood
from judgestats.draws.fit import StageFit
from judgestats.inference.choose import fit_stage
from judgestats.inference.contract import EngineSettings
from judgestats.inference.coordinates import cell_coordinates
from judgestats.inference.quadrature import logistic_normal_mean
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]
_CELL = Cell("simulated", "calibration")
QUANTITIES = ("delta_p", "alpha", "beta", "sigma_item", "log_likelihood")
_LIKELIHOOD_DRAWS = 200


@dataclass(frozen=True)
class SbcResult:
    """Ranks and coverage over simulated data sets.

    Parameters
    ----------
    ranks : dict of str to ndarray, dims (dataset,)
        Share of posterior draws below the truth, ties broken at random; uniform on (0, 1) when the posterior is right.
    covered : dict of str to ndarray of bool, dims (dataset,)
        Whether the equal-tailed 95 % interval held the truth.
    separated : int
        Data sets in which a block was constant.
    band_excess : dict of str to float
        How far the ECDF of the ranks leaves the simultaneous 95 % band; at most 0 when it stays inside.
    """

    ranks: dict[str, Array]
    covered: dict[str, NDArray[np.bool_]]
    separated: int
    band_excess: dict[str, float]

    def coverage(self, quantity: str) -> float:
        """Return the share of data sets whose interval held the truth."""
        return float(np.mean(self.covered[quantity]))


Fit = Callable[[StageSpec, StageCounts, EngineSettings], StageFit]


def fit_exactly(stage: StageSpec, counts: StageCounts, settings: EngineSettings) -> StageFit:
    """Fit with the exact engine; the default of `calibrate`."""
    return fit_stage(stage, counts, settings, "exact")


def calibrate(
    stage: StageSpec,
    *,
    datasets: int,
    items: int,
    seed: Seed,
    fitted: StageSpec | None = None,
    fit: Fit = fit_exactly,
    jobs: int = 1,
) -> SbcResult:
    """Run simulation-based calibration of one stage in one cell, each item once in each block.

    Parameters
    ----------
    stage : StageSpec
        The model that makes the data: priors and likelihood.
    datasets : int
        Simulated data sets.
    items : int
        Items a data set.
    seed : Seed
        Data set i uses the streams ``sbc/<i>/...`` whatever the number of jobs.
    fitted : StageSpec, optional
        The model that is fitted, `stage` itself by default; another one must fail.
    fit : callable
        The engine.
    jobs : int
        Processes.

    References
    ----------
    Talts et al. (2018), arXiv:1804.06788; Modrak et al. (2023), doi 10.1214/23-BA1404, for the log-likelihood as quantity.
    """
    model = stage if fitted is None else fitted
    results = Parallel(n_jobs=jobs)(delayed(_one)(stage, model, fit, items, seed, index) for index in range(datasets))
    band = ecdf_band(datasets, 0.95, seed.generator("sbc/band"))
    ranks = {q: np.array([r[0][q] for r in results]) for q in QUANTITIES}
    covered = {q: np.abs(ranks[q] - 0.5) <= 0.475 for q in QUANTITIES}
    return SbcResult(ranks, covered, sum(r[1] for r in results), {q: band.excess(ranks[q]) for q in QUANTITIES})


def _one(
    stage: StageSpec, model: StageSpec, fit: Fit, items: int, seed: Seed, index: int
) -> tuple[dict[str, float], bool]:
    rng = seed.generator(f"sbc/{index}/data")
    truth = {name: float(stage.term(name).prior.sample(rng, 1)[0]) for name in ("alpha", "beta", "sigma_item")}
    counts = simulate_counts(stage.name, truth, items, rng)
    settings = EngineSettings(Seed(seed.integer(f"sbc/{index}/fit")))
    result = fit(model, counts, settings)
    at_truth = replace(result, posterior=_as_posterior(truth))
    values = _quantities(model, result)
    true_values = _quantities(model, at_truth)
    ranks = {q: _rank(values[q], float(true_values[q][0]), rng) for q in QUANTITIES}
    totals = counts.totals()[0]
    return ranks, bool(np.any((totals[:, 1] == 0) | (totals[:, 1] == totals[:, 0])))


def simulate_counts(stage: str, truth: dict[str, float], items: int, rng: np.random.Generator) -> StageCounts:
    """Return one cell in which each item is asked once in each block."""
    effects = truth["sigma_item"] * rng.standard_normal(items)
    block = np.tile([0.5, -0.5], items)
    eta = truth["alpha"] + truth["beta"] * block + np.repeat(effects, 2)
    return StageCounts(
        stage=stage,
        cells=(_CELL,),
        items=(tuple(f"item {i:04d}" for i in range(items)),),
        clusters=None,
        cell=np.zeros(2 * items, dtype=np.int64),
        item=np.repeat(np.arange(items), 2),
        cluster=None,
        block=block,
        trials=np.ones(2 * items, dtype=np.int64),
        successes=(rng.uniform(size=2 * items) < expit(eta)).astype(np.int64),
    )


def _as_posterior(truth: dict[str, float]) -> xr.Dataset:
    variables = {name: (("chain", "draw", "cell"), np.full((1, 1, 1), value)) for name, value in truth.items()}
    return xr.Dataset(variables, coords={"chain": [0], "draw": [0], **cell_coordinates((_CELL,))})


def _quantities(model: StageSpec, fit: StageFit) -> dict[str, Array]:
    p = {name: fit.posterior[name].values.ravel() for name in ("alpha", "beta", "sigma_item")}
    congruent = logistic_normal_mean(p["alpha"] + p["beta"] / 2, p["sigma_item"])
    incongruent = logistic_normal_mean(p["alpha"] - p["beta"] / 2, p["sigma_item"])
    by_item = item_log_likelihood(model, fit, max_draws=_LIKELIHOOD_DRAWS)
    return {**p, "delta_p": congruent - incongruent, "log_likelihood": by_item.sum("item").values.ravel()}


def _rank(draws: Array, truth: float, rng: np.random.Generator) -> float:
    """Return the rank of the truth among the draws as a share of (0, 1), ties and the place inside a gap at random."""
    below, ties = int(np.sum(draws < truth)), int(np.sum(draws == truth))
    return float((below + rng.integers(0, ties + 1) + rng.uniform()) / (draws.size + 1))
