"""Citations: what a report cites, only what ran."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judgestats.report.facts import ReportFacts


@dataclass(frozen=True)
class Citation:
    """One reference.

    Parameters
    ----------
    key : str
        BibTeX key.
    short : str
        Author and year, as the text names it.
    entry : str
        BibTeX entry.
    applies : callable
        Whether a report used it.
    """

    key: str
    short: str
    entry: str
    applies: Callable[[ReportFacts], bool]


def bib_entry(kind: str, key: str, **fields: str) -> str:
    """Return a BibTeX entry."""
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{body}\n}}\n"


def _engine(*names: str) -> Callable[[ReportFacts], bool]:
    return lambda report: any(engine in names for engine in report.analysis.engine.values())


def _any_estimate(report: ReportFacts, *names: str) -> bool:
    return any(e.estimand in names for cell in report.cells for e in cell.estimates)


def _any_sensitivity(report: ReportFacts, kind: str) -> bool:
    return any(row.kind == kind for cell in report.cells for row in cell.sensitivity)


def _any_rhat(report: ReportFacts) -> bool:
    estimates = any(e.rhat.value is not None for cell in report.cells for e in cell.estimates)
    return estimates or any(r.criterion == "rhat" and r.value is not None for c in report.cells for r in c.gate.rows)


def _any_loo(report: ReportFacts) -> bool:
    return any(row.pareto_k_max is not None for cell in report.cells for row in cell.loo)


CITATIONS: tuple[Citation, ...] = (
    Citation(
        "cohen2026twostage",
        "Cohen and Kincaid (2026)",
        bib_entry(
            "misc",
            "cohen2026twostage",
            author="Cohen and Kincaid",
            title="A Two-Stage Statistical Framework for Evaluating Associative Interference in {LLMs}",
            year="2026",
            eprint="2606.14117",
            archiveprefix="arXiv",
        ),
        lambda report: report.analysis.model == "two_stage_association",
    ),
    Citation(
        "kruschke2021barg",
        "Kruschke (2021)",
        bib_entry(
            "article",
            "kruschke2021barg",
            author="Kruschke, John K.",
            title="Bayesian Analysis Reporting Guidelines",
            journal="Nature Human Behaviour",
            volume="5",
            pages="1282--1291",
            year="2021",
            doi="10.1038/s41562-021-01177-7",
        ),
        lambda report: True,
    ),
    Citation(
        "kruschke2018rope",
        "Kruschke (2018)",
        bib_entry(
            "article",
            "kruschke2018rope",
            author="Kruschke, John K.",
            title="Rejecting or Accepting Parameter Values in {Bayesian} Estimation",
            journal="Advances in Methods and Practices in Psychological Science",
            volume="1",
            number="2",
            pages="270--280",
            year="2018",
            doi="10.1177/2515245918771304",
        ),
        lambda report: any(c.headline is not None and c.headline.p_rope.value is not None for c in report.cells),
    ),
    Citation(
        "hoffman2014nuts",
        "Hoffman and Gelman (2014)",
        bib_entry(
            "article",
            "hoffman2014nuts",
            author="Hoffman, Matthew D. and Gelman, Andrew",
            title="The {No-U-Turn} Sampler: Adaptively Setting Path Lengths in {Hamiltonian Monte Carlo}",
            journal="Journal of Machine Learning Research",
            volume="15",
            pages="1593--1623",
            year="2014",
        ),
        _engine("numpyro", "pymc", "nutpie"),
    ),
    Citation(
        "abrilpla2023pymc",
        "Abril-Pla et al. (2023)",
        bib_entry(
            "article",
            "abrilpla2023pymc",
            author="Abril-Pla, Oriol and others",
            title="{PyMC}: a modern, and comprehensive probabilistic programming framework in {Python}",
            journal="PeerJ Computer Science",
            volume="9",
            pages="e1516",
            year="2023",
            doi="10.7717/peerj-cs.1516",
        ),
        _engine("pymc", "nutpie"),
    ),
    Citation(
        "phan2019numpyro",
        "Phan, Pradhan and Jankowiak (2019)",
        bib_entry(
            "misc",
            "phan2019numpyro",
            author="Phan, Du and Pradhan, Neeraj and Jankowiak, Martin",
            title="Composable Effects for Flexible and Accelerated Probabilistic Programming in {NumPyro}",
            year="2019",
            eprint="1912.11554",
            archiveprefix="arXiv",
        ),
        _engine("numpyro"),
    ),
    Citation(
        "vehtari2021rhat",
        "Vehtari et al. (2021)",
        bib_entry(
            "article",
            "vehtari2021rhat",
            author='Vehtari, Aki and Gelman, Andrew and Simpson, Daniel and Carpenter, Bob and B{\\"u}rkner, Paul-Christian',
            title="Rank-Normalization, Folding, and Localization: "
            "An Improved {$\\widehat{R}$} for Assessing Convergence of {MCMC}",
            journal="Bayesian Analysis",
            volume="16",
            number="2",
            pages="667--718",
            year="2021",
            doi="10.1214/20-BA1221",
        ),
        _any_rhat,
    ),
    Citation(
        "vehtari2017loo",
        "Vehtari, Gelman and Gabry (2017)",
        bib_entry(
            "article",
            "vehtari2017loo",
            author="Vehtari, Aki and Gelman, Andrew and Gabry, Jonah",
            title="Practical {Bayesian} model evaluation using leave-one-out cross-validation and {WAIC}",
            journal="Statistics and Computing",
            volume="27",
            pages="1413--1432",
            year="2017",
            doi="10.1007/s11222-016-9696-4",
        ),
        _any_loo,
    ),
    Citation(
        "kallioinen2024powerscaling",
        "Kallioinen et al. (2024)",
        bib_entry(
            "article",
            "kallioinen2024powerscaling",
            author='Kallioinen, Noa and Paananen, Topi and B{\\"u}rkner, Paul-Christian and Vehtari, Aki',
            title="Detecting and diagnosing prior and likelihood sensitivity with power-scaling",
            journal="Statistics and Computing",
            volume="34",
            year="2024",
            doi="10.1007/s11222-023-10366-5",
        ),
        lambda report: _any_sensitivity(report, "power_scaling"),
    ),
    Citation(
        "kumar2019arviz",
        "Kumar et al. (2019)",
        bib_entry(
            "article",
            "kumar2019arviz",
            author="Kumar, Ravin and Carroll, Colin and Hartikainen, Ari and Martin, Osvaldo",
            title="{ArviZ} a unified library for exploratory analysis of {Bayesian} models in {Python}",
            journal="Journal of Open Source Software",
            volume="4",
            number="33",
            pages="1143",
            year="2019",
            doi="10.21105/joss.01143",
        ),
        lambda report: _any_rhat(report) or _any_loo(report) or _any_sensitivity(report, "power_scaling"),
    ),
    Citation(
        "phipson2010permutation",
        "Phipson and Smyth (2010)",
        bib_entry(
            "article",
            "phipson2010permutation",
            author="Phipson, Belinda and Smyth, Gordon K.",
            title="Permutation {P}-values Should Never Be Zero: "
            "Calculating Exact {P}-values When Permutations Are Randomly Drawn",
            journal="Statistical Applications in Genetics and Molecular Biology",
            volume="9",
            number="1",
            year="2010",
            doi="10.2202/1544-6115.1585",
        ),
        lambda report: any(not row.enumerated for cell in report.cells for row in cell.falsification),
    ),
    Citation(
        "horowitz2000bounds",
        "Horowitz and Manski (2000)",
        bib_entry(
            "article",
            "horowitz2000bounds",
            author="Horowitz, Joel L. and Manski, Charles F.",
            title="Nonparametric Analysis of Randomized Experiments with Missing Covariate and Outcome Data",
            journal="Journal of the American Statistical Association",
            volume="95",
            number="449",
            pages="77--84",
            year="2000",
            doi="10.1080/01621459.2000.10473902",
        ),
        lambda report: _any_estimate(report, "worst_case_low", "worst_case_high"),
    ),
    Citation(
        "hanley1983zero",
        "Hanley and Lippman-Hand (1983)",
        bib_entry(
            "article",
            "hanley1983zero",
            author="Hanley, James A. and Lippman-Hand, Abby",
            title="If Nothing Goes Wrong, Is Everything All Right? Interpreting Zero Numerators",
            journal="JAMA",
            volume="249",
            number="13",
            pages="1743--1745",
            year="1983",
            doi="10.1001/jama.1983.03330370053031",
        ),
        lambda report: any(c.separation is not None and c.separation.complete for c in report.cells),
    ),
    Citation(
        "gelman2012multiple",
        "Gelman, Hill and Yajima (2012)",
        bib_entry(
            "article",
            "gelman2012multiple",
            author="Gelman, Andrew and Hill, Jennifer and Yajima, Masanao",
            title="Why We (Usually) Don't Have to Worry About Multiple Comparisons",
            journal="Journal of Research on Educational Effectiveness",
            volume="5",
            number="2",
            pages="189--211",
            year="2012",
            doi="10.1080/19345747.2011.618213",
        ),
        lambda report: report.analysis.pooling == "partial" or _any_sensitivity(report, "pooling"),
    ),
)


def citations(report: ReportFacts) -> tuple[Citation, ...]:
    """Return the citations of what ran, in a fixed order."""
    return tuple(citation for citation in CITATIONS if citation.applies(report))


def bibliography(report: ReportFacts) -> str:
    """Return references.bib: the software itself and what ran."""
    own = bib_entry(
        "software",
        "judgestats",
        author="{The judgestats maintainers}",
        title="{judgestats}: hierarchical {Bayesian} statistics for {LLM} judges",
        version=report.version,
    )
    return "\n".join([own, *(c.entry for c in citations(report))])


def cite(report: ReportFacts, key: str) -> str:
    """Return the short form of a citation when it applies; ValueError for a key that is not known."""
    for citation in CITATIONS:
        if citation.key == key:
            return citation.short if citation.applies(report) else ""
    raise ValueError(f"citation {key!r} is unknown")
