"""Score citations: what a report on scores cites, only what ran."""

from __future__ import annotations

from collections.abc import Callable

from judgestats.report.citations import CITATIONS, bib_entry
from judgestats.report.score_facts import ScoreReportFacts

SAMPLERS = ("numpyro", "pymc", "nutpie")
OWN: dict[str, tuple[str, str]] = {
    "xu2026unfair": (
        "Xu et al. (2026)",
        bib_entry(
            "misc",
            "xu2026unfair",
            author="Xu and others",
            title="Inside the Unfair Judge",
            year="2026",
            eprint="2607.11871",
            archiveprefix="arXiv",
        ),
    ),
    "burkner2019ordinal": (
        "Bürkner and Vuorre (2019)",
        bib_entry(
            "article",
            "burkner2019ordinal",
            author='B{\\"u}rkner, Paul-Christian and Vuorre, Matti',
            title="Ordinal Regression Models in Psychology: A Tutorial",
            journal="Advances in Methods and Practices in Psychological Science",
            volume="2",
            number="1",
            pages="77--101",
            year="2019",
            doi="10.1177/2515245918823199",
        ),
    ),
    "westfall1993resampling": (
        "Westfall and Young (1993)",
        bib_entry(
            "book",
            "westfall1993resampling",
            author="Westfall, Peter H. and Young, S. Stanley",
            title="Resampling-Based Multiple Testing",
            publisher="Wiley",
            year="1993",
        ),
    ),
}


def _engine(*names: str) -> Callable[[ScoreReportFacts], bool]:
    return lambda report: any(engine in names for engine in report.analysis.engine.values())


def _rhat(report: ScoreReportFacts) -> bool:
    return any(row.criterion == "rhat" and row.value is not None for c in report.cells for row in c.gate.rows)


def _effect(report: ScoreReportFacts, name: str) -> bool:
    return any(name in v.effects for c in report.cells for v in c.variants)


def _permuted(report: ScoreReportFacts, *, over: bool) -> bool:
    rows = [v.falsification for c in report.cells for v in c.variants if v.falsification is not None]
    return any(row.p_max is not None if over else row.permutations > 0 for row in rows)


APPLIES: dict[str, Callable[[ScoreReportFacts], bool]] = {
    "xu2026unfair": lambda report: len(report.variants) > 2,
    "burkner2019ordinal": lambda report: report.analysis.model == "two_stage_ordinal",
    "kruschke2021barg": lambda report: True,
    "kruschke2018rope": lambda report: any(
        v.shift is not None and v.shift.rope is not None for c in report.cells for v in c.shifted
    ),
    "hoffman2014nuts": _engine(*SAMPLERS),
    "abrilpla2023pymc": _engine("pymc", "nutpie"),
    "phan2019numpyro": _engine("numpyro"),
    "vehtari2021rhat": _rhat,
    "phipson2010permutation": lambda report: _permuted(report, over=False),
    "westfall1993resampling": lambda report: _permuted(report, over=True),
    "horowitz2000bounds": lambda report: _effect(report, "worst_case_low"),
    "gelman2012multiple": lambda report: (
        report.analysis.pooling == "partial" or any(v.other is not None for c in report.cells for v in c.variants)
    ),
}


def score_cite(report: ScoreReportFacts, key: str) -> str:
    """Return the short form of a citation when it applies; ValueError for a key that is not known."""
    if key not in APPLIES:
        raise ValueError(f"citation {key!r} is unknown")
    return _texts(key)[0] if APPLIES[key](report) else ""


def score_bibliography(report: ScoreReportFacts) -> str:
    """Return references.bib: the software itself and what ran."""
    own = bib_entry(
        "software",
        "judgestats",
        author="{The judgestats maintainers}",
        title="{judgestats}: hierarchical {Bayesian} statistics for {LLM} judges",
        version=report.version,
    )
    return "\n".join([own, *(_texts(key)[1] for key, applies in APPLIES.items() if applies(report))])


def _texts(key: str) -> tuple[str, str]:
    """Return short form and BibTeX entry."""
    if key in OWN:
        return OWN[key]
    found = next(c for c in CITATIONS if c.key == key)
    return found.short, found.entry
