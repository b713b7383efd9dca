"""Folder run: what every run in a folder shares, whatever the kind of verdict: finished pieces, provenance, files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Protocol

from judgestats import provenance
from judgestats.inference.contract import Progress
from judgestats.spec.model import ModelSpec
from judgestats.study.analysis import Analysis
from judgestats.study.folder import RunCard, remove_stale, write_card
from judgestats.study.invocation import Invocation
from judgestats.study.ledger import Ledger
from judgestats.study.setup import table_digest
from judgestats.trials.table import TrialTable


class AnySetup(Protocol):
    """Trials and model of an analysis."""

    @property
    def analysis(self) -> Analysis:
        """The analysis, with flags of the command line already in it."""

    @property
    def table(self) -> TrialTable:
        """Trials as read."""

    @property
    def model(self) -> ModelSpec:
        """The resolved model."""


class FolderRun[S: AnySetup]:
    """One analysis in its folder; every piece is made once and resumed.

    Parameters
    ----------
    setup : Setup or ScoreSetup
        Trials and model.
    out : Path
        The claimed folder.
    card : RunCard
        What the folder said about an earlier run.
    invocation : Invocation, optional
        What was typed, for provenance.
    fresh : bool
        Ignore finished work.
    progress : callable, optional
        Progress callback.
    """

    pieces: ClassVar[Mapping[str, Sequence[str]]]
    """Pieces of work in the order in which the run makes them, each with the sections of the analysis that it depends on."""

    def __init__(
        self,
        setup: S,
        out: Path,
        card: RunCard,
        *,
        invocation: Invocation | None = None,
        fresh: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.setup = setup
        self.out = out
        self.card = card
        self.invocation = invocation or Invocation()
        self.progress = progress
        self.started = provenance.now()
        self.ledger = Ledger(out, fresh=fresh)
        self._table = table_digest(setup.table)

    def engines(self) -> dict[str, tuple[str, str]]:
        """Return the engine and the reason for it by stage, without running it."""
        raise NotImplementedError

    def fits_key(self) -> dict[str, Any]:
        """Return everything that the fits depend on."""
        raise NotImplementedError

    def planted(self) -> list[Any]:
        """Return the planted values that records carry, JSON-ready and sorted."""
        raise NotImplementedError

    def provenance(self) -> dict[str, Any]:
        """Return what the result was made with."""
        analysis, table, model = self.setup.analysis, self.setup.table, self.setup.model
        return {
            "schema": "judgestats/provenance/1",
            "analysis": analysis.name,
            "command": self.invocation.command(analysis.engine.name, analysis.seed),
            "seed": analysis.seed,
            "started": self.started,
            "finished": provenance.now(),
            "versions": provenance.versions(),
            "revision": provenance.revision(),
            "code_sha256": provenance.code_digest(),
            "machine": provenance.machine(),
            "settings": asdict(analysis.engine),
            "engines": {stage: list(choice) for stage, choice in self.engines().items()},
            "trials": {
                "rows": len(table.frame),
                "sha256": self._table,
                "files": [asdict(source) for source in table.sources],
            },
            "specification": {"model": model.name, "sha256": model.digest()},
            "analysis_file": analysis.to_dict(),
        }

    def finished_pieces(self) -> list[str]:
        """Return the names of the finished pieces of exactly this run that lie in its folder, in the order of making."""
        return [name for name in self.pieces if self.ledger.holds(name, self.key(name, self.pieces[name]))]

    def key(self, name: str, sections: Sequence[str]) -> dict[str, Any]:
        """Return what a piece is made from: only what changes numbers, so that titles may be mended without fitting again."""
        analysis = self.setup.analysis
        asked = {section: asdict(getattr(analysis, section)) for section in sections}
        return {
            "piece": name,
            "fits": self.fits_key(),
            "table": self._table,
            "asked": asked,
            "planted": self.planted(),
        }

    def piece[T](self, name: str, kind: Any, make: Callable[[], T]) -> T:
        """Return a piece, made now or read back."""
        return self.ledger.piece(name, self.key(name, self.pieces[name]), kind, make)

    def close(self, paths: Sequence[Path]) -> tuple[Path, ...]:
        """Note which files the run wrote, remove those of an earlier run that are gone, and return all."""
        names = sorted(path.relative_to(self.out).as_posix() for path in paths)
        remove_stale(self.out, self.card, names)
        write_card(self.out, RunCard(self.setup.analysis.name, tuple(names)))
        return tuple(paths)
