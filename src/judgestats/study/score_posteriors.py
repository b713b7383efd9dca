"""Score posteriors: the fits of a run on scores, made when something first asks for them and kept in its folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgestats.draws.score_fit import ScoreFit
from judgestats.inference.contract import Progress
from judgestats.inference.score_stage import fit_score_stage
from judgestats.provenance import code_digest
from judgestats.study.ledger import Ledger, digest
from judgestats.study.score_fit_store import SUFFIX, read_score_fit, write_score_fit
from judgestats.study.score_setup import ScoreSetup
from judgestats.study.setup import counts_digest

ENGINE = "numpyro"
WHY = "score models are sampled by NUTS on the likelihood with the item effects integrated out"


class ScorePosteriors:
    """Fits of every stage of a score model; each is stored and read back.

    Parameters
    ----------
    setup : ScoreSetup
        What to fit.
    ledger : Ledger
        Where fits are kept.
    progress : callable, optional
        Progress callback.
    """

    def __init__(self, setup: ScoreSetup, ledger: Ledger, progress: Progress | None = None) -> None:
        self.setup = setup
        self.ledger = ledger
        self.progress = progress
        self._fits: dict[str, ScoreFit] | None = None

    def engines(self) -> dict[str, tuple[str, str]]:
        """Return the engine and the reason for it by stage, without running it."""
        return dict.fromkeys(self.setup.rows, (ENGINE, WHY))

    def key(self) -> dict[str, Any]:
        """Return everything that the fits depend on."""
        settings = self.setup.settings()
        return {
            "code": code_digest(),
            "model": self.setup.model.digest(),
            "rows": {stage: counts_digest(rows) for stage, rows in self.setup.rows.items()},
            "settings": [settings.chains, settings.warmup, settings.draws, settings.target_accept],
            "seed": self.setup.analysis.seed,
        }

    def fits(self) -> Mapping[str, ScoreFit]:
        """Return the fits by stage, fitting or reading what is not at hand."""
        if self._fits is None:
            self._fits = {stage: self._stored(stage) for stage in self.setup.rows}
        return self._fits

    def stored(self) -> tuple[str, ...]:
        """Return the names of the stored fits."""
        return tuple(f"fit-{s}" for s in self.setup.rows if self.ledger.holds(f"fit-{s}", self._stage_key(s), SUFFIX))

    def unstored(self) -> tuple[str, ...]:
        """Return the stages whose fit is made again in every run that needs it: none."""
        return ()

    def _stage_key(self, stage: str) -> dict[str, Any]:
        return {"fits": digest(self.key()), "piece": f"fit-{stage}"}

    def _stored(self, stage: str) -> ScoreFit:
        def make() -> ScoreFit:
            setup = self.setup
            return fit_score_stage(
                setup.model.stage(stage), setup.rows[stage], setup.settings(self.progress), scale=setup.scale
            )

        return self.ledger.store(
            f"fit-{stage}",
            self._stage_key(stage),
            make,
            write=write_score_fit,
            read=lambda path: read_score_fit(path, self.setup.rows),
            suffix=SUFFIX,
        )
