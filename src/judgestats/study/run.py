"""Run: one analysis in its folder, from trials to pages; every piece is made once and resumed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from judgestats.checks.falsification import Falsification
from judgestats.checks.finding import DensityRow, PredictiveRow, PriorRow, SensitivityRow
from judgestats.checks.prior_predictive import prior_rows
from judgestats.draws.gate import GateRow
from judgestats.draws.record import Record
from judgestats.report.findings import Findings
from judgestats.report.findings_store import save_findings
from judgestats.report.write import write_report
from judgestats.seeds import Seed
from judgestats.study import check_suite
from judgestats.study.card import analysis_card
from judgestats.study.folder_run import FolderRun
from judgestats.study.gate_rows import gate_rows
from judgestats.study.ledger import digest
from judgestats.study.likelihoods import Likelihoods
from judgestats.study.notes import notes_by_cell, status_counts
from judgestats.study.pages import FINDINGS
from judgestats.study.posteriors import Posteriors
from judgestats.study.rule import is_effect
from judgestats.study.setup import Setup
from judgestats.study.tree import write_tree
from judgestats.study.trial_input import SIMULATED_FILE
from judgestats.trials.cell import Cell

DRAWS = "draws.nc"

PIECES: dict[str, tuple[str, ...]] = {
    "records": ("decision",),
    "fit-notes": (),
    "densities": (),
    "predictive": ("decision",),
    "items": ("decision", "sensitivity"),
    "prior-sensitivity": ("decision", "sensitivity"),
    "loss-rules": ("decision", "sensitivity"),
    "pooling": ("decision", "sensitivity"),
    "falsification": ("falsification",),
    "gates": ("decision", "engine"),
    "joint-claims": ("decision",),
}
"""Pieces of work in the order in which a run makes them, each with the sections of the analysis that it depends on."""
_DRAWS_SECTIONS = ("decision", "engine", "falsification", "sensitivity")


class Run(FolderRun[Setup]):
    """An analysis of choices in its folder.

    The parameters are those of `FolderRun`.
    """

    pieces = PIECES

    @cached_property
    def posteriors(self) -> Posteriors:
        """The fits."""
        return Posteriors(self.setup, self.ledger, self.progress)

    def engines(self) -> dict[str, tuple[str, str]]:
        """Return the engine and the reason for it by stage, without running it."""
        return self.posteriors.engines()

    def fits_key(self) -> dict[str, Any]:
        """Return everything that the fits depend on."""
        return self.posteriors.key()

    def planted(self) -> list[Any]:
        """Return the planted Delta P of every cell, sorted."""
        return sorted((*cell, value) for cell, value in self.setup.analysis.planted_values().items())

    @cached_property
    def evidence(self) -> check_suite.Evidence:
        """What the checks look at; fits are made or read when this is first asked for."""
        fits = self.posteriors.fits()
        return check_suite.Evidence(self.setup, fits, Likelihoods(self.setup, fits), self.progress)

    def records(self) -> tuple[Record, ...]:
        """Return every reported quantity."""
        from judgestats.estimands.evaluate import evaluate

        decision = self.setup.analysis.decision

        def make() -> tuple[Record, ...]:
            return evaluate(
                self.setup.model,
                self.posteriors.fits(),
                rope=check_suite.rope_of(self.setup),
                ci_prob=decision.ci_prob,
                ci_kind=decision.ci_kind,
                seed=Seed(self.setup.analysis.seed),
                status_counts=self.setup.table.status_counts(),
                planted=self.setup.analysis.planted_values(),
                setting="unpooled" if self.setup.model.options.pooling == "none" else "pooled",
            )

        return self.piece("records", tuple[Record, ...], make)

    def densities(self) -> tuple[DensityRow, ...]:
        """Return posterior density curves for the figures."""
        return self._check("densities", tuple[DensityRow, ...], check_suite.densities)

    def predictive(self) -> tuple[PredictiveRow, ...]:
        """Return prior and posterior predictive checks."""
        return self._check("predictive", tuple[PredictiveRow, ...], check_suite.predictive)

    def item_checks(self) -> check_suite.ItemChecks:
        """Return the items with their effects, influence and cross-validation."""
        return self._check("items", check_suite.ItemChecks, check_suite.item_checks)

    def sensitivity(self) -> tuple[SensitivityRow, ...]:
        """Return alternative analyses."""
        rows = tuple[SensitivityRow, ...]
        return (
            *self._check("prior-sensitivity", rows, check_suite.prior_sensitivity),
            *self._check("loss-rules", rows, check_suite.loss_sensitivity),
            *self._check("pooling", rows, check_suite.pooling_sensitivity),
        )

    def falsification(self) -> tuple[Falsification, ...]:
        """Return permutation falsification."""
        kind = tuple[Falsification, ...]
        return self.piece("falsification", kind, lambda: check_suite.falsification(self.setup, self.progress))

    def gates(self) -> tuple[GateRow, ...]:
        """Return gate rows: the engines' own, and those of every reported quantity."""
        kind = tuple[GateRow, ...]

        def make() -> tuple[GateRow, ...]:
            return gate_rows(self.setup, self.posteriors.fits(), self.records(), self.progress)

        return self.piece("gates", kind, make)

    def joint_claims(self) -> tuple[str, ...]:
        """Return how sure one can be of all claimed cells at once."""
        beyond = [r for r in self.records() if is_effect(r) and r.outcome == "beyond"]
        claimed = tuple(Cell(str(r.judge), str(r.domain)) for r in beyond)
        return self._check(
            "joint-claims", tuple[str, ...], lambda evidence: check_suite.joint_claims(evidence, claimed)
        )

    def fit_notes(self) -> tuple[str, ...]:
        """Return the sentences that the fits ask the report to print."""

        def make() -> tuple[str, ...]:
            return tuple(note for fit in self.posteriors.fits().values() for note in fit.notes)

        return self.piece("fit-notes", tuple[str, ...], make)

    def findings(self) -> Findings:
        """Return everything that the report is made from."""
        setup = self.setup
        # What the fits alone give is stored at once: an exact fit is made again in a resumed run that needs it, and one
        # that finds all of this does not.
        records, fit_notes = self.records(), self.fit_notes()
        items = self.item_checks()
        parts: dict[str, Any] = {
            "densities": self.densities(),
            "predictive": self.predictive(),
            "loo": items.loo,
            "items": items.items,
            "sensitivity": (*self.sensitivity(), *items.extremes),
            "falsification": self.falsification(),
            "gates": self.gates(),
        }
        notes = notes_by_cell(setup, fit_notes) | {"multiplicity": self.joint_claims()}
        priors: tuple[PriorRow, ...] = prior_rows(setup.model)
        return Findings(
            analysis=analysis_card(setup),
            cells=setup.counts["validity"].cells,
            counts=status_counts(setup),
            records=records,
            priors=priors,
            warnings=self.ledger.warnings(),
            provenance=self.provenance(),
            notes=notes,
            **parts,
        )

    def finished(self) -> tuple[str, ...]:
        """Return the names of the finished pieces of exactly this run that lie in its folder, in the order of making.

        Sampled fits are among them; the exact engine's are never stored.
        """
        found = self.finished_pieces()
        if not self.ledger.fresh and (self.out / DRAWS).is_file():
            keys = {digest(self.key(name, _DRAWS_SECTIONS)) for name in ("draws", "draws of the fits")}
            found += ["draws"] if self.ledger.mark("draws") in keys else []
        elif "draws" in self.ledger.made:
            found.append("draws")
        return (*self.posteriors.stored(), *found)

    def write_draws(self, *, whole: bool = True) -> Path:
        """Write ``draws.nc`` and return its path; skipped where the one there was made from the same ingredients.

        Parameters
        ----------
        whole : bool
            With falsification and sensitivity, which are made for it where they are missing.
        """
        path = self.out / DRAWS
        whole_key = digest(self.key("draws", _DRAWS_SECTIONS))
        key = whole_key if whole else digest(self.key("draws of the fits", _DRAWS_SECTIONS))
        if not self.ledger.fresh and path.is_file() and self.ledger.mark("draws") in {key, whole_key}:
            self.ledger.reused.append("draws")
            return path
        tables: dict[str, Sequence[Any]] = {"estimands": self.records()}
        if whole:
            tables |= {"falsification": self.falsification(), "sensitivity": self.sensitivity()}
        evidence = self.evidence
        write_tree(self.setup, evidence.fits, evidence.likelihoods, tables, self.provenance(), path)
        self.ledger.set_mark("draws", key)
        return path

    def report(self) -> tuple[Findings, tuple[Path, ...]]:
        """Make everything, write it, and return what was found and the files."""
        findings = self.findings()
        return findings, self.write(findings)

    def write(self, findings: Findings) -> tuple[Path, ...]:
        """Write draws and pages, remove pages of what is gone, and return all files written."""
        paths = [self.write_draws()]
        if self.progress is not None:
            self.progress("pages", 0, 1)
        save_findings(findings, self.out / FINDINGS)
        paths += write_report(findings, self.out)
        if self.setup.analysis.simulation is not None:
            paths.append(self.out / SIMULATED_FILE)
        if self.progress is not None:
            self.progress("pages", 1, 1)
        return self.close(paths)

    def _check[T](self, name: str, kind: Any, check: Callable[[check_suite.Evidence], T]) -> T:
        return self.piece(name, kind, lambda: check(self.evidence))
