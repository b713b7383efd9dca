"""Run: one analysis in its folder, from trials to pages; every piece is made once and resumed."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from judgestats import provenance
from judgestats.checks.falsification import Falsification
from judgestats.checks.finding import DensityRow, PredictiveRow, PriorRow, SensitivityRow
from judgestats.checks.prior_predictive import prior_rows
from judgestats.draws.gate import GateRow
from judgestats.draws.record import Record
from judgestats.inference.contract import Progress
from judgestats.report.findings import Findings, StatusCount
from judgestats.report.findings_store import save_findings
from judgestats.report.write import write_report
from judgestats.seeds import Seed
from judgestats.study import check_suite
from judgestats.study.analysis import Analysis
from judgestats.study.card import analysis_card
from judgestats.study.densities import densities
from judgestats.study.folder import RunCard, claim, remove_stale, write_card
from judgestats.study.gate_rows import gate_rows
from judgestats.study.ledger import Ledger, digest
from judgestats.study.pages import FINDINGS
from judgestats.study.posteriors import Posteriors
from judgestats.study.setup import Setup, prepare, table_digest
from judgestats.study.tree import write_tree
from judgestats.study.trial_input import SIMULATED_FILE

DRAWS = "draws.nc"


class Run:
    """An analysis in its folder.

    Parameters
    ----------
    setup : Setup
        Trials and model.
    out : Path
        The claimed folder.
    card : RunCard
        What the folder said about an earlier run.
    data_name : str, optional
        Last part of the data folder's name, for provenance.
    fresh : bool
        Ignore finished work.
    progress : callable, optional
        Progress callback.
    """

    def __init__(
        self,
        setup: Setup,
        out: Path,
        card: RunCard,
        *,
        data_name: str | None = None,
        fresh: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.setup = setup
        self.out = out
        self.card = card
        self.data_name = data_name
        self.progress = progress
        self.started = provenance.now()
        self.ledger = Ledger(out, fresh=fresh)
        self.posteriors = Posteriors(setup, self.ledger, progress)
        self._table = table_digest(setup.table)

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

        return self._piece("records", tuple[Record, ...], make, "decision")

    def densities(self) -> tuple[DensityRow, ...]:
        """Return posterior density curves for the figures."""
        return self._piece("densities", tuple[DensityRow, ...], lambda: densities(self.setup, self.posteriors.fits()))

    def predictive(self) -> tuple[PredictiveRow, ...]:
        """Return prior and posterior predictive checks."""
        return self._check("predictive", tuple[PredictiveRow, ...], check_suite.predictive, "decision")

    def item_checks(self) -> check_suite.ItemChecks:
        """Return the items with their effects, influence and cross-validation."""
        return self._check("items", check_suite.ItemChecks, check_suite.item_checks, "decision", "sensitivity")

    def sensitivity(self) -> tuple[SensitivityRow, ...]:
        """Return alternative analyses."""
        rows = tuple[SensitivityRow, ...]
        return (
            *self._check("prior-sensitivity", rows, check_suite.prior_sensitivity, "decision", "sensitivity"),
            *self._check("loss-rules", rows, check_suite.loss_sensitivity, "decision", "sensitivity"),
            *self._piece(
                "pooling",
                rows,
                lambda: check_suite.pooling_sensitivity(self.setup, self.progress),
                "decision",
                "sensitivity",
            ),
        )

    def falsification(self) -> tuple[Falsification, ...]:
        """Return permutation falsification."""
        kind = tuple[Falsification, ...]
        return self._piece(
            "falsification", kind, lambda: check_suite.falsification(self.setup, self.progress), "falsification"
        )

    def gates(self) -> tuple[GateRow, ...]:
        """Return gate rows: the engines' own, and those of every reported quantity."""
        kind = tuple[GateRow, ...]

        def make() -> tuple[GateRow, ...]:
            return gate_rows(self.setup, self.posteriors.fits(), self.records(), self.progress)

        return self._piece("gates", kind, make, "decision", "engine")

    def fit_notes(self) -> tuple[str, ...]:
        """Return the sentences that the fits ask the report to print."""

        def make() -> tuple[str, ...]:
            return tuple(note for fit in self.posteriors.fits().values() for note in fit.notes)

        return self._piece("fit-notes", tuple[str, ...], make)

    def findings(self) -> Findings:
        """Return everything that the report is made from."""
        setup = self.setup
        records = self.records()
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
        notes = notes_by_cell(setup, self.fit_notes())
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

    def provenance(self) -> dict[str, Any]:
        """Return what the result was made with."""
        setup = self.setup
        return {
            "schema": "judgestats/provenance/1",
            "analysis": setup.analysis.name,
            "command": self._command(),
            "seed": setup.analysis.seed,
            "started": self.started,
            "finished": provenance.now(),
            "versions": provenance.versions(),
            "revision": provenance.revision(),
            "code_sha256": provenance.code_digest(),
            "machine": provenance.machine(),
            "settings": asdict(setup.analysis.engine),
            "engines": {stage: list(choice) for stage, choice in self.posteriors.engines().items()},
            "trials": {
                "rows": len(setup.table.frame),
                "sha256": self._table,
                "files": [asdict(source) for source in setup.table.sources],
            },
            "specification": {"model": setup.model.name, "sha256": setup.model.digest()},
            "analysis_file": setup.analysis.to_dict(),
        }

    def write_draws(self) -> Path:
        """Write ``draws.nc`` and return its path; skipped where the one there was made from the same ingredients."""
        path = self.out / DRAWS
        key = digest(self._key("draws", ("decision", "engine", "falsification", "sensitivity")))
        if self.ledger.fresh or not path.is_file() or self.ledger.mark("draws") != key:
            write_tree(self, path)
            self.ledger.set_mark("draws", key)
        else:
            self.ledger.reused.append("draws")
        return path

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
        names = sorted(path.relative_to(self.out).as_posix() for path in paths)
        remove_stale(self.out, self.card, names)
        write_card(self.out, RunCard(self.setup.analysis.name, tuple(names)))
        return tuple(paths)

    def _command(self) -> str:
        analysis = self.setup.analysis
        words = ["judgestats", "run", analysis.name]
        words += ["--data", self.data_name] if self.data_name is not None else []
        words += ["--out", "DIR", "--engine", analysis.engine.name, "--seed", str(analysis.seed)]
        return shlex.join(words)

    def _key(self, name: str, sections: Sequence[str]) -> dict[str, Any]:
        # Only what changes numbers: titles and limitations may be mended without fitting again.
        analysis = self.setup.analysis
        asked = {section: asdict(getattr(analysis, section)) for section in sections}
        return {
            "piece": name,
            "fits": self.posteriors.key(),
            "table": self._table,
            "asked": asked,
            "planted": sorted((*cell, value) for cell, value in analysis.planted_values().items()),
        }

    def _piece[T](self, name: str, kind: Any, make: Callable[[], T], *sections: str) -> T:
        return self.ledger.piece(name, self._key(name, sections), kind, make)

    def _check[T](self, name: str, kind: Any, check: Callable[..., T], *sections: str) -> T:
        return self._piece(name, kind, lambda: check(self.setup, self.posteriors.fits(), self.progress), *sections)


def open_run(
    analysis: Analysis,
    data: Path | None,
    out: Path,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Claim a folder for an analysis, read its trials and resolve its model.

    Parameters
    ----------
    analysis : Analysis
        What to run.
    data : Path, optional
        Folder of the trials; None for simulated judges.
    out : Path
        Folder to write to: new, empty, or that of an earlier run of the same analysis.
    overwrite : bool
        Start afresh, in whatever folder.
    progress : callable, optional
        Progress callback.

    Raises
    ------
    ConfigError, TrialDataError
        See `claim` and `prepare`.
    """
    card = claim(out, analysis.name, overwrite=overwrite)
    setup = prepare(analysis, data, out)
    name = None if data is None else data.resolve().name
    return Run(setup, out, card, data_name=name, fresh=overwrite, progress=progress)


def status_counts(setup: Setup) -> tuple[StatusCount, ...]:
    """Return the counts of trials by judge, domain, block and status."""
    rows = setup.table.status_counts().itertuples(index=False)
    return tuple(StatusCount(str(r.judge), str(r.domain), str(r.block), str(r.status), int(str(r.n))) for r in rows)


def notes_by_cell(setup: Setup, texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return notes of the fits under the cell that they begin with, others under ``fits``; notices under ``trials``."""
    out: dict[str, list[str]] = {}
    # The longest name first, so that a cell whose name begins another's does not take its notes.
    names = sorted((str(cell) for cell in setup.counts["validity"].cells), key=len, reverse=True)
    for text in texts:
        owner = next((name for name in names if text.startswith((f"{name},", f"{name}:"))), "fits")
        out.setdefault(owner, []).append(text)
    out["trials"] = [notice.text for notice in setup.table.notices]
    return {key: tuple(dict.fromkeys(entries)) for key, entries in out.items() if entries}


def rule_met(rule: str, records: Sequence[Record]) -> bool:
    """Return whether the rule of ``--fail-on`` is met.

    Parameters
    ----------
    rule : {"bias", "undecided", "loss"}
        ``bias``: an interval of the marginal Delta P lies beyond the ROPE; ``undecided``: one does not lie inside it;
        ``loss``: the interval of a validity difference leaves zero out.
    records : sequence of Record
        Records of the run.
    """
    by_cell = [r for r in records if r.version == "marginal" and r.judge is not None and r.domain is not None]
    effects = [r for r in by_cell if r.estimand == "delta_p"]
    if rule == "bias":
        return any(r.outcome == "beyond" for r in effects)
    if rule == "undecided":
        return any(r.outcome != "inside" for r in effects)
    losses = [r for r in by_cell if r.estimand == "validity_difference"]
    return any(r.lower is not None and r.upper is not None and (r.lower > 0 or r.upper < 0) for r in losses)
