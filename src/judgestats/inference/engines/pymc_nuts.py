"""PyMC engine: NUTS by nutpie on the full model, every item and cluster effect a parameter."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.fit import StageFit
from judgestats.errors import SamplingError
from judgestats.inference.contract import EngineSettings
from judgestats.inference.full_model import StagePart, build_joint, build_stage, level_draws
from judgestats.inference.nuts_gate import nuts_gate
from judgestats.inference.stage_notes import stage_notes
from judgestats.inference.stage_posterior import sample_stats, stage_posterior
from judgestats.spec.model import ModelSpec, StageSpec
from judgestats.trials.counts import StageCounts

Draws = dict[str, NDArray[np.float64]]

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
        refused = self.refusal(stage, counts)
        if refused:
            raise SamplingError(f"engine 'pymc' cannot serve stage {stage.name!r}: {refused}")
        start = time.perf_counter()
        part = StagePart.of(stage, counts)
        draws, stats = _sample(build_stage(part), f"{stage.name}/pymc", f"{stage.name}: NUTS (pymc)", settings)
        why = "NUTS on the full model, every effect a parameter"
        return _stage_fit(part, draws, stats, why, time.perf_counter() - start)

    def fit_joint(
        self,
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
            If the model has no active correlation, the stages differ in their cells, items are shared, or sampling
            fails.
        """
        _check_joint(model, counts, fixed_correlation)
        start = time.perf_counter()
        parts = {s.name: StagePart.of(s, counts[s.name], f"{s.name}_") for s in model.stages}
        correlation = model.correlations[0]
        built = build_joint(parts, correlation.name, correlation.prior, fixed_correlation)
        draws, stats = _sample(built, "joint/pymc", "both stages: NUTS (pymc)", settings)
        why = "NUTS on both stages at once, because item effects may correlate across them"
        seconds = time.perf_counter() - start
        return {name: _stage_fit(part, draws, stats, why, seconds) for name, part in parts.items()}


def _check_joint(model: ModelSpec, counts: Mapping[str, StageCounts], fixed: float | None) -> None:
    if not model.correlations:
        raise SamplingError(
            f"model {model.name!r} has no active correlation over stages",
            remedy="set the option correlated_stages, or fit the stages apart",
        )
    if counts["validity"].cells != counts["shift"].cells:
        raise SamplingError("the stages of a joint fit must have the same cells")
    if any(t.factors == ("domain",) for s in model.stages for t in s.terms):
        raise SamplingError(
            "correlated stages with items shared by the judges are not offered",
            allowed="correlated_stages with items = 'separate'",
            remedy="choose one of the two options",
        )
    if fixed is not None and not -1 < fixed < 1:
        raise SamplingError(f"a fixed correlation must lie in (-1, 1), got {fixed}")


def _stage_fit(
    part: StagePart, draws: Mapping[str, NDArray[Any]], stats: Mapping[str, NDArray[Any]], why: str, seconds: float
) -> StageFit:
    posterior = stage_posterior(part.stage, part.counts, level_draws(part, draws))
    diagnostics = sample_stats(stats)
    return StageFit(
        stage=part.stage.name,
        engine=PymcEngine.name,
        why=why,
        counts=part.counts,
        posterior=posterior,
        sample_stats=diagnostics,
        gate=nuts_gate(part.stage.name, posterior, diagnostics),
        seconds=seconds,
        notes=stage_notes(part.stage, part.counts),
    )


def _sample(
    model: Any, stream: str, label: str, settings: EngineSettings
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    import nutpie

    total = settings.chains * (settings.warmup + settings.draws)

    def report(chains: Any) -> None:
        if settings.progress:
            settings.progress(label, sum(c.finished_draws for c in chains), total)

    if settings.progress:
        settings.progress(label, 0, total)
    compiled = nutpie.compile_pymc_model(model, backend="numba")
    try:
        tree = nutpie.sample(
            compiled,
            draws=settings.draws,
            tune=settings.warmup,
            chains=settings.chains,
            seed=settings.seed.integer(stream),
            target_accept=settings.target_accept,
            save_warmup=False,
            progress_bar=False,
            progress_callback=report,
        )
    except RuntimeError as error:
        raise SamplingError(f"NUTS could not sample: {error}", remedy="check the priors and the data") from error
    if settings.progress:
        settings.progress(label, total, total)
    posterior, raw = tree["posterior"].dataset, tree["sample_stats"].dataset
    draws = {str(name): np.asarray(posterior[name].values) for name in posterior.data_vars}
    return draws, {ours: np.asarray(raw[theirs].values) for theirs, ours in STATS.items()}
