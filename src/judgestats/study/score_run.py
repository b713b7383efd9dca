"""Score run: one analysis of scores in its folder, from trials to pages; every piece is made once and resumed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from judgestats.checks.finding import PriorRow
from judgestats.checks.score_finding import CueFalsification, RawScores, ScorePredictive, ScoreSensitivity
from judgestats.draws.gate import GateRow
from judgestats.draws.record import Record
from judgestats.draws.score_fit import ScoreFit
from judgestats.inference.contract import Progress
from judgestats.report.findings_store import save_findings
from judgestats.report.score_findings import ScoreFindings
from judgestats.report.score_write import write_score_report
from judgestats.study import score_checks
from judgestats.study.folder_run import FolderRun
from judgestats.study.ledger import digest
from judgestats.study.pages import FINDINGS
from judgestats.study.score_card import score_card
from judgestats.study.score_posteriors import ScorePosteriors
from judgestats.study.score_setup import ScoreSetup
from judgestats.study.score_tree import write_score_tree
from judgestats.study.trial_input import SIMULATED_FILE

DRAWS = "draws.nc"
PIECES: dict[str, tuple[str, ...]] = {
    "raw": (),
    "records": ("decision", "scores"),
    "fit-notes": (),
    "predictive": (),
    "prior-sensitivity": ("decision", "sensitivity"),
    "room": ("decision", "scores", "sensitivity"),
    "falsification": ("falsification",),
    "gates": ("decision", "scores"),
}
_DRAWS_SECTIONS = ("decision", "engine", "falsification", "sensitivity", "scores")


class ScoreRun(FolderRun[ScoreSetup]):
    """An analysis of scores in its folder.

    The parameters are those of `FolderRun`.
    """

    pieces = PIECES

    @cached_property
    def posteriors(self) -> ScorePosteriors:
        """The fits."""
        return ScorePosteriors(self.setup, self.ledger, self.progress)

    def engines(self) -> dict[str, tuple[str, str]]:
        """Return the engine and the reason for it by stage, without running it."""
        return self.posteriors.engines()

    def fits_key(self) -> dict[str, Any]:
        """Return everything that the fits depend on."""
        return self.posteriors.key()

    def planted(self) -> list[Any]:
        """Return the planted shift of every cell and variant, sorted."""
        return sorted((*place, value) for place, value in score_checks.planted(self.setup).items())

    def raw(self) -> tuple[RawScores, ...]:
        """Return plain arithmetic on the scores."""
        return self.piece("raw", tuple[RawScores, ...], lambda: score_checks.raw(self.setup))

    def records(self) -> tuple[Record, ...]:
        """Return every reported quantity."""
        return self._fitted("records", tuple[Record, ...], score_checks.records)

    def predictive(self) -> tuple[ScorePredictive, ...]:
        """Return posterior predictive checks."""
        return self._fitted("predictive", tuple[ScorePredictive, ...], score_checks.predictive)

    def sensitivity(self) -> tuple[ScoreSensitivity, ...]:
        """Return alternative analyses."""
        rows = tuple[ScoreSensitivity, ...]
        return (
            *self._fitted("prior-sensitivity", rows, score_checks.prior_sensitivity),
            *self._fitted("room", rows, score_checks.room),
        )

    def falsification(self) -> tuple[CueFalsification, ...]:
        """Return permutation falsification."""
        return self._fitted("falsification", tuple[CueFalsification, ...], score_checks.falsification)

    def gates(self) -> tuple[GateRow, ...]:
        """Return gate rows: the engine's own, and those of every reported quantity."""

        def make() -> tuple[GateRow, ...]:
            return score_checks.gates(self.posteriors.fits(), self.records())

        return self.piece("gates", tuple[GateRow, ...], make)

    def fit_notes(self) -> tuple[str, ...]:
        """Return the sentences that the fits ask the report to print."""

        def make() -> tuple[str, ...]:
            return tuple(note for fit in self.posteriors.fits().values() for note in fit.notes)

        return self.piece("fit-notes", tuple[str, ...], make)

    def findings(self) -> ScoreFindings:
        """Return everything that the report is made from."""
        setup = self.setup
        priors: tuple[PriorRow, ...] = score_checks.priors(setup)
        return ScoreFindings(
            analysis=score_card(setup),
            scale=setup.scale,
            cells=setup.rows["validity"].cells,
            variants=setup.rows["validity"].variants,
            counts=score_checks.counts(setup),
            raw=self.raw(),
            records=self.records(),
            priors=priors,
            predictive=self.predictive(),
            sensitivity=self.sensitivity(),
            falsification=self.falsification(),
            gates=self.gates(),
            warnings=self.ledger.warnings(),
            provenance=self.provenance(),
            placebo=setup.analysis.scores.placebo,
            notes=score_checks.notes(setup, self.fit_notes()),
        )

    def finished(self) -> tuple[str, ...]:
        """Return the names of the finished pieces of exactly this run that lie in its folder, in the order of making."""
        found = self.finished_pieces()
        key = digest(self.key("draws", _DRAWS_SECTIONS))
        if "draws" in self.ledger.made or (
            not self.ledger.fresh and (self.out / DRAWS).is_file() and self.ledger.mark("draws") == key
        ):
            found.append("draws")
        return (*self.posteriors.stored(), *found)

    def write_draws(self, *, whole: bool = True) -> Path:
        """Write ``draws.nc`` and return its path; skipped where the one there was made from the same ingredients."""
        path = self.out / DRAWS
        key = digest(self.key("draws" if whole else "draws of the fits", _DRAWS_SECTIONS))
        if not self.ledger.fresh and path.is_file() and self.ledger.mark("draws") == key:
            self.ledger.reused.append("draws")
            return path
        tables: dict[str, Any] = {"estimands": self.records()}
        if whole:
            tables |= {"falsification": self.falsification(), "sensitivity": self.sensitivity()}
        write_score_tree(self.posteriors.fits(), tables, self.provenance(), path)
        self.ledger.set_mark("draws", key)
        return path

    def report(self) -> tuple[ScoreFindings, tuple[Path, ...]]:
        """Make everything, write it, and return what was found and the files."""
        findings = self.findings()
        return findings, self.write(findings)

    def write(self, findings: ScoreFindings) -> tuple[Path, ...]:
        """Write draws and pages, remove pages of what is gone, and return all files written."""
        paths = [self.write_draws()]
        if self.progress is not None:
            self.progress("pages", 0, 1)
        save_findings(findings, self.out / FINDINGS)
        paths += write_score_report(findings, self.out)
        if self.setup.analysis.simulation is not None:
            paths.append(self.out / SIMULATED_FILE)
        if self.progress is not None:
            self.progress("pages", 1, 1)
        return self.close(paths)

    def _fitted[T](
        self, name: str, kind: Any, make: Callable[[ScoreSetup, Mapping[str, ScoreFit], Progress | None], T]
    ) -> T:
        return self.piece(name, kind, lambda: make(self.setup, self.posteriors.fits(), self.progress))
