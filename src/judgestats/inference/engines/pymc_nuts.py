"""PyMC engine: NUTS by nutpie on the full model, every item and cluster effect a parameter."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.fit import StageFit
from judgestats.errors import ConfigError, SamplingError
from judgestats.inference.compiled_density import CompiledDensity, compile_density
from judgestats.inference.contract import EngineSettings, require_served
from judgestats.inference.full_model import (
    build_joint,
    build_stage,
    common_items,
    correlation_data,
    joint_sizes,
    level_draws,
)
from judgestats.inference.nuts_fit import nuts_fit
from judgestats.inference.stage_part import StagePart, acceptance, separate_cells
from judgestats.inference.stage_posterior import join_draws
from judgestats.spec.model import ModelSpec, StageSpec
from judgestats.trials.counts import StageCounts

KEPT_MODELS = 8
_COMPILED: dict[tuple[Any, ...], CompiledDensity] = {}
compilations: list[tuple[Any, ...]] = []
"""One entry each time a model was compiled; a second fit of the same structure adds none."""

STATS = {"diverging": "diverging", "energy": "energy", "depth": "tree_depth", "mean_tree_accept": "acceptance_rate"}


class PymcEngine:
    """NUTS on the model as a reader would write it: intercepts, block effects, item and cluster effects, all explicit.

    Serves everything, crossed clusters, block slopes, shared items, partial pooling and correlated stages included.
    Cells are sampled in one vectorised model. A cell without trials keeps its place and holds the prior.

    References
    ----------
    Abril-Pla et al. (2023), doi 10.7717/peerj-cs.1516; Seyboldt, Carlson & Carpenter (2026), arXiv:2603.18845.
    """

    name = "pymc"

    def refusal(self, stage: StageSpec, counts: StageCounts) -> str | None:
        """Return why this engine cannot serve the stage, or None when it can."""
        if stage.has("sigma_cluster") and counts.clusters is None:
            return "the model has a cluster intercept and the trial table has no clusters"
        return None

    def fit(self, stage: StageSpec, counts: StageCounts, settings: EngineSettings) -> StageFit:
        """Fit one stage.

        Parameters
        ----------
        stage : StageSpec
            The resolved stage.
        counts : StageCounts
            Its counts.
        settings : EngineSettings
            Seed, chains, warm-up and draws.

        Returns
        -------
        StageFit
            Draws of every parameter, item and cluster effects included.

        Raises
        ------
        SamplingError
            If the engine does not serve the stage, sampling fails, or a draw is not finite.
        """
        require_served(self, stage, counts)
        start = time.perf_counter()
        parts = _parts(stage, counts)
        label = f"{stage.name}: NUTS (pymc)"
        accept = acceptance(stage, settings.target_accept)
        runs = []
        for done, part in enumerate(parts):
            cells = part.counts.cells
            stream = f"{stage.name}/pymc/{cells[0] if len(cells) == 1 else 'all'}"
            compiled = _compiled(part.structure(), partial(build_stage, part), part.data())
            runs.append(_sample(compiled, stream, label, settings, accept, done, len(parts)))
        values = [level_draws(part, draws) for part, (draws, _) in zip(parts, runs, strict=True)]
        return nuts_fit(
            self.name,
            "NUTS on the full model, every effect a parameter",
            stage,
            counts,
            join_draws(values),
            [stats for _, stats in runs],
            time.perf_counter() - start,
        )


def fit_joint(
    model: ModelSpec,
    counts: Mapping[str, StageCounts],
    settings: EngineSettings,
    fixed_correlation: float | None = None,
) -> dict[str, StageFit]:
    """Fit both stages at once, with item effects that may correlate across them.

    Parameters
    ----------
    model : ModelSpec
        A model resolved with ``correlated_stages``.
    counts : mapping of str to StageCounts
        Counts of ``validity`` and ``shift``, over the same cells.
    settings : EngineSettings
        Seed, chains, warm-up and draws.
    fixed_correlation : float, optional
        A value in (-1, 1) at which the correlation is held; 0 reproduces the factorised fits.

    Returns
    -------
    dict of str to StageFit
        One fit per stage from the same draws; both hold the correlation (cell).

    Raises
    ------
    SamplingError
        If the model has no active correlation, the stages differ in their cells, or sampling fails.
    ConfigError
        If items are shared by the judges.
    """
    _check_joint(model, counts, fixed_correlation)
    start = time.perf_counter()
    parts = {s.name: StagePart.of(s, counts[s.name], f"{s.name}_") for s in model.stages}
    correlation = model.correlations[0]
    accept = max(acceptance(stage, settings.target_accept) for stage in model.stages)
    first, second = parts["validity"], parts["shift"]
    data: dict[str, NDArray[Any]] = {
        **correlation_data(correlation.name, correlation.prior, fixed_correlation),
        **common_items(first, second),
    }
    for part in (first, second):
        data |= {part.prefix + name: array for name, array in part.data().items()}
    key = (correlation.name, joint_sizes(first, second), first.structure(), second.structure())
    compiled = _compiled(key, partial(build_joint, parts, correlation.name), data)
    draws, stats = _sample(compiled, "joint/pymc", "both stages: NUTS (pymc)", settings, accept)
    why = "NUTS on both stages at once, because item effects may correlate across them"
    seconds = time.perf_counter() - start
    return {
        name: nuts_fit(PymcEngine.name, why, part.stage, part.counts, level_draws(part, draws), [stats], seconds)
        for name, part in parts.items()
    }


def _parts(stage: StageSpec, counts: StageCounts) -> list[StagePart]:
    """Return what is sampled in one run: every cell apart where nothing is shared, otherwise all cells together."""
    if not separate_cells(stage):
        return [StagePart.of(stage, counts)]
    # Cells of different size share one compiled model, padded to the largest.
    sizes = {"item": _padded(max(map(len, counts.items), default=0))}
    if counts.clusters is not None:
        sizes["cluster"] = _padded(max(map(len, counts.clusters), default=0))
    return [StagePart.of(stage, counts.select(i), sizes=sizes) for i in range(len(counts.cells))]


def _padded(size: int) -> int:
    return 8 * max(1, -(-size // 8))


def _compiled(key: tuple[Any, ...], build: Callable[[], Any], data: Mapping[str, NDArray[Any]]) -> Any:
    """Return the compiled model of a structure with data in place; a structure that was met before compiles nothing."""
    if key not in _COMPILED:
        while len(_COMPILED) >= KEPT_MODELS:
            _COMPILED.pop(next(iter(_COMPILED)))
        compilations.append(key)
        _COMPILED[key] = compile_density(build())
    return _COMPILED[key].with_data(data)


def _check_joint(model: ModelSpec, counts: Mapping[str, StageCounts], fixed: float | None) -> None:
    if not model.correlations:
        raise SamplingError(
            f"model {model.name!r} has no active correlation over stages",
            remedy="set the option correlated_stages, or fit the stages apart",
        )
    if counts["validity"].cells != counts["shift"].cells:
        raise SamplingError("the stages of a joint fit must have the same cells")
    if any(t.factors == ("domain",) for s in model.stages for t in s.terms):
        raise ConfigError(
            "correlated stages with items shared by the judges are not offered",
            allowed="correlated_stages with items = 'separate'",
            remedy="choose one of the two options",
        )
    if fixed is not None and not -1 < fixed < 1:
        raise SamplingError(f"a fixed correlation must lie in (-1, 1), got {fixed}")


def _sample(
    compiled: Any, stream: str, label: str, settings: EngineSettings, accept: float, done: int = 0, runs: int = 1
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    import nutpie

    each = settings.chains * (settings.warmup + settings.draws)

    def report(chains: Any) -> None:
        if settings.progress:
            settings.progress(label, done * each + sum(c.finished_draws for c in chains), runs * each)

    if settings.progress:
        settings.progress(label, done * each, runs * each)
    try:
        tree = nutpie.sample(
            compiled,
            draws=settings.draws,
            tune=settings.warmup,
            chains=settings.chains,
            seed=settings.seed.integer(stream),
            target_accept=accept,
            save_warmup=False,
            progress_bar=False,
            progress_callback=report,
        )
    except RuntimeError as error:
        raise SamplingError(f"NUTS could not sample: {error}", remedy="check the priors and the data") from error
    if settings.progress:
        settings.progress(label, (done + 1) * each, runs * each)
    posterior, raw = tree["posterior"].dataset, tree["sample_stats"].dataset
    draws = {str(name): np.asarray(posterior[name].values) for name in posterior.data_vars}
    return draws, {ours: np.asarray(raw[theirs].values) for theirs, ours in STATS.items()}
