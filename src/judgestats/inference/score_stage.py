"""Score stage: the posterior of one stage of a score model, from its rows."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgestats.draws.gate import GateRow
from judgestats.draws.score_fit import ScoreFit
from judgestats.errors import ConfigError
from judgestats.inference.contract import EngineSettings
from judgestats.inference.score_block import ScoreBlock, score_blocks
from judgestats.inference.score_gate import score_gate
from judgestats.inference.score_nodes import NODE_ERROR, NODES, block_node_error, nodes_needed, score_node_row
from judgestats.inference.score_notes import score_notes
from judgestats.inference.score_posterior import ScoreDraws, score_posterior, score_stats
from judgestats.inference.score_sampler import Mode, find_mode, sample_cells
from judgestats.spec.model import StageSpec
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.table import Score

ENGINE = "numpyro"
WHY = "score models are sampled by NUTS on the likelihood with the item effects integrated out"
FAMILIES = ("bernoulli_logit", "cumulative_logit", "rounded_t")
BATCH = 16  # most posteriors in one program
LANE_WORK = 400_000  # numbers of one density (patterns x columns x nodes) from which on a cell runs alone


@dataclass(frozen=True)
class _Job:
    block: ScoreBlock
    mode: Mode
    nodes: int


def fit_score_stage(
    stage: StageSpec, rows: ScoreRows, settings: EngineSettings, *, scale: Score | None = None
) -> ScoreFit:
    """Fit one stage of a score model.

    Rows of items with equal answers collapse to patterns with counts and the item effect of every item is integrated out
    by the trapezium rule, so a cell has a few dozen parameters whatever the number of items. Newton's method finds the mode; its
    curvature makes the posterior round; NUTS (NumPyro, float64) samples it. Cells are apart unless the stage has active
    terms that pool them. Cells of one shape share a compiled program and run side by side.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage; pooled where it has active terms of group ``judge``, ``domain`` or ``cell``.
    rows : ScoreRows
        Its rows.
    settings : EngineSettings
        Seed, chains, draws, target acceptance; of the warm-up at most 300 draws are used, since mode and curvature give
        the metric. Streams are ``<stage>/numpyro/<cell>``.
    scale : Score, optional
        The declared scale; only checked against the number of outcomes.

    Returns
    -------
    ScoreFit
        Posterior, gate and notes. A cell without rows holds NaN, and so does the effect of a variant without rows.

    Raises
    ------
    ConfigError
        If the family is none of a score model, or rows and scale disagree.
    SamplingError
        If a posterior has no mode or a draw is not finite.

    References
    ----------
    Hoffman & Gelman (2014), arXiv:1111.4246; Phan, Pradhan & Jankowiak (2019), arXiv:1912.11554; Buerkner & Vuorre
    (2019), doi 10.1177/2515245918823199.
    """
    _check(stage, rows, scale)
    start = time.perf_counter()
    blocks = score_blocks(stage, rows)
    jobs = [_prepare(block) for block in settings.steps(f"{stage.name}: mode", blocks)]
    draws, errors = _sample(jobs, settings, stage.name)
    size = (settings.chains, settings.draws)
    posterior = score_posterior(stage, rows, draws, size)
    return ScoreFit(
        stage=stage.name,
        family=stage.family,
        engine=ENGINE,
        why=WHY,
        rows=rows,
        posterior=posterior,
        sample_stats=score_stats(rows, draws, size),
        gate=(*score_gate(stage.name, posterior, draws), *errors),
        seconds=time.perf_counter() - start,
        notes=score_notes(stage, rows),
    )


def _check(stage: StageSpec, rows: ScoreRows, scale: Score | None) -> None:
    if stage.family not in FAMILIES:
        raise ConfigError(
            f"stage {stage.name!r} has family {stage.family!r}, which no score model has", allowed=", ".join(FAMILIES)
        )
    if scale is not None and stage.family != "bernoulli_logit" and rows.outcomes != len(scale.levels):
        raise ConfigError(
            f"stage {stage.name!r} has rows of {rows.outcomes} levels on a scale of {len(scale.levels)}",
            remedy="make the rows from the table that declares the scale",
        )
    if stage.family == "rounded_t" and rows.base is None:
        raise ConfigError(f"stage {stage.name!r} needs paired rows, with the base score of every pair")


def _prepare(block: ScoreBlock) -> _Job:
    first = NODES[2] if block.shape.items else 1
    mode = find_mode(block.shape, first, block.data, block.start)
    return _Job(block, mode, nodes_needed(block, mode) if block.shape.items else 1)


def _sample(jobs: Sequence[_Job], settings: EngineSettings, stage: str) -> tuple[list[ScoreDraws], list[GateRow]]:
    groups: dict[tuple[Any, int, tuple[int, ...]], list[_Job]] = defaultdict(list)
    for job in jobs:
        groups[job.block.shape, job.nodes, job.block.widths].append(job)
    chunks = [
        group[i : i + size]
        for (_, nodes, _), group in groups.items()
        for size in (_batch(group[0].block, nodes, len(group)),)
        for i in range(0, len(group), size)
    ]
    draws, rows = [], []
    for chunk in settings.steps(f"{stage}: NUTS (numpyro)", chunks):
        for made, error in _sample_chunk(chunk, settings, stage):
            draws.append(made)
            rows.append(error)
    return draws, rows


def _sample_chunk(chunk: Sequence[_Job], settings: EngineSettings, stage: str) -> list[tuple[ScoreDraws, GateRow]]:
    made = _run(chunk, chunk[0].nodes, settings, stage)
    out = []
    for job, (values, stats) in zip(chunk, made, strict=True):
        nodes = job.nodes
        error = block_node_error(job.block, values, nodes)
        while error >= NODE_ERROR and nodes < NODES[-1] and job.block.shape.items:
            nodes = NODES[NODES.index(nodes) + 1]
            values, stats = _run([job], nodes, settings, stage)[0]
            error = block_node_error(job.block, values, nodes)
        out.append((ScoreDraws(job.block, values, stats), score_node_row(stage, job.block, error)))
    return out


def _run(
    jobs: Sequence[_Job], nodes: int, settings: EngineSettings, stage: str
) -> list[tuple[dict[str, NDArray[np.float64]], dict[str, NDArray[Any]]]]:
    # A short chunk is filled up with copies, so that every chunk of a group has one compiled program.
    size = _batch(jobs[0].block, nodes, len(jobs)) if len(jobs) > 1 else 1
    filled = [*jobs, *[jobs[-1]] * (size - len(jobs))]
    values, stats = sample_cells(
        jobs[0].block.shape,
        nodes,
        [job.block.data for job in filled],
        [job.mode for job in filled],
        [f"{stage}/{ENGINE}/{job.block.stream}" for job in filled],
        settings,
    )
    return list(zip(values, stats, strict=True))[: len(jobs)]


def _batch(block: ScoreBlock, nodes: int, wanted: int) -> int:
    """Return how many posteriors of a shape run side by side: a power of two."""
    most = max(1, min(BATCH, LANE_WORK // max(1, block.work * nodes)))
    size = 1
    while size < wanted and 2 * size <= most:
        size *= 2
    return size
