"""Score methods: what was done to scores, from the true settings, in Markdown, LaTeX and plain text."""

from __future__ import annotations

from judgestats.report import outcome
from judgestats.report.labels import IMPLIED_PRIOR, sentence_case
from judgestats.report.methods import Cited, Flavour, Piece, chain_words, render_pieces
from judgestats.report.numbers import count
from judgestats.report.score_citations import SAMPLERS, score_cite
from judgestats.report.score_facts import ScoreReportFacts
from judgestats.report.score_labels import SCORE_SENSITIVITY_WORDS, score_stage


def score_methods_text(report: ScoreReportFacts, flavour: Flavour) -> str:
    """Return the methods text: paragraphs separated by blank lines, ending in a newline.

    Parameters
    ----------
    report : ScoreReportFacts
        The facts.
    flavour : {"md", "tex", "txt"}
        Markup; LaTeX cites by key from references.bib, the others by author and year.
    """
    paragraphs = [_data(report), _model(report), _computation(report), _checks(report), _decision(report)]
    return "\n\n".join(render_pieces(p, lambda key: score_cite(report, key), flavour) for p in paragraphs if p) + "\n"


def _many(n: int, word: str) -> str:
    return f"{count(n)} {word}" + ("" if n == 1 else "s")


def _data(report: ScoreReportFacts) -> list[Piece]:
    card = report.analysis
    asked, valid = (sum(getattr(c, name) for c in report.cells) for name in ("asked", "valid"))
    judges, domains = len({c.judge for c in report.cells}), len({c.domain for c in report.cells})
    simulated = " The judges are simulated, with planted effects." if card.simulated else ""
    names = [report.names[v] for v in report.variants if not v.is_base]
    return [
        f"{card.design.rstrip('.')}. " if card.design else "",
        f"{_many(judges, 'judge')} scored answers of {_many(domains, 'domain')} from {report.range_words}, without a cue "
        f"(base) and under {_many(len(names), 'variant')}: {'; '.join(names)}",
        Cited("xu2026unfair"),
        f". Of {_many(asked, 'trial')} {count(valid)} gave a valid score and {count(asked - valid)} were lost to refusals, "
        f"filters or format.{simulated} A lost trial is a status of its own and was never given a score.",
    ]


def _model(report: ScoreReportFacts) -> list[Piece]:
    card = report.analysis
    pooled = "partially pooled over judges and domains" if card.pooling == "partial" else "fitted without pooling"
    kind: list[Piece] = ["stage B the score given a valid answer, by variant"]
    if card.model == "two_stage_ordinal":
        kind = ["stage B the score given a valid answer, by a cumulative-logit model", Cited("burkner2019ordinal")]
    if card.model == "two_stage_shift":
        kind = [
            "stage B the paired difference to the base of the same item, by a hurdle for equal scores and a student-t rounded "
            "to the step of the scale and truncated to what the base score allows"
        ]
    rows = [p for p in report.priors if p.prior != IMPLIED_PRIOR]
    priors = "; ".join(dict.fromkeys(f"{p.parameter} ~ {p.prior} ({score_stage(p.stage)})" for p in rows))
    pieces: list[Piece] = [
        "We kept validity apart from bias with a two-stage Bayesian model: stage A is the probability of a valid answer by ",
        "variant, ",
        *kind,
        f", both with varying intercepts for items; judge by domain cells were {pooled}",
        Cited("gelman2012multiple"),
        ". ",
    ]
    if priors:
        pieces.append(f"Priors: {priors}. ")
    pieces.append(f"The effect, {card.effect_name}, is {card.effect_definition}, with item effects integrated out.")
    return pieces


def _computation(report: ScoreReportFacts) -> list[Piece]:
    card = report.analysis
    pieces: list[Piece] = []
    for stage, engine in card.engine.items():
        pieces.append(f"{sentence_case(score_stage(stage))} was computed with the {engine} engine")
        if engine in SAMPLERS:
            pieces += [" (No-U-Turn sampler", Cited("hoffman2014nuts"), chain_words(report.provenance), ")"]
            pieces += [Cited("phan2019numpyro") if engine == "numpyro" else Cited("abrilpla2023pymc")]
        pieces.append(". ")
    passed, failed = (sum(c.gate.status == s for c in report.cells) for s in ("pass", "fail"))
    pieces.append(f"The gate on every reported quantity was passed by {passed} of {len(report.cells)} cells")
    if failed:
        pieces.append(f" and failed by {failed}, whose estimates are not quoted")
    pieces.append(".")
    if score_cite(report, "vehtari2021rhat"):
        pieces += [" R-hat and effective sample sizes are rank-normalised", Cited("vehtari2021rhat"), "."]
    pieces.append(f" judgestats {report.version}, seed {card.seed}.")
    return pieces


def _checks(report: ScoreReportFacts) -> list[Piece]:
    pieces: list[Piece] = []
    variants = [v for c in report.cells for v in c.variants]
    if any(v.predictive for v in variants):
        pieces.append("Fit was judged by posterior predictive checks of the share of every score level. ")
    kinds = dict.fromkeys(row.kind for v in variants for row in v.sensitivity)
    words = [SCORE_SENSITIVITY_WORDS[k] for k in kinds if k in SCORE_SENSITIVITY_WORDS]
    if words:
        pieces.append(f"Sensitivity: {'; '.join(w[:1].lower() + w[1:] for w in words)}. ")
    if "room" in kinds or any(c.paired for c in report.cells):
        pieces.append("Effects were estimated again on items whose base score leaves room both ways. ")
    if report.placebo:
        pieces.append("Neutral notes of the same place and length (placebo) gave the noise floor of every cue. ")
    tested = [v.falsification for v in variants if v.falsification is not None]
    if tested:
        pieces += ["Falsification: variant and base labels were swapped within items", Cited("phipson2010permutation")]
        pieces += [
            "; the p over all variants and cells is that of the smallest p",
            Cited("westfall1993resampling"),
            ". ",
        ]
    if score_cite(report, "horowitz2000bounds"):
        pieces += [
            "Worst-case bounds of every shift give lost answers the ends of the scale",
            Cited("horowitz2000bounds"),
        ]
        pieces.append(".")
    return pieces


def _decision(report: ScoreReportFacts) -> list[Piece]:
    card = report.analysis
    kind = {"eti": "equal-tailed", "hdi": "highest-density"}.get(card.ci_kind, card.ci_kind)
    pieces: list[Piece] = [f"Intervals are {100 * card.ci_prob:g} % {kind} credible intervals. "]
    if card.decision_rule:
        rule = outcome.rule_words(card.decision_rule).rstrip(".")
        pieces += [f"Decision rule, fixed before the run: {rule}", Cited("kruschke2018rope"), ". "]
    pieces += ["Reporting follows the Bayesian analysis reporting guidelines", Cited("kruschke2021barg"), "."]
    return pieces
