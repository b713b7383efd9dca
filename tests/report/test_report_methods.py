from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from judgestats.report.citations import CITATIONS, bibliography, cite
from judgestats.report.gather.report import report_facts
from judgestats.report.methods import markdown, methods_text, tex


def keys(bib: str) -> set[str]:
    return set(re.findall(r"@\w+\{([^,]+),", bib))


def test_tex_cites_what_the_bibliography_holds(facts):
    cited = set(re.findall(r"\\cite\{([^}]+)\}", methods_text(facts, "tex")))
    assert cited <= keys(bibliography(facts))
    assert keys(bibliography(facts)) - cited == {"judgestats"}


def test_only_what_ran_is_cited(facts, findings):
    assert "hoffman2014nuts" not in keys(bibliography(facts)), "the exact engine is no sampler"
    assert "vehtari2021rhat" not in keys(bibliography(facts))
    assert {"phipson2010permutation", "kallioinen2024powerscaling", "hanley1983zero"} <= keys(bibliography(facts))
    bare = report_facts(replace(findings, falsification=(), sensitivity=(), loo=(), items=()))
    assert not {"phipson2010permutation", "kallioinen2024powerscaling", "vehtari2017loo"} & keys(bibliography(bare))
    assert "permuted" not in methods_text(bare, "txt")
    enumerated = tuple(replace(row, enumerated=True) for row in findings.falsification)
    assert "phipson2010permutation" not in keys(bibliography(report_facts(replace(findings, falsification=enumerated))))


@pytest.mark.parametrize(("engine", "key"), [("numpyro", "phan2019numpyro"), ("pymc", "abrilpla2023pymc")])
def test_samplers_bring_their_references_and_settings(findings, engine, key):
    card = replace(findings.analysis, engine={"validity": engine, "shift": engine})
    records = tuple(replace(r, rhat=1.001, ess_bulk=2100.0, ess_tail=1900.0) for r in findings.records)
    facts = report_facts(replace(findings, analysis=card, records=records))
    assert {key, "hoffman2014nuts", "vehtari2021rhat", "kumar2019arviz"} <= keys(bibliography(facts))
    assert "4 chains of 1000 draws after 1000 warm-up steps" in methods_text(facts, "txt")


def test_true_settings_stand_in_the_text(facts):
    text = methods_text(facts, "txt")
    for words in (
        "960 trials",
        "931 answers were valid and 29 were lost",
        "95 % equal-tailed",
        "seed 7",
        "1,000 permutations",
        "alpha ~ N(0, 1.5)",
    ):
        assert words in text
    assert "passed by 5 of 6 cells and failed by 1" in text


def test_the_three_markups_say_the_same(facts):
    plain = re.sub(r" \[[^\]]*\(\d{4}\)\]", "", methods_text(facts, "txt"))
    as_tex = re.sub(r"~\\cite\{[^}]+\}", "", methods_text(facts, "tex"))
    for escaped, char in (
        (r"\textasciitilde{}", "~"),
        (r"\textbar{}", "|"),
        (r"\_", "_"),
        (r"\%", "%"),
    ):
        as_tex = as_tex.replace(escaped, char)
    assert as_tex == plain


def test_bibtex_is_balanced_and_without_addresses(facts):
    bib = bibliography(facts)
    assert bib.count("{") == bib.count("}")
    assert "http" not in bib
    assert "doi = {10.1038/s41562-021-01177-7}" in bib
    assert "eprint = {2606.14117}" in bib


def test_every_citation_is_known_and_unknown_ones_are_refused(facts):
    assert len({c.key for c in CITATIONS}) == len(CITATIONS)
    for citation in CITATIONS:
        assert citation.entry.startswith("@")
        assert citation.key in citation.entry
        assert cite(facts, citation.key) in ("", citation.short)
    with pytest.raises(ValueError, match="unknown"):
        cite(facts, "nobody2020")


@given(st.text(max_size=60))
def test_no_text_acts_in_latex(text):
    out = tex(text)
    bare = re.sub(
        r"\\(textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar)\{\}|\\[{}$&#%_]", "", out
    )
    assert not set(bare) & set("\\{}$&#%_^~")


@given(st.text(alphabet=st.sampled_from("ab*_`[]()<>&!|\\#~: /javscript:http."), max_size=40))
def test_no_text_acts_in_markdown(text):
    shown = " ".join(f"x {text} x".split())
    tokens = MarkdownIt("commonmark").parse(f"Before {markdown(shown)} after")
    kinds = {child.type for token in tokens for child in token.children or []}
    assert kinds <= {"text", "text_special", "softbreak"}, kinds
    content = "".join(child.content for token in tokens for child in token.children or [])
    assert content == f"Before {shown} after"
