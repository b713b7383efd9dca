"""Methods text: what was done, from the true settings, in Markdown, LaTeX and plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgestats.report import outcome
from judgestats.report.citations import cite
from judgestats.report.facts import ReportFacts
from judgestats.report.gather.provenance import lookup
from judgestats.report.labels import IMPLIED_PRIOR, SCHEME_WORDS, SENSITIVITY_WORDS, STAGE_WORDS, sentence_case
from judgestats.report.numbers import count

Flavour = Literal["md", "tex", "txt"]


@dataclass(frozen=True)
class Cited:
    """A place in the text where a reference goes; empty when what it stands for did not run."""

    key: str


Piece = str | Cited


def methods_text(report: ReportFacts, flavour: Flavour) -> str:
    """Return the methods text.

    Parameters
    ----------
    report : ReportFacts
        The facts.
    flavour : {"md", "tex", "txt"}
        Markup; LaTeX cites by key from references.bib, the others by author and year.

    Returns
    -------
    str
        Paragraphs separated by blank lines, ending in a newline.
    """
    paragraphs = [_data(report), _model(report), _computation(report), _checks(report), _decision(report)]
    return "\n\n".join(render_pieces(p, lambda key: cite(report, key), flavour) for p in paragraphs if p) + "\n"


def _data(report: ReportFacts) -> list[Piece]:
    card = report.analysis
    asked = sum(c.loss.asked for c in report.cells)
    valid = sum(c.loss.valid for c in report.cells)
    judges, domains = len({c.judge for c in report.cells}), len({c.domain for c in report.cells})
    simulated = " The judges are simulated, with planted effects." if card.simulated else ""
    return [
        f"{card.design.rstrip('.')}. " if card.design else "",
        f"{_many(judges, 'judge')} answered {_many(asked, 'trial')} in {_many(domains, 'domain')}; ",
        f"{count(valid)} answers were valid and {count(asked - valid)} were lost to refusals, filters or format.{simulated} ",
        "A lost trial is a status of its own and was never counted as an answer.",
    ]


def _many(n: int, word: str) -> str:
    return f"{count(n)} {word}" + ("" if n == 1 else "s")


def _model(report: ReportFacts) -> list[Piece]:
    card = report.analysis
    pooled = "partially pooled over judges and domains" if card.pooling == "partial" else "fitted without pooling"
    cluster = " and clusters" if card.has_clusters else ""
    priors = "; ".join(
        dict.fromkeys(
            f"{p.parameter} ~ {p.prior} ({STAGE_WORDS.get(p.stage, p.stage)})"
            for p in report.priors
            if p.prior != IMPLIED_PRIOR
        )
    )
    pieces: list[Piece] = [
        "We kept validity apart from bias with a two-stage Bayesian logistic model",
        Cited("cohen2026twostage"),
        ": the probability of a valid answer by block (stage A), and, given a valid answer, the probability of a ",
        f"{card.success_word} one by block (stage B), with varying intercepts for items{cluster}; judge by domain "
        f"cells were {pooled}",
        Cited("gelman2012multiple"),
        ". ",
    ]
    if priors:
        pieces.append(f"Priors: {priors}. ")
    pieces.append(f"The effect, {card.effect_name}, is {card.effect_definition}, with item effects integrated out.")
    return pieces


def _computation(report: ReportFacts) -> list[Piece]:
    card = report.analysis
    pieces: list[Piece] = []
    for stage, engine in card.engine.items():
        pieces.append(f"{sentence_case(STAGE_WORDS.get(stage, stage))} was computed with the {engine} engine")
        if engine in ("numpyro", "pymc", "nutpie"):
            pieces += [" (No-U-Turn sampler", Cited("hoffman2014nuts"), chain_words(report.provenance), ")"]
            pieces += [Cited("phan2019numpyro") if engine == "numpyro" else Cited("abrilpla2023pymc")]
        if engine == "exact":
            pieces.append(
                " (a weighted grid over the parameters of each cell, item effects integrated out by quadrature)"
            )
        pieces.append(". ")
    counts = {
        status: sum(c.gate.status == status for c in report.cells) for status in ("pass", "warn", "fail", "undefined")
    }
    pieces.append(f"The gate on every reported quantity was passed by {counts['pass']} of {len(report.cells)} cells")
    if counts["fail"]:
        pieces.append(f" and failed by {counts['fail']}, whose estimates are not quoted")
    pieces.append(".")
    if cite(report, "vehtari2021rhat"):
        pieces += [" R-hat and effective sample sizes are rank-normalised", Cited("vehtari2021rhat"), "."]
    if cite(report, "kumar2019arviz"):
        pieces += [" Diagnostics were computed with ArviZ", Cited("kumar2019arviz"), "."]
    pieces.append(f" judgestats {report.version}, seed {card.seed}.")
    return pieces


def chain_words(provenance: dict[str, Any]) -> str:
    """Return how many chains and draws a sampler ran, to follow its name; empty where it is not recorded."""
    chains, warmup, draws = (lookup(provenance, name) for name in ("chains", "warmup", "draws"))
    if chains is None or draws is None:
        return ""
    return f", {chains} chains of {draws} draws" + (f" after {warmup} warm-up steps" if warmup is not None else "")


def _checks(report: ReportFacts) -> list[Piece]:
    pieces: list[Piece] = []
    kinds = list(dict.fromkeys(row.kind for cell in report.cells for row in cell.sensitivity))
    if any(row.source == "posterior" for cell in report.cells for row in cell.predictive):
        pieces.append("Fit was judged by posterior predictive checks. ")
    if any(cell.loo for cell in report.cells):
        pieces += ["Leave-one-out cross-validation took the item as its unit", Cited("vehtari2017loo"), ". "]
    if kinds:
        words = [SENSITIVITY_WORDS.get(kind, kind.replace("_", " ")) for kind in kinds]
        pieces += [f"Sensitivity: {'; '.join(_lower(w) for w in words)}", Cited("kallioinen2024powerscaling"), ". "]
    runs = list(dict.fromkeys((r.scheme, r.permutations, r.enumerated) for c in report.cells for r in c.falsification))
    for scheme, permutations, enumerated in runs:
        how = "all distinct outcomes enumerated" if enumerated else f"{count(permutations)} permutations"
        pieces.append(
            f"Falsification: block labels were permuted {SCHEME_WORDS.get(scheme, scheme)} among valid trials ({how})"
        )
        pieces += ["" if enumerated else Cited("phipson2010permutation"), " and the model refitted. "]
    if any(len(cell.loss.bounds) > 1 for cell in report.cells):
        pieces += ["Worst-case bounds over the lost trials stand beside every effect", Cited("horowitz2000bounds"), "."]
    return pieces


def _decision(report: ReportFacts) -> list[Piece]:
    card = report.analysis
    kind = {"eti": "equal-tailed", "hdi": "highest-density"}.get(card.ci_kind, card.ci_kind)
    pieces: list[Piece] = [f"Intervals are {100 * card.ci_prob:g} % {kind} credible intervals. "]
    if card.decision_rule:
        pieces += [
            f"Decision rule, fixed before the run: {outcome.rule(report).rstrip('.')}",
            Cited("kruschke2018rope"),
            ". ",
        ]
    if any(c.separation is not None and c.separation.complete for c in report.cells):
        pieces += [
            "Cells without a contrary answer are reported as bounded, with the rule of three",
            Cited("hanley1983zero"),
            ". ",
        ]
    pieces += ["Reporting follows the Bayesian analysis reporting guidelines", Cited("kruschke2021barg"), "."]
    return pieces


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def render_pieces(pieces: Sequence[Piece], short: Callable[[str], str], flavour: Flavour) -> str:
    """Return one paragraph; `short` gives the author and year of a citation key, empty where it does not apply."""
    out = []
    for piece in pieces:
        if isinstance(piece, Cited):
            name = short(piece.key)
            if name:
                out.append(f"~\\cite{{{piece.key}}}" if flavour == "tex" else f" [{name}]")
        else:
            out.append(tex(piece) if flavour == "tex" else markdown(piece) if flavour == "md" else piece)
    return re.sub(r"  +", " ", "".join(out)).strip()


TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def tex(text: str) -> str:
    """Return text with every character that LaTeX would act on escaped."""
    return "".join(TEX.get(char, char) for char in text)


def markdown(text: str) -> str:
    """Return text that Markdown prints as it is: no markup, no HTML, no link."""
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    safe = re.sub(r"([\\`*_|~])", r"\\\1", safe)
    return re.sub(r"\](?=[(\[:])", r"\\]", safe)
