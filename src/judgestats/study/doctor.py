"""Doctor: what is installed here, and whether a small fit gives a number that was frozen."""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgestats import provenance
from judgestats.errors import JudgestatsError
from judgestats.study.codec import encode

# 79 of 80 congruent and 73 of 80 incongruent answers consistent, on different items; default priors.
# Frozen from adaptive quadrature in tests/study/test_doctor.py, which does not use the engine.
SELF_CHECK_DELTA_P = 0.060792
SELF_CHECK_TOLERANCE = 1e-3

_ENGINES = {"exact": "jax", "numpyro": "numpyro", "pymc": "pymc", "laplace": "jax"}
_EXTRAS = {"activations": "torch", "api": "inspect_ai", "cluster": "dask"}


@dataclass(frozen=True)
class Examination:
    """What the doctor found.

    Parameters
    ----------
    versions : dict of str to str
        Python and packages.
    machine : dict
        Kind, cores and memory.
    engines, extras : dict of str to bool
        Whether each can run here.
    devices : tuple of str
        JAX devices.
    delta_p, expected, tolerance : float or None, float, float
        Posterior mean of the self-check, the frozen value and how far apart they may be.
    seconds : float
        Time of the self-check, compilation included.
    problem : str
        Why the self-check failed, empty when it passed.
    """

    versions: dict[str, str]
    machine: dict[str, Any]
    engines: dict[str, bool]
    extras: dict[str, bool]
    devices: tuple[str, ...]
    delta_p: float | None
    expected: float
    tolerance: float
    seconds: float
    problem: str

    @property
    def healthy(self) -> bool:
        """Whether the self-check passed."""
        return not self.problem

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as plain values."""
        return {"schema": "judgestats/doctor/1", "healthy": self.healthy, **encode(self)}

    def lines(self) -> list[str]:
        """Return the findings as text."""
        out = [f"{name} {version}" for name, version in self.versions.items()]
        out += [f"machine: {', '.join(f'{key} {value}' for key, value in self.machine.items())}"]
        out += [f"engine {name}: {_there(found)}" for name, found in self.engines.items()]
        out += [f"extra [{name}]: {_there(found)}" for name, found in self.extras.items()]
        out += [f"JAX devices: {', '.join(self.devices) or 'none'}"]
        got = "none" if self.delta_p is None else f"{self.delta_p:.5f}"
        verdict = "passed" if self.healthy else f"FAILED: {self.problem}"
        out += [f"self-check: Delta P {got}, expected {self.expected:.5f} ({self.seconds:.1f} s): {verdict}"]
        return out


def examine() -> Examination:
    """Look at versions, engines and devices, and fit one small cell with the exact engine."""
    started = time.perf_counter()
    delta_p, problem = None, ""
    try:
        delta_p = self_check()
        if abs(delta_p - SELF_CHECK_DELTA_P) > SELF_CHECK_TOLERANCE:
            problem = "the number differs from the frozen one"
    except (JudgestatsError, ImportError, RuntimeError, ValueError) as error:
        problem = f"{type(error).__name__}: {error}"
    return Examination(
        versions=provenance.versions(),
        machine=provenance.machine(),
        engines={name: importlib.util.find_spec(module) is not None for name, module in _ENGINES.items()},
        extras={name: importlib.util.find_spec(module) is not None for name, module in _EXTRAS.items()},
        devices=_devices(),
        delta_p=delta_p,
        expected=SELF_CHECK_DELTA_P,
        tolerance=SELF_CHECK_TOLERANCE,
        seconds=time.perf_counter() - started,
        problem=problem,
    )


def self_check() -> float:
    """Return the posterior mean of the marginal Delta P of the frozen table, from the exact engine."""
    from judgestats.estimands.probabilities import marginal
    from judgestats.inference.choose import fit_stage
    from judgestats.inference.contract import EngineSettings
    from judgestats.seeds import Seed
    from judgestats.spec.catalog import load_model
    from judgestats.spec.model import ModelOptions

    model = load_model("two_stage_association", ModelOptions(), ())
    fit = fit_stage(model.stage("shift"), self_check_counts(), EngineSettings(Seed(1), draws=10), "exact")
    lines = next(iter(fit.lines.values()))
    blocks = marginal(lines.broadcast())
    return float(np.sum(lines.mass * (blocks.congruent - blocks.incongruent)))


def self_check_counts() -> Any:
    """Return the frozen table: 80 items, one trial a block; item 0 errs when congruent, items 1 to 7 when not."""
    from judgestats.trials.cell import Cell
    from judgestats.trials.counts import StageCounts

    items = np.repeat(np.arange(80), 2)
    block = np.tile([-0.5, 0.5], 80)
    wrong = ((items == 0) & (block > 0)) | ((items >= 1) & (items <= 7) & (block < 0))
    return StageCounts(
        stage="shift",
        cells=(Cell("self-check", "frozen"),),
        items=(tuple(f"{i:02d}" for i in range(80)),),
        clusters=None,
        cell=np.zeros(160, dtype=np.int64),
        item=items,
        cluster=None,
        block=block,
        trials=np.ones(160, dtype=np.int64),
        successes=(~wrong).astype(np.int64),
    )


def _devices() -> tuple[str, ...]:
    try:
        import jax
    except ImportError:
        return ()
    return tuple(f"{device.platform}:{device.id}" for device in jax.devices())


def _there(found: bool) -> str:
    return "here" if found else "not installed"
