"""NUTS fit: what both NUTS engines return, from the draws and statistics of the runs that a stage took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgestats.draws.fit import StageFit
from judgestats.draws.gate import GateRow
from judgestats.inference.nuts_gate import nuts_gate
from judgestats.inference.stage_notes import stage_notes
from judgestats.inference.stage_posterior import join_stats, sample_stats, stage_posterior
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import StageCounts


def nuts_fit(
    engine: str,
    why: str,
    stage: StageSpec,
    counts: StageCounts,
    values: Mapping[str, ArrayLike],
    stats: Sequence[Mapping[str, NDArray[Any]]],
    seconds: float,
    gate: tuple[GateRow, ...] = (),
) -> StageFit:
    """Return the fit of a stage whose cells were sampled in one run or several.

    Parameters
    ----------
    engine, why : str
        Name of the engine and what it did.
    stage : StageSpec
        The resolved stage.
    counts : StageCounts
        Its counts.
    values : mapping of str to array, dims (chain, draw, ...)
        Draws of all cells by their name in the result tree.
    stats : sequence of mapping of str to ndarray, dims (chain, draw)
        Statistics of each run.
    seconds : float
        Time taken.
    gate : tuple of GateRow
        Rows of the engine's own, after those of `nuts_gate`.

    Returns
    -------
    StageFit
        With the gate and the notes of the stage.

    Raises
    ------
    SamplingError
        If a draw is not finite.
    """
    posterior = stage_posterior(stage, counts, values)
    diagnostics = sample_stats(join_stats([dict(run) for run in stats]))
    energies = [np.asarray(run["energy"], dtype=np.float64) for run in stats]
    return StageFit(
        stage=stage.name,
        engine=engine,
        why=why,
        counts=counts,
        posterior=posterior,
        sample_stats=diagnostics,
        gate=(*nuts_gate(stage.name, posterior, diagnostics, energies), *gate),
        seconds=seconds,
        notes=stage_notes(stage, counts),
    )
