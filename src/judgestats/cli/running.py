"""Running: what the verbs that work in a run's folder have in common."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from judgestats.cli.session import GATE_RED, RULE_MET, Interrupted, Voice
from judgestats.errors import ConfigError, near_match

if TYPE_CHECKING:
    from judgestats.study.analysis import Analysis
    from judgestats.study.invocation import Invocation
    from judgestats.study.run import Run
    from judgestats.study.score_run import ScoreRun
    from judgestats.trials.table import Notice

LEFT_OUT = ("no_block", "left_out")
"""Codes of the notices about trials that are counted and that no stage sees."""


@dataclass(frozen=True)
class Request:
    """What the command line asked for; flags that are None leave the analysis as its file says."""

    source: Path
    data: Path | None
    out: Path
    overwrite: bool = False
    seed: int | None = None
    engine: str | None = None
    permutations: int | None = None
    fail_on: str | None = None
    verb: str = "run"

    def load(self) -> Analysis:
        """Return the analysis with the flags in it; ConfigError for what is wrong in either."""
        from judgestats.study.analysis import EngineSection, load_analysis
        from judgestats.study.rule import RULES
        from judgestats.study.section import read_section, section_dict

        if self.fail_on is not None and self.fail_on not in RULES:
            raise ConfigError(
                f"--fail-on is {self.fail_on!r}", allowed=", ".join(RULES), remedy=near_match(self.fail_on, RULES)
            )
        analysis = load_analysis(self.source)
        if self.seed is not None:
            analysis = replace(analysis, seed=self.seed)
        if self.engine is not None:
            table = section_dict(analysis.engine) | {"name": self.engine}
            analysis = replace(analysis, engine=read_section(EngineSection, table, "--engine:"))
        if self.permutations is not None:
            section = replace(analysis.falsification, permutations=self.permutations)
            analysis = replace(analysis, falsification=section)
        return analysis

    def data_folder(self, analysis: Analysis) -> Path | None:
        """Return the folder to read trials from, None for simulated judges."""
        from judgestats.study.trial_input import data_folder

        return data_folder(analysis, self.source, self.data)

    def invocation(self) -> Invocation:
        """Return what was typed, for the command that the report prints."""
        from judgestats.study.invocation import Invocation

        return Invocation(self.verb, None if self.verb == "demo" else self.source, self.data)


def command_to_go_on() -> str:
    """Return the command line as it was given, without what would discard finished work."""
    return shlex.join(["judgestats", *(word for word in sys.argv[1:] if word != "--overwrite")])


@contextmanager
def watched(request: Request, voice: Voice) -> Iterator[Run | ScoreRun]:
    """Yield the run in its claimed folder, with progress; Ctrl-C names the command to go on with."""
    from judgestats.cli.progress import progress
    from judgestats.study.opening import open_run

    study: Run | ScoreRun | None = None
    try:
        analysis = request.load()
        with progress(voice) as callback:
            study = open_run(
                analysis,
                request.data_folder(analysis),
                request.out,
                overwrite=request.overwrite,
                progress=callback,
                invocation=request.invocation(),
            )
            yield study
    except KeyboardInterrupt as stop:
        raise Interrupted(interruption(study, request.out)) from stop


def interruption(study: Run | ScoreRun | None, out: Path) -> str:
    """Return what an interrupted command says: the pieces that are kept, or that there is none, and how to go on."""
    kept = () if study is None else study.finished()
    if not kept:
        return f"Interrupted; nothing had been finished yet. To start again:\n  {command_to_go_on()}"
    again = "" if study is None else refitted_words(study.posteriors.unstored())
    return (
        f"Interrupted. Kept in {out}: {', '.join(kept)}.{f' {again}' if again else ''} "
        f"To go on:\n  {command_to_go_on()}"
    )


def run_and_say(request: Request, *, as_json: bool, quiet: bool) -> None:
    """Run an analysis to its pages, print the effects and end with the exit code that the result calls for."""
    from judgestats.cli.effects import effect_lines, headline
    from judgestats.study.gate_rows import gate_summary
    from judgestats.study.rule import rule_met

    voice = Voice(as_json, quiet)
    with watched(request, voice) as study:
        findings, files = study.report()
    index = request.out / "index.html"
    gate = gate_summary(findings.gates)
    met = request.fail_on is not None and rule_met(request.fail_on, findings.records)
    notices = study.setup.table.notices
    text = [*effect_lines(findings.records), *left_out_lines(notices), *gate.lines(), f"Report: {index}"]
    payload = {
        "schema": "judgestats/run/1",
        "index": str(index),
        "results": str(request.out / "results.json"),
        "files": [str(path) for path in files],
        "made": study.ledger.made,
        "reused": study.ledger.reused,
        "gate": gate.status,
        "rule_met": met,
        "warnings": list(findings.warnings),
        "notices": [asdict(notice) for notice in notices],
        "effects": [record.to_dict() for record in headline(findings.records)],
    }
    voice.result("\n".join(text), payload)
    if met:
        raise typer.Exit(RULE_MET)
    if gate.status == "fail":
        raise typer.Exit(GATE_RED)


def left_out_lines(notices: Sequence[Notice]) -> list[str]:
    """Return the notices about trials that no stage counts as lines, and how many further notices the pages print."""
    out = [f"Left out: {notice.text}" for notice in notices if notice.code in LEFT_OUT]
    others = sum(notice.code not in LEFT_OUT for notice in notices)
    if others:
        out.append(
            f"{others} further notice{'s' if others > 1 else ''} about the trials on the pages and in `judgestats validate`"
        )
    return out


def refitted_words(stages: Sequence[str]) -> str:
    """Return in words which fits are never stored; empty where all are."""
    if not stages:
        return ""
    return f"Exact fits ({', '.join(stages)}) are not stored: they are made again where a missing piece needs them."
