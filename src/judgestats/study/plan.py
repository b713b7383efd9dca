"""Plan: what a run would do, without fitting anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgestats.checks.finding import PriorRow
from judgestats.checks.prior_predictive import prior_rows
from judgestats.study.analysis import Analysis
from judgestats.study.codec import encode
from judgestats.study.folder import RunCard, read_card
from judgestats.study.ledger import Ledger
from judgestats.study.posteriors import Posteriors
from judgestats.study.run import Run
from judgestats.study.setup import STAGES, Setup, prepare

# Seconds for one cell and stage, and for one sampled effect of a NUTS run, on one core of a common server: orders of
# magnitude for a plan, not measurements of this machine.
_EXACT_CELL = 0.5
_NUTS_START = 25.0
_NUTS_EFFECT = 0.05


@dataclass(frozen=True)
class Plan:
    """What a run would do.

    Parameters
    ----------
    analysis, title, model : str
        What is asked and with which model.
    seed : int
        Root seed.
    trials : int
        Rows of the trial table.
    counts : tuple of tuple
        Judge, domain, block or cue, status, trials.
    notices : tuple of str
        What was noticed about the input.
    priors : tuple of PriorRow
        Every prior with what it implies on the probability scale and the reason for it.
    engines : dict of str to tuple of str
        Engine and reason by stage.
    falsification : str
        Schemes and refits in words.
    finished : tuple of str
        Finished pieces of exactly this plan in the run's folder: what a run would reuse.
    outdated : tuple of str
        Pieces in the folder that were made from something else (other trials, settings, seed or code).
    fits : str
        In words, what becomes of the fits.
    seconds : float
        Rough cost of the fits on this kind of machine.
    by : {"block", "cue"}
        What the third column of `counts` holds.
    """

    analysis: str
    title: str
    model: str
    seed: int
    trials: int
    counts: tuple[tuple[str, str, str, str, int], ...]
    notices: tuple[str, ...]
    priors: tuple[PriorRow, ...]
    engines: dict[str, tuple[str, str]]
    falsification: str
    finished: tuple[str, ...]
    outdated: tuple[str, ...]
    fits: str
    seconds: float
    by: str = "block"

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values."""
        return {"schema": "judgestats/plan/1", **encode(self)}

    def lines(self) -> list[str]:
        """Return the plan as text."""
        out = [f"{self.title} ({self.analysis})", f"model {self.model}, seed {self.seed}, {self.trials} trials", ""]
        out += _columns(("judge", "domain", self.by, "status", "trials"), self.counts)
        out += ["", "priors"]
        out += [f"  {row.stage}: {row.parameter} ~ {row.prior}; {row.implied}. {row.reason}" for row in self.priors]
        out += ["", "engines"]
        out += [f"  {stage}: {name} ({why})" for stage, (name, why) in self.engines.items()]
        out += ["", f"falsification: {self.falsification}"]
        out += [f"finished work of this plan: {', '.join(self.finished) or 'nothing had been finished yet'}"]
        if self.outdated:
            out += [f"made from something else, to be made again: {', '.join(self.outdated)}"]
        out += [f"fits: {self.fits}"]
        out += [f"rough cost of the fits: {self.seconds:.0f} s on one core"]
        out += [f"note: {text}" for text in self.notices]
        return out


def make_plan(analysis: Analysis, data: Path | None, out: Path | None) -> Plan:
    """Read the trials and say what a run would do.

    Parameters
    ----------
    analysis : Analysis
        The analysis.
    data : Path, optional
        Data folder; None for simulated judges.
    out : Path, optional
        Folder of an earlier run.
    """
    setup = prepare(analysis, data)
    # Nothing is written: a run that is only asked what it would find needs no claimed folder.
    run = Run(setup, out or Path("nowhere"), RunCard(analysis.name))
    engines = run.posteriors.engines()
    finished = () if out is None else run.finished()
    rows = setup.table.status_counts().itertuples(index=False)
    return Plan(
        analysis=analysis.name,
        title=analysis.title,
        model=setup.model.name,
        seed=analysis.seed,
        trials=len(setup.table.frame),
        counts=tuple((str(r.judge), str(r.domain), str(r.block), str(r.status), int(str(r.n))) for r in rows),
        notices=tuple(notice.text for notice in setup.table.notices),
        priors=prior_rows(setup.model),
        engines=engines,
        falsification=_falsification_words(analysis),
        finished=finished,
        outdated=tuple(name for name in lying(out) if name not in finished),
        fits=_fits_words(run.posteriors),
        seconds=sum(_cost(setup, stage, engines[stage][0]) for stage in STAGES),
    )


def _falsification_words(analysis: Analysis) -> str:
    section = analysis.falsification
    if not section.permutations or not section.schemes:
        return "none"
    return f"{', '.join(section.schemes)}; {section.permutations} refits each"


def _fits_words(posteriors: Posteriors) -> str:
    stored, exact = posteriors.stored(), posteriors.unstored()
    if exact:
        again = f"exact ones ({', '.join(exact)}) are made again where a missing piece needs them, and never stored"
        return f"{', '.join(stored)} stored; {again}" if stored else again
    return "stored" if posteriors.is_done() else f"{', '.join(stored) or 'none'} stored, the rest to be sampled"


def lying(out: Path | None) -> tuple[str, ...]:
    """Return the names of the pieces that lie in the folder of an earlier run, whatever they were made from."""
    if out is None or read_card(out) is None:
        return ()
    pieces = (path for path in Ledger(out).folder.iterdir() if path.suffix in {".json", ".nc"} and "-" in path.stem)
    return tuple(sorted(path.stem.rsplit("-", 1)[0] for path in pieces if not path.name.startswith(".")))


def _cost(setup: Setup, stage: str, engine: str) -> float:
    counts = setup.counts[stage]
    if engine == "exact":
        return _EXACT_CELL * len(counts.cells)
    effects = 2 * len(counts.cells)
    if engine == "pymc":
        effects += sum(map(len, counts.items)) + sum(map(len, counts.clusters or ()))
    return _NUTS_START + _NUTS_EFFECT * effects * (setup.analysis.engine.draws + setup.analysis.engine.warmup) / 1000


def _columns(header: tuple[str, ...], rows: tuple[tuple[Any, ...], ...]) -> list[str]:
    text = [header, *(tuple(map(str, row)) for row in rows)]
    widths = [max(len(row[i]) for row in text) for i in range(len(header))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in text]
