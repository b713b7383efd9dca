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
    from judgestats.checks.falsification import Falsification
    from judgestats.draws.record import Record
    from judgestats.study.analysis import Analysis
    from judgestats.study.invocation import Invocation
    from judgestats.study.run import Run
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
def watched(request: Request, voice: Voice) -> Iterator[Run]:
    """Yield the run in its claimed folder, with progress; Ctrl-C names the command to go on with."""
    from judgestats.cli.progress import progress
    from judgestats.study.run import open_run

    study: Run | None = None
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


def interruption(study: Run | None, out: Path) -> str:
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
    from judgestats.study.gate_rows import gate_summary
    from judgestats.study.rule import rule_met

    voice = Voice(as_json, quiet)
    with watched(request, voice) as study:
        findings = study.findings()
        files = study.write(findings)
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


def headline(records: Sequence[Record]) -> list[Record]:
    """Return the marginal Delta P of every judge and domain."""
    return [
        r
        for r in records
        if r.estimand == "delta_p" and r.version == "marginal" and r.judge is not None and r.domain is not None
    ]


def effect_lines(records: Sequence[Record]) -> list[str]:
    """Return the marginal Delta P of every judge and domain as lines of a table, the share of lost trials beside it.

    Numbers and words are those of the pages: the posterior mean, and no number where the effect is not estimable.
    """
    from judgestats.report.labels import outcome_key, outcome_label

    shown = headline(records)
    ends = sorted({_interval_words(r) for r in shown} - {""})
    rows = [("judge", "domain", "Delta P, mean", " or ".join(ends), "P(>0)", "lost", "outcome", "planted")]
    for r in shown:
        outcome = outcome_key(r.outcome)
        known = outcome != "not_estimable"
        numbers = (
            f"{r.mean:+.3f}" if known and r.mean is not None else "",
            f"[{r.lower:+.3f}, {r.upper:+.3f}]" if known and r.lower is not None and r.upper is not None else "",
            f"{r.p_gt_0:.3f}" if known and r.p_gt_0 is not None else "",
        )
        lost = f"{sum(r.n_lost.values())}/{r.n_asked}" if r.n_asked else ""
        planted = "" if r.planted is None else f"{r.planted:+.3f}"
        words = outcome_label(outcome, has_rope=r.rope is not None)
        rows.append((str(r.judge), str(r.domain), *numbers, lost, words, planted))
    return [*aligned(rows), *_rope_line(shown)]


def _interval_words(record: Record) -> str:
    kinds = {"eti": "interval", "hdi": "HDI"}
    kind = kinds.get(record.ci_kind or "", "interval")
    return "" if record.ci_prob is None else f"{100 * record.ci_prob:g} % {kind}"


def _rope_line(records: Sequence[Record]) -> list[str]:
    ropes = sorted({r.rope for r in records if r.rope is not None})
    if not ropes:
        return []
    text = " and ".join(f"[{low:g}, {high:g}]" for low, high in ropes)
    return [f"ROPE, the region of practical equivalence of Delta P: {text}"]


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


def falsification_lines(rows: Sequence[Falsification]) -> list[str]:
    """Return permutation p-values as lines of a table."""
    table = [("judge", "domain", "scheme", "observed", "p", "smallest p", "refits", "distinct")]
    for r in rows:
        refits = "all" if r.enumerated else str(r.permutations)
        numbers = (f"{r.observed:+.4f}", f"{r.p_value:.4f}", f"{r.smallest_p:.4f}", refits, str(r.distinct))
        table.append((r.judge, r.domain, r.scheme, *numbers))
    return aligned(table)


def aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return rows as lines with aligned columns; empty columns are left out."""
    keep = [i for i in range(len(rows[0])) if any(row[i] for row in rows[1:])] if len(rows) > 1 else range(len(rows[0]))
    widths = {i: max(len(row[i]) for row in rows) for i in keep}
    return ["  ".join(row[i].ljust(widths[i]) for i in keep).rstrip() for row in rows]
