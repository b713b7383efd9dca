"""Compiled densities: the numbers nutpie gets are those of the PyMC model, whatever the data and wherever the code comes from."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from judgestats.inference.compiled_density import compile_density

REAL = ctypes.POINTER(ctypes.c_double)


def called(compiled, point):
    """Return code, log density, gradient and parameters as nutpie gets them: through pointers."""
    gradient, value, out = np.zeros(compiled.n_dim), np.zeros(1), np.zeros(compiled.n_expanded)
    at, slope, total, spread, data = (
        a.ctypes.data_as(REAL) for a in (np.ascontiguousarray(point), gradient, value, out, compiled.user_data)
    )
    code = compiled.compiled_logp_func.ctypes(compiled.n_dim, at, slope, total, data)
    assert compiled.compiled_expand_func.ctypes(compiled.n_dim, compiled.n_expanded, at, spread, data) == 0
    return code, value[0], gradient, out


@pytest.fixture(scope="module")
def compiled():
    import pymc as pm

    # y ~ N(x[group] + shift, sigma), x ~ N(mean, sd), sigma ~ half-normal(1), three groups.
    with pm.Model() as model:
        mean, sd, shift = pm.Data("mean", 0.0), pm.Data("sd", 1.0), pm.Data("shift", 0.0)
        group, y = pm.Data("group", np.array([0, 1, 2])), pm.Data("y", np.zeros(3))
        x = pm.Normal("x", mean, sd, shape=3)
        sigma = pm.HalfNormal("sigma", 1.0)
        pm.Potential("fit", pm.logp(pm.Normal.dist(x[group] + shift, sigma), y).sum())
        pm.Deterministic("twice", 2.0 * x)
    return compile_density(model)


DATA = {
    "mean": np.array(0.7),
    "sd": np.array(2.0),
    "shift": np.array(-1.5),
    "group": np.array([2, 0, 0, 1, 2, 2, 1]),
    "y": np.array([0.3, -1.0, 2.0, 0.1, 4.0, -2.5, 0.0]),
}


def log_density(point, data):
    # The point is (x, log sigma); the Jacobian of sigma = exp(s) adds s.
    x, s = point[:3], point[3]
    sigma = np.exp(s)
    prior = stats.norm.logpdf(x, data["mean"], data["sd"]).sum() + stats.halfnorm.logpdf(sigma) + s
    return prior + stats.norm.logpdf(data["y"], x[data["group"]] + data["shift"], sigma).sum()


@pytest.mark.parametrize("length", [7, 4, 0])
def test_data_of_any_length_give_the_density_by_hand(compiled, length):
    data = {name: a if a.ndim == 0 else a[:length] for name, a in DATA.items()}
    ready = compiled.with_data(data)
    for point in np.random.default_rng(3).normal(size=(4, 4)):
        code, value, gradient, out = called(ready, point)
        assert code == 0
        assert value == pytest.approx(log_density(point, data), rel=1e-12)
        step = 1e-5 * np.eye(4)
        # Central differences err by h^2 times a third derivative and by rounding over h: both below 1e-7 here.
        slopes = [(log_density(point + h, data) - log_density(point - h, data)) / 2e-5 for h in step]
        assert gradient == pytest.approx(np.array(slopes), abs=1e-6, rel=1e-6)
        assert out == pytest.approx(np.concatenate([point[:3], [np.exp(point[3])], 2 * point[:3]]), rel=1e-14)


def test_what_is_not_finite_is_said_and_fits_do_not_share_data(compiled):
    one, two = compiled.with_data(DATA), compiled.with_data({**DATA, "shift": np.array(np.inf)})
    assert called(two, np.zeros(4))[0] == 4
    assert called(one, np.zeros(4))[0] == 0


def test_start_depends_on_the_seed_alone(compiled):
    one, two = compiled.with_data(DATA), compiled.with_data({**DATA, "mean": np.array(50.0)})
    assert np.array_equal(one.initial_point_func(8), two.initial_point_func(8))
    assert not np.array_equal(one.initial_point_func(8), one.initial_point_func(9))


def test_a_shape_that_hangs_on_the_data_is_refused():
    import pymc as pm

    with pm.Model() as model:
        index = pm.Data("index", np.array([0, 1]))
        x = pm.Normal("x", 0.0, 1.0, shape=2)
        pm.Deterministic("picked", x[index])
    with pytest.raises(ValueError, match="'picked' has the shape"):
        compile_density(model)


SCRIPT = """
import hashlib
import numpy as np
from association_counts import stage, table
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.pymc_nuts import PymcEngine
from judgestats.seeds import Seed

counts = table([(1, 1, 1, 1)] * 60 + [(1, 1, 1, 0)] * 12 + [(1, 0, 1, 1)] * 4)
fit = PymcEngine().fit(stage(), counts, EngineSettings(Seed(3), chains=2, warmup=200, draws=200))
print(hashlib.sha256(fit.posterior["item_effect"].values.tobytes()).hexdigest())
"""


@pytest.mark.sampling
def test_code_from_disk_gives_the_draws_of_code_just_compiled(tmp_path):
    environment = os.environ | {
        "PYTENSOR_FLAGS": f"base_compiledir={tmp_path}",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    first, second = (
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    )
    assert len(first.strip()) == 64
    assert first == second
