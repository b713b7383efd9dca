from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pytest
from example_findings import HOSTILE_ITEM, HOSTILE_JUDGE, TRUTHS
from page_reader import read_page, read_table

from judgestats.report.write import write_report

SECTIONS = [
    "answer",
    "validity",
    "decision",
    "estimates",
    "items",
    "model",
    "computation",
    "fit",
    "sensitivity",
    "falsification",
    "mechanism",
    "methods",
    "reproduce",
]
FORBIDDEN = ("significant", "is neutral", "unbiased", "—")
TWO_MB = 2 * 1024 * 1024


def cell_pages(pages):
    return {path: page for path, page in pages.items() if path != "index.html"}


def test_files_of_a_report(folder, facts):
    names = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    files = "index.html results.json report.md methods.md methods.tex methods.txt references.bib provenance.json"
    assert names == {*files.split(), *(c.path for c in facts.cells)}


def test_sections_in_their_fixed_order(pages):
    for page in cell_pages(pages).values():
        assert [s.attrs["id"] for s in page.all("section")] == SECTIONS
        for section in page.all("section"):
            assert len(section.text()) > len(section.one("h2").text()) + 20, "an empty section says why"


def test_the_headline_is_the_fact(pages, facts):
    for cell in facts.cells:
        page = pages[cell.path]
        large = page.all("p", class_="headline")
        if cell.gate.status == "fail":
            assert large == [], "a red gate prints no large number"
            assert "failed its gate" in page.one("section", id="answer").text()
            continue
        (line,) = large
        head = cell.headline
        if cell.separation is None or not cell.separation.complete:
            assert line.text() == f"Delta P = {head.mean}, 95 % CrI [{head.lower}, {head.upper}] (equal-tailed)"
        else:
            assert line.text() == f"Delta P is bounded by 95 % CrI [{head.lower}, {head.upper}] (equal-tailed)"


def test_planted_values_stand_on_page_and_index(pages, facts):
    heads, rows = read_table(pages["index.html"], "cells")
    for truth, cell, row in zip(TRUTHS, facts.cells, rows, strict=True):
        assert f"planted {truth.planted:g}" in pages[cell.path].one("section", id="answer").text()
        assert row[heads.index("planted")] == f"{truth.planted:g}"


def test_index_rows_are_the_facts(pages, facts):
    heads, rows = read_table(pages["index.html"], "cells")
    for cell, row in zip(facts.cells, rows, strict=True):
        by_head = dict(zip(heads, row, strict=True))
        assert by_head["judge"] == cell.judge
        assert by_head["domain"] == cell.domain
        assert by_head["valid of asked"] == f"{cell.loss.valid}/{cell.loss.asked}"
        assert by_head["lost, incongruent"] == cell.loss.block("incongruent").loss.text
        assert by_head["computation"] in ("passed", "failed")
        assert (by_head["computation"] == "failed") == (cell.gate.status == "fail")
        expected = "–" if cell.gate.status == "fail" else cell.headline.mean.text
        assert by_head["Delta P, mean"] == expected


def test_status_counts_on_the_page(pages, findings):
    for cell in findings.cells:
        path = next(p for p in pages if p != "index.html" and _is(pages[p], cell))
        heads, rows = read_table(pages[path], "status")
        for row in rows[:2]:
            by_head = dict(zip(heads, row, strict=True))
            mine = {
                c.status: c.n
                for c in findings.counts
                if (c.judge, c.domain, c.block) == (cell.judge, cell.domain, by_head["block"])
            }
            assert int(by_head["asked"]) == sum(mine.values())
            assert int(by_head["valid"]) == mine["valid"]
            assert int(by_head["refused"]) == mine.get("refusal", 0)
            assert int(by_head["malformed"]) == mine.get("malformed", 0)
            assert int(by_head["lost"]) == sum(mine.values()) - mine["valid"]


def _is(page, cell):
    return page.one("h1").text() == f"{cell.judge} × {cell.domain}"


def test_estimates_table_is_the_records(pages, facts):
    for cell in facts.cells:
        heads, rows = read_table(pages[cell.path], "estimates-probability_difference")
        expected = [e for e in cell.estimates if e.scale == "probability_difference"]
        expected.sort(key=lambda e: e.estimand != "delta_p")
        assert len(rows) == len(expected)
        for e, row in zip(expected, rows, strict=True):
            by_head = dict(zip(heads, row, strict=True))
            assert by_head["quantity"] == e.label
            for head, number in (("mean", e.mean), ("median", e.median), ("sd", e.sd), ("lower 95 % (eti)", e.lower)):
                assert by_head[head] == number.text


def test_probability_and_log_odds_share_no_table(pages):
    for page in cell_pages(pages).values():
        for table in page.all("table"):
            captions = table.one("caption").text().lower()
            if table.attrs["id"].startswith("t-estimates"):
                log_odds = any("log-odds" in th.text().lower() for th in table.one("tbody").all("th"))
                assert log_odds == ("log-odds" in captions)


def test_every_interval_column_says_kind_and_probability(pages):
    for page in pages.values():
        for table in page.all("table"):
            for th in table.one("thead").all("th"):
                if th.text().startswith(("lower 9", "upper 9")):
                    assert re.fullmatch(r"(lower|upper) 95 % \(eti\)", th.text())


def test_every_figure_has_a_table_and_numbers_in_its_alternative_text(pages):
    for path, page in pages.items():
        figures = page.all("figure")
        assert len(figures) == 1 if path == "index.html" else len(figures) >= 8
        for figure in figures:
            svg = figure.one("svg", class_="chart")
            title, desc = svg.one("title"), svg.one("desc")
            assert svg.attrs["aria-labelledby"].split() == [title.attrs["id"], desc.attrs["id"]]
            assert svg.attrs["role"] == "img"
            assert re.search(r"\d", desc.text())
            assert figure.one("details").one("table").one("tbody").all("tr")
            assert figure.one("figcaption").text()


def test_ids_are_unique_and_links_lead_somewhere(pages, folder):
    for path, page in pages.items():
        ids = [n.attrs["id"] for n in page.walk() if "id" in n.attrs]
        assert len(ids) == len(set(ids)), [i for i in ids if ids.count(i) > 1][:5]
        for link in page.all("a"):
            href = link.attrs["href"]
            if href.startswith("#"):
                assert href[1:] in ids
            elif not href.startswith("data:"):
                target = (folder / PurePosixPath(path).parent / unquote(href)).resolve()
                assert target.is_file() or target.name == "draws.nc", href
                assert folder.resolve() in target.parents
        for use in page.all("use"):
            assert use.attrs["href"][1:] in ids


def test_pages_fetch_nothing(folder):
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert path.stat().st_size < TWO_MB
        assert "http" not in re.sub(r'http-equiv="Content-Security-Policy"', "", text)
        assert not re.search(r"@import|url\((?!#)|@font-face|<link(?! rel=\"icon\" href=\"data:,\")|<img|<iframe", text)
        assert "src=" not in text.replace("script-src", "").replace("img-src", "")


def test_one_script_and_it_is_the_one_the_policy_names(folder, pages):
    from judgestats.report.html import script_hash

    for page in pages.values():
        (script,) = page.all("script")
        (policy,) = (m for m in page.all("meta") if m.attrs.get("http-equiv") == "Content-Security-Policy")
        assert script_hash("".join(script.children)) in policy.attrs["content"]
        assert "default-src 'none'" in policy.attrs["content"]
        assert not [n for n in page.walk() for name in n.attrs if name.startswith("on")]


def test_untrusted_text_is_shown_and_inert(pages, folder):
    path = next(p for p in pages if p.endswith("gender-career.html") and p.startswith("acme"))
    page = pages[path]
    assert page.one("h1").text() == f"{HOSTILE_JUDGE} × gender-career"
    assert HOSTILE_ITEM in page.one("section", id="items").text()
    assert not page.all("b")
    assert "taken" not in "".join("".join(c for c in s.children if isinstance(c, str)) for s in page.all("script"))
    assert "\u202e" not in (folder / path).read_text(encoding="utf-8"), "a bidirectional override is shown, not obeyed"
    assert "<b>in bold</b>" in page.one("section", id="reproduce").text()


def test_forbidden_words(folder, pages):
    texts = {path: page.text() for path, page in pages.items()}
    texts |= {p.name: p.read_text(encoding="utf-8") for p in folder.iterdir() if p.suffix in (".md", ".txt", ".tex")}
    for path, text in texts.items():
        shown = text.replace("価値 — non-ASCII", "")
        for word in FORBIDDEN:
            assert word not in shown.lower(), (path, word)
        assert "***" not in text
        assert "nan" not in re.findall(r"\bnan\b", text.lower())
        assert not re.search(r"\bNone\b", text), path


def test_same_findings_same_bytes(findings, folder, tmp_path: Path):
    written = write_report(findings, tmp_path)
    for path in written:
        assert path.read_bytes() == (folder / path.relative_to(tmp_path)).read_bytes(), path.name
    assert not [p for p in tmp_path.rglob(".writing-*")]


def test_data_links_hold_the_unrounded_records(pages, facts):
    import csv
    import io

    for cell in facts.cells:
        link = next(a for a in pages[cell.path].all("a") if a.text() == "Records (CSV)")
        kind, _, body = link.attrs["href"].partition(",")
        assert kind == "data:text/csv;charset=utf-8"
        rows = list(csv.DictReader(io.StringIO(unquote(body))))
        head = next(r for r in rows if r["estimand"] == "delta_p" and r["version"] == "marginal")
        assert float(head["mean"]) == cell.headline.mean.value


def test_nested_report_paths_point_back(pages):
    for page in cell_pages(pages).values():
        back = next(a for a in page.all("a") if a.text() == "All judges and domains")
        assert back.attrs["href"] == "../index.html"


@pytest.mark.parametrize("scheme", ["within item", "within judge, as published"])
def test_permutation_table_is_the_falsification(pages, facts, scheme):
    for cell in facts.cells:
        heads, rows = read_table(pages[cell.path], "permutation")
        row = dict(zip(heads, next(r for r in rows if r[0] == scheme), strict=True))
        source = next(f for f in cell.falsification if f.scheme == "_".join(scheme.split(",")[0].split()))
        assert float(row["p"]) == pytest.approx(source.p_value, abs=6e-4)
        assert row["permutations"] == "1,000"
        assert int(row["distinct"]) == source.distinct


def test_a_page_is_read_without_repair(folder):
    for path in folder.rglob("*.html"):
        read_page(path.read_text(encoding="utf-8"))


def test_validity_and_effect_share_no_sensitivity_figure(pages, facts):
    for cell in facts.cells:
        heads, rows = read_table(pages[cell.path], "sensitivity")
        assert "0.900" not in [row[heads.index("mean")] for row in rows]
        assert read_table(pages[cell.path], "sensitivity-prior-validity")[1][0][2] == "0.900"


def test_the_index_tells_what_was_claimed_together(pages):
    assert "An invented joint claim." in pages["index.html"].one("section", id="comparison").text()
