"""Both NUTS engines beside the exact one on twenty simulated cells: errors as large and as often as chance makes them."""

from __future__ import annotations

import numpy as np
import pytest
from association_counts import stage
from nuts_tables import chance_of_exceeding, counts_of, simulate
from scipy import stats

from judgestats.draws import arviz
from judgestats.draws.fit import StageFit
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import ExactEngine
from judgestats.inference.engines.numpyro_nuts import NumpyroEngine
from judgestats.inference.engines.pymc_nuts import PymcEngine
from judgestats.inference.quadrature import logistic_normal_mean
from judgestats.seeds import Seed

pytestmark = pytest.mark.sampling
CELLS = 20
NAMES = ("alpha", "beta", "sigma_item")


@pytest.fixture(scope="module")
def counts():
    # Truths from the middle of the scale to the ceiling; 40 items with one trial in each block.
    rng = np.random.default_rng(2026)
    truths = [(a, b, s, 0.0) for a, b, s in zip(*rng.uniform((-1, -1, 0.2), (3, 1, 1.5), (CELLS, 3)).T, strict=True)]
    judges = [f"judge/{i:02d}" for i in range(CELLS)]
    cells, rows = simulate(rng, truths, items=40, names=(judges, ("d",)))
    return counts_of(cells, rows, clusters=False)


@pytest.fixture(scope="module")
def reference(counts):
    return ExactEngine().fit(stage(), counts, EngineSettings(Seed(1)))


def quantities(fit: StageFit) -> np.ndarray:
    """Return draws of the parameters and the marginal Delta P, dims (chain, draw, quantity, cell)."""
    alpha, beta, sigma = (fit.posterior[name].values for name in NAMES)
    delta = logistic_normal_mean(alpha + beta / 2, sigma) - logistic_normal_mean(alpha - beta / 2, sigma)
    return np.stack([alpha, beta, sigma, delta], axis=2)


@pytest.mark.parametrize("engine", [NumpyroEngine, PymcEngine])
def test_errors_are_those_of_chance(engine, counts, reference):
    ours = quantities(engine().fit(stage(), counts, EngineSettings(Seed(4), chains=4, warmup=500, draws=1000)))
    z = (ours.mean((0, 1)) - quantities(reference).mean((0, 1))) / arviz.mcse_mean(ours)
    # Within 3 errors, comparison by comparison: of 80 the number beyond is binomial with .0027, .2 on average.
    beyond = int((np.abs(z) > 3).sum())
    assert chance_of_exceeding(beyond, z.size) > 0.001, z
    # A bias too small for any single comparison shows in their mean and in their squares. The four quantities of a cell
    # hang together, so 20 cells count as independent, not 80 numbers: each quantity is tested over its cells.
    for of_cells in z:
        assert abs(of_cells.mean()) < stats.norm.isf(0.0005) / np.sqrt(CELLS)
        assert stats.chi2.sf((of_cells**2).sum(), CELLS) > 0.001
        assert stats.chi2.cdf((of_cells**2).sum(), CELLS) > 0.001
