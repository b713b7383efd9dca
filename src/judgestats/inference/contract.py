"""The engine contract: a resolved stage and its counts in, a stage fit out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from judgestats.draws.fit import StageFit
from judgestats.errors import SamplingError
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.trials.counts import StageCounts

Progress = Callable[[str, int, int], None]
"""Called with (what is running, steps done, steps in all)."""


@dataclass(frozen=True)
class EngineSettings:
    """How an engine runs.

    Parameters
    ----------
    seed : Seed
        Root seed; engines use the streams ``<stage>/<engine>/...``.
    chains, warmup, draws : int
        NUTS settings; the exact engine stores 4 chains of `draws` stratified draws each.
    target_accept : float
        NUTS target acceptance rate.
    progress : callable, optional
        Progress callback.
    """

    seed: Seed
    chains: int = 4
    warmup: int = 1000
    draws: int = 1000
    target_accept: float = 0.9
    progress: Progress | None = None

    def steps[T](self, label: str, parts: Sequence[T]) -> Iterator[T]:
        """Return the parts one by one, and report before each and after the last how many are done."""
        for done, part in enumerate(parts):
            if self.progress:
                self.progress(label, done, len(parts))
            yield part
        if self.progress:
            self.progress(label, len(parts), len(parts))


class Engine(Protocol):
    """What every engine offers."""

    name: str

    def refusal(self, stage: StageSpec, counts: StageCounts) -> str | None:
        """Return why this engine cannot serve the stage, or None when it can."""
        ...

    def fit(self, stage: StageSpec, counts: StageCounts, settings: EngineSettings) -> StageFit:
        """Fit the stage; raises SamplingError when no posterior can be produced."""
        ...


def require_served(engine: Engine, stage: StageSpec, counts: StageCounts) -> None:
    """Raise SamplingError if the engine refuses the stage: every `Engine.fit` begins with it."""
    refused = engine.refusal(stage, counts)
    if refused:
        raise SamplingError(f"engine {engine.name!r} cannot serve stage {stage.name!r}: {refused}")
