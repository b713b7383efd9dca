"""Posteriors: the fits of a run, made when something first asks for them and kept where sampling was needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgestats.draws.fit import StageFit
from judgestats.inference.choose import explain_choice, fit_stage
from judgestats.inference.contract import Progress
from judgestats.provenance import code_digest
from judgestats.study.fit_store import SUFFIX, read_fits, write_fits
from judgestats.study.ledger import Ledger, digest
from judgestats.study.setup import STAGES, Setup, counts_digest

JOINT_ENGINE = "pymc"


class Posteriors:
    """Fits of both stages.

    Fits on posterior lines are made again in a resumed run, which takes no longer than reading them; sampled fits are
    stored and read back.

    Parameters
    ----------
    setup : Setup
        What to fit.
    ledger : Ledger
        Where sampled fits are kept.
    progress : callable, optional
        Progress callback.
    """

    def __init__(self, setup: Setup, ledger: Ledger, progress: Progress | None = None) -> None:
        self.setup = setup
        self.ledger = ledger
        self.progress = progress
        self._fits: dict[str, StageFit] | None = None

    def engines(self) -> dict[str, tuple[str, str]]:
        """Return the engine and the reason for it by stage, without running it."""
        return engine_choice(self.setup)

    def key(self) -> dict[str, Any]:
        """Return everything that the fits depend on."""
        settings = self.setup.settings()
        return {
            "code": code_digest(),
            "model": self.setup.model.digest(),
            "counts": {stage: counts_digest(self.setup.counts[stage]) for stage in STAGES},
            "engines": {stage: name for stage, (name, _) in self.engines().items()},
            "settings": [settings.chains, settings.warmup, settings.draws, settings.target_accept],
            "seed": self.setup.analysis.seed,
        }

    def fits(self) -> Mapping[str, StageFit]:
        """Return the fits by stage, fitting or reading what is not at hand."""
        if self._fits is None:
            self._fits = self._joint() if self.setup.model.options.correlated_stages else self._apart()
        return self._fits

    def stored(self) -> tuple[str, ...]:
        """Return the names of the sampled fits that are stored; exact ones never are."""
        return tuple(name for name in self._names() if self.ledger.holds(name, self._stage_key(name), SUFFIX))

    def unstored(self) -> tuple[str, ...]:
        """Return the stages whose fit is made again in every run that needs it, because the exact engine makes it."""
        return tuple(stage for stage, (engine, _) in self.engines().items() if engine == "exact")

    def is_done(self) -> bool:
        """Return whether every fit that is sampled is stored; False where none is sampled."""
        sampled = set(self._names()) - {f"fit-{stage}" for stage in self.unstored()}
        return bool(sampled) and sampled <= set(self.stored())

    def _names(self) -> tuple[str, ...]:
        return ("fit-joint",) if self.setup.model.options.correlated_stages else tuple(f"fit-{s}" for s in STAGES)

    def _stage_key(self, name: str) -> dict[str, Any]:
        return {"fits": digest(self.key()), "piece": name}

    def _apart(self) -> dict[str, StageFit]:
        out: dict[str, StageFit] = {}
        for stage, (engine, _) in self.engines().items():
            if engine == "exact":
                out[stage] = self._fit(stage)[stage]
            else:
                out |= self._stored(f"fit-{stage}", lambda stage=stage: self._fit(stage))
        return out

    def _joint(self) -> dict[str, StageFit]:
        def make() -> dict[str, StageFit]:
            from judgestats.inference.engines.pymc_nuts import fit_joint

            return dict(fit_joint(self.setup.model, self.setup.counts, self.setup.settings(self.progress)))

        return self._stored("fit-joint", make)

    def _fit(self, stage: str) -> dict[str, StageFit]:
        spec, counts = self.setup.model.stage(stage), self.setup.counts[stage]
        return {stage: fit_stage(spec, counts, self.setup.settings(self.progress), self.setup.analysis.engine.name)}

    def _stored(self, name: str, make: Any) -> dict[str, StageFit]:
        return self.ledger.store(
            name,
            self._stage_key(name),
            make,
            write=write_fits,
            read=lambda path: read_fits(path, self.setup.counts),
            suffix=SUFFIX,
        )


def engine_choice(setup: Setup) -> dict[str, tuple[str, str]]:
    """Return the engine and the reason for it by stage.

    Raises
    ------
    ConfigError
        If the engine named by the analysis cannot serve a stage.
    """
    if setup.model.options.correlated_stages:
        why = "item effects may correlate across the stages, so both are sampled in one model"
        return dict.fromkeys(STAGES, (JOINT_ENGINE, why))
    name = setup.analysis.engine.name
    return {stage: explain_choice(setup.model.stage(stage), setup.counts[stage], name) for stage in STAGES}
