"""Choice of the engine: which one runs, and why, said before it runs."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from judgestats.draws.fit import StageFit
from judgestats.errors import ConfigError, near_match
from judgestats.inference.contract import Engine, EngineSettings
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import StageCounts

# Loaded by name so that a fit with one engine does not import the libraries of the others.
_ENGINES = {
    "exact": ("judgestats.inference.engines.exact", "ExactEngine"),
    "numpyro": ("judgestats.inference.engines.numpyro_nuts", "NumpyroEngine"),
    "pymc": ("judgestats.inference.engines.pymc_nuts", "PymcEngine"),
    "laplace": ("judgestats.inference.engines.laplace", "LaplaceEngine"),
}
_AUTO = ("exact", "numpyro", "pymc")
NESTED = (
    "with clusters its grid spans two standard deviations and not every table passes its gate, "
    "so it is offered by name only"
)
_STRENGTH = {
    "exact": "every effect but a few parameters a cell is integrated out on a grid",
    "numpyro": "one item intercept is integrated out and the rest is sampled with NUTS",
    "pymc": "the full model is sampled with NUTS",
}


def engine_names() -> tuple[str, ...]:
    """Return the names an analysis may ask for."""
    return ("auto", *_ENGINES)


def load_engine(name: str) -> Engine:
    """Return the engine called `name`.

    Raises
    ------
    ConfigError
        If there is no such engine.
    """
    if name not in _ENGINES:
        raise ConfigError(
            f"Engine {name!r} is unknown; {near_match(name, engine_names())}".rstrip("; "),
            allowed=", ".join(engine_names()),
            remedy="Set [engine] name in the analysis file.",
        )
    module, cls = _ENGINES[name]
    engine: Engine = getattr(import_module(module), cls)()
    return engine


def explain_choice(stage: StageSpec, counts: StageCounts, engine: str = "auto") -> tuple[str, str]:
    """Return the engine that would run and the reason, without running it.

    ``auto`` takes the first of exact, numpyro and pymc that serves the stage. It never takes laplace, and exact only without
    clusters: nested clusters cross-check at small sizes, by name.

    Raises
    ------
    ConfigError
        If the named engine is unknown or cannot serve the stage.
    """
    if engine != "auto":
        refusal = load_engine(engine).refusal(stage, counts)
        if refusal is not None:
            raise ConfigError(
                f"Engine {engine!r} cannot serve the {stage.name} stage: {refusal}.",
                remedy="Use engine = 'auto', or change the option that asks for it.",
            )
        return engine, "named in the analysis"
    passed: list[str] = []
    for name in _AUTO:
        refusal = load_engine(name).refusal(stage, counts)
        if refusal is None and name == "exact" and stage.has("sigma_cluster"):
            refusal = NESTED
        if refusal is None:
            skipped = "".join(f"; {p}" for p in passed)
            return name, f"{_STRENGTH[name]}{skipped}"
        passed.append(f"{name} does not serve it: {refusal}")
    raise ConfigError(f"No engine serves the {stage.name} stage: {'; '.join(passed)}.")


def fit_stage(stage: StageSpec, counts: StageCounts, settings: EngineSettings, engine: str = "auto") -> StageFit:
    """Fit a stage with the named or the chosen engine; the fit says which ran and why.

    Raises
    ------
    ConfigError
        If the engine is unknown or cannot serve the stage; nothing falls back in silence.
    SamplingError
        If no posterior could be produced.
    """
    name, why = explain_choice(stage, counts, engine)
    return replace(load_engine(name).fit(stage, counts, settings), why=why)
