"""Pages on scores: validity first, every number from the findings, foreign text inert, a null in words."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pytest
from example_scores import DOMAINS, HOSTILE_CUE, HOSTILE_JUDGE, ITEMS, JUDGES, PLACEBO, RED, example_scores
from page_reader import Node, read_page, read_table

from judgestats.report.gather.score_report import score_report_facts
from judgestats.report.score_findings import ScoreFindings
from judgestats.report.score_write import write_score_report

SECTIONS = [
    "validity",
    "answer",
    "cues",
    "decision",
    "distributions",
    "room",
    "sensitivity",
    "fit",
    "falsification",
    "model",
    "computation",
    "methods",
    "reproduce",
]
UNIT = re.compile(
    r"\((points|sd|trials)\)|%|P\(|share|^p$|permutation p|^p over|smallest|^d |^R-hat$|ESS|MCSE|place|rank|"
    r"^asked$|^valid$|^refused$|^malformed$|distinct|permutations|pairs|valid scores|levels|at score|^score$|largest|"
    r"difference to base|^lower|^upper|^its|tail|^value$|^limit$|main, median|^mean$|^median$|^sd$|all items|with room"
)
# Arithmetic on counts and on the scale, checked by tests of their own.
DERIVED = {"status", "cells", "ranking", "score-distributions", "cue-null", "raw", "gate"}


@pytest.fixture(scope="module")
def scores() -> ScoreFindings:
    return example_scores()


@pytest.fixture(scope="module")
def score_facts(scores):
    return score_report_facts(scores)


@pytest.fixture(scope="module")
def score_folder(scores, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("scores")
    write_score_report(scores, out)
    return out


@pytest.fixture(scope="module")
def score_pages(score_folder) -> dict[str, Node]:
    found = sorted(score_folder.rglob("*.html"))
    return {p.relative_to(score_folder).as_posix(): read_page(p.read_text(encoding="utf-8")) for p in found}


def cell_pages(pages):
    return {path: page for path, page in pages.items() if path != "index.html"}


def floats(value):
    """Yield every number in nested built-in types."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from floats(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from floats(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def test_files_of_a_report(score_folder, score_facts):
    names = {p.relative_to(score_folder).as_posix() for p in score_folder.rglob("*") if p.is_file()}
    files = "index.html results.json report.md methods.md methods.tex methods.txt references.bib provenance.json"
    assert names == {*files.split(), *(c.path for c in score_facts.cells)}
    assert len(score_facts.cells) == len(JUDGES) * len(DOMAINS)


def test_validity_stands_before_every_shift(score_pages):
    for page in cell_pages(score_pages).values():
        assert [s.attrs["id"] for s in page.all("section")] == SECTIONS
        first = page.all("section")[0]
        assert {t.attrs["id"] for t in first.all("table")} == {"t-status", "t-validity", "t-bounds"}
    overview = score_pages["index.html"].one("section", id="overview").text()
    assert overview.index("Lost answers first") < overview.index("Which cues move the score")
    order = [s.attrs["id"] for s in score_pages["index.html"].all("section")]
    assert order.index("lost") < order.index("judges") < order.index("types")


def test_every_number_in_a_table_stands_in_the_findings(score_pages, scores):
    known = {float(f"{x:.9g}") for x in floats(asdict(scores))} | {0.0}
    # A count of alternatives or of checked levels is no finding; tail probabilities may be the other tail's.
    known |= {float(f"{1 - r.p_tail:.9g}") for r in scores.predictive} | {float(k) for k in range(11)}
    seen = 0
    for path, page in score_pages.items():
        for table in page.all("table"):
            if table.attrs["id"].removeprefix("t-") in DERIVED:
                continue
            for td in table.all("td"):
                if "data-value" in td.attrs and not td.text().endswith("%"):
                    value = float(td.attrs["data-value"])
                    assert float(f"{value:.9g}") in known, (path, table.attrs["id"], td.text())
                    seen += 1
    assert seen > 2000


def test_every_printed_number_is_its_value_rounded_once(score_pages):
    for page in score_pages.values():
        for td in page.all("td"):
            text, value = td.text(), td.attrs.get("data-value")
            plain = re.fullmatch(r"(-?[\d,]+(?:\.(\d+))?)( %| \[.*)?", text)
            if value is None or plain is None:
                continue
            number = 100 * float(value) if text.endswith("%") and abs(float(value)) <= 1 else float(value)
            step = 10.0 ** -len(plain[2] or "")
            assert abs(float(plain[1].replace(",", "")) - number) <= 0.5001 * step, text


def test_the_loss_table_counts_the_trials(score_pages, scores, score_facts):
    for cell in score_facts.cells:
        heads, rows = read_table(score_pages[cell.path], "status")
        for row, v in zip(rows, cell.variants, strict=True):
            mine = [
                c
                for c in scores.counts
                if (c.judge, c.domain, c.cue, c.polarity)
                == (cell.cell.judge, cell.cell.domain, v.variant.cue, v.variant.polarity)
            ]
            by = dict(zip(heads, row, strict=True))
            assert int(by["asked (trials)"]) == sum(c.n for c in mine) == ITEMS
            assert int(by["valid (trials)"]) == sum(c.n for c in mine if c.status == "valid")
            assert int(by["refused (trials)"]) == sum(c.n for c in mine if c.status == "refusal")
            assert int(by["lost (trials)"]) == sum(c.n for c in mine if c.status != "valid")


def test_a_loss_that_depends_on_the_cue_is_said_first(score_pages, score_facts):
    cell = score_facts.cell(HOSTILE_JUDGE, "essays")
    assert [v.name for v in cell.unequal] == ["authority negative"]
    validity = score_pages[cell.path].one("section", id="validity")
    assert "The loss depends on the cue: authority negative (lost 25.8 %" in validity.text()
    assert "Attention." in validity.text()
    assert score_facts.cell("planted-A", "essays").unequal == ()


def test_the_grid_prints_median_and_interval_of_every_effect(score_pages, scores, score_facts):
    cell = score_facts.cell("planted-A", "essays")
    heads, rows = read_table(score_pages[cell.path], "cues")
    wanted = [
        "score shift (points)",
        "spread shift (points)",
        "d (sd)",
        "W1 (points)",
        "P(falls by 1)",
        "P(falls by 2)",
    ]
    assert [head for head in heads if head in wanted] == wanted
    assert heads[2:6] == ["score shift (points)", "outcome", "lost %", "permutation p"]
    for row, v in zip(rows, cell.shifted, strict=True):
        (record,) = (
            r
            for r in scores.records
            if (r.judge, r.domain, r.cue, r.polarity or "", r.estimand, r.version, r.setting)
            == ("planted-A", "essays", v.variant.cue, v.variant.polarity, "score_shift", "marginal", "unpooled")
        )
        shown = [float(x) for x in re.findall(r"-?\d+\.\d+", row[2])]
        assert shown == pytest.approx([record.median, record.lower, record.upper], abs=0.0051)
        assert all(
            re.fullmatch(r"-?\d+\.\d+ \[-?\d+\.\d+, -?\d+\.\d+\]", text)
            for text in (row[heads.index(head)] for head in wanted)
        )
        assert float(row[heads.index("permutation p")]) == pytest.approx(v.falsification.p_value, abs=5e-4)


def test_a_null_is_worded_as_one_with_its_loss(score_pages, score_facts):
    for judge, domain in (("planted-A", "essays"), (HOSTILE_JUDGE, "essays")):
        cell = score_facts.cell(judge, domain)
        null = [v for v in cell.cues if v.standing == "inside"]
        assert null
        answer = score_pages[cell.path].one("section", id="answer").text()
        said = answer[answer.index("No effect detected in this design beyond the ROPE") :]
        for v in null:
            assert re.search(re.escape(v.name) + r" \(-?[\d.]+ \[[^]]*\]; lost " + re.escape(v.loss.text), said)
        assert "A null can also be suppression" in said
        assert "which is no finding of no effect" in answer


def test_nothing_moved_reads_as_a_null(scores):
    tame = tuple(
        replace(r, mean=0.0, median=0.0, lower=-0.1, upper=0.1, outcome="inside") if r.estimand == "score_shift" else r
        for r in scores.records
    )
    from judgestats.report.score_words import headline

    facts = score_report_facts(replace(scores, records=tame))
    line = headline(facts.cell("planted-A", "essays"), facts)
    assert line == "No effect detected in this design: none of 8 cue variants moves the score beyond the ROPE"


def test_the_headline_names_the_largest_shift_with_its_direction(score_pages, score_facts):
    cell = score_facts.cell("planted-A", "essays")
    line = score_pages[cell.path].one("p", class_="headline").text()
    top = next(v for v in cell.cues if v.name == "authority negative")
    assert f"authority negative, down by {str(top.shift.median).lstrip('-')} points" in line
    assert f"[{top.shift.lower}, {top.shift.upper}]" in line


def test_a_red_gate_prints_no_answer(score_pages, score_facts):
    cell = score_facts.cell(RED.judge, RED.domain)
    page = score_pages[cell.path]
    assert page.all("p", class_="headline") == []
    assert "the computation failed its gate" in page.one("section", id="answer").text()
    heads, rows = read_table(score_pages["index.html"], "types-1")
    assert {row[heads.index("math")] for row in rows} == {"gate failed"}


def test_the_placebo_is_the_noise_floor(score_pages, score_facts):
    cell = score_facts.cell("planted-A", "essays")
    (placebo,) = cell.placebos
    assert placebo.name == PLACEBO
    assert (cell.floor.lower, cell.floor.upper) == (placebo.shift.lower, placebo.shift.upper)
    assert f"Noise floor: {placebo.shift.lower} to {placebo.shift.upper} points" in score_pages[cell.path].text()
    heads, rows = read_table(score_pages[cell.path], "decision")
    floors = {row[0]: row[heads.index("noise floor")] for row in rows}
    assert floors["authority negative"] == "clear of it"
    assert floors["sentiment positive"] == "overlaps it"
    assert placebo not in cell.cues


def test_heat_tables_print_unpooled_and_pooled_with_intervals(score_pages, score_facts):
    heads, rows = read_table(score_pages["index.html"], "types-0")
    assert heads == ["cue", "cells", "essays", "math"]
    assert [row[1] for row in rows] == ["unpooled", "pooled"] * 9
    for v in score_facts.cell("planted-A", "essays").shifted:
        mine = [row for row in rows if row[0].removesuffix(" (placebo)") == v.name]
        assert mine[0][2] == f"{v.shift.median} [{v.shift.lower}, {v.shift.upper}]"
        assert mine[1][2] == f"{v.other.median} [{v.other.lower}, {v.other.upper}]"
    table = score_pages["index.html"].one("table", id="t-types-0")
    tints = [
        (float(td.attrs["data-value"]), td.attrs.get("style", "")) for td in table.all("td") if "data-value" in td.attrs
    ]
    assert tints
    for value, style in tints:
        assert ("--accent" in style) <= (value > 0)
        assert ("--main" in style) <= (value < 0)


def test_aggregates_stand_apart(score_pages):
    heads, rows = read_table(score_pages["index.html"], "aggregates")
    assert [row[0] for row in rows] == [
        "mean of 5 positive cues (positive-5)",
        "mean of 7 positive cues (positive-7)",
    ]
    first, second = (row[heads.index("planted-A")] for row in rows)
    assert first != second
    _, cues = read_table(score_pages["index.html"], "judges")
    assert not [row for row in cues if "positive-" in row[0]]


def test_the_ranking_is_by_share_of_the_range(score_pages, score_facts):
    heads, rows = read_table(score_pages["index.html"], "ranking")
    for judge in ("planted-A",):
        mine = [row for row in rows if row[0] == judge]
        shares = [abs(float(row[heads.index("shift, % of range")])) for row in mine]
        assert shares == sorted(shares, reverse=True)
        assert [row[heads.index("place")] for row in mine] == [str(k) for k in range(1, 10)]
        for row in mine:
            points = float(row[heads.index("shift (points)")])
            assert float(row[heads.index("shift, % of range")]) == pytest.approx(100 * points / 9, abs=0.06)
    assert "over all judges" in score_pages["index.html"].one("section", id="between").text().lower()


def test_the_index_says_what_a_shift_is_and_when_it_is_a_bias(score_pages):
    for page in score_pages.values():
        text = page.text()
        assert "a shift of 1 point is one point on this scale, 11.1 % of its range" in text
        assert "A cue can be information under some rubrics" in text
        assert (
            "only where the rubric makes the cue irrelevant and people who rate the same answers would not shift"
            in text
        )


def test_every_number_column_names_its_unit(score_pages):
    for path, page in score_pages.items():
        for table in page.all("table"):
            key = table.attrs["id"].removeprefix("t-")
            caption = table.one("caption").text()
            for th in table.one("thead").all("th"):
                if th.attrs["class"] in ("number", "estimate") and not re.search(
                    r"\((points|%)|in the unit of its row", caption
                ):
                    assert UNIT.search(th.text()), (path, key, th.text())


def test_foreign_text_is_shown_and_inert(score_pages, score_folder):
    for path, page in score_pages.items():
        assert not page.all("b")
        assert len(page.all("script")) == 1
        assert "taken" not in "".join(c for c in page.one("script").children if isinstance(c, str))
        assert "\u202e" not in (score_folder / path).read_text(encoding="utf-8")
        assert not [n for n in page.walk() for name in n.attrs if name.startswith("on")]
    shown = HOSTILE_CUE.replace("\u202e", "\\u202e")
    cell = next(p for p in score_pages if p.startswith("planted-A") and p.endswith("essays.html"))
    assert shown in score_pages[cell].one("section", id="cues").text()
    assert HOSTILE_JUDGE in score_pages["index.html"].one("section", id="lost").text()
    text = re.sub(r"(?ms)^(```+)text$.*?^\1$", "", (score_folder / "report.md").read_text(encoding="utf-8"))
    assert "<script>" not in text
    assert "<b>" not in text


def test_pages_fetch_nothing_and_links_lead_somewhere(score_pages, score_folder):
    for path, page in score_pages.items():
        text = (score_folder / path).read_text(encoding="utf-8")
        assert len(text) < 2 * 1024 * 1024
        assert "http" not in text.replace('http-equiv="Content-Security-Policy"', "")
        ids = [n.attrs["id"] for n in page.walk() if "id" in n.attrs]
        assert len(ids) == len(set(ids))
        for link in page.all("a"):
            href = link.attrs["href"]
            if href.startswith("#"):
                assert href[1:] in ids
            elif not href.startswith("data:"):
                target = (score_folder / PurePosixPath(path).parent / unquote(href)).resolve()
                assert target.is_file() or target.name == "draws.nc"


def test_figures_have_numbers_in_words_and_in_a_table(score_pages):
    for path, page in cell_pages(score_pages).items():
        figures = page.all("figure")
        assert 2 <= len(figures) <= 3, path
        for figure in figures:
            svg = figure.one("svg", class_="chart")
            assert re.search(r"\d", svg.one("desc").text())
            assert figure.one("details").one("table").one("tbody").all("tr")


def test_forbidden_words(score_pages, score_folder):
    texts = {path: page.text() for path, page in score_pages.items()}
    texts |= {
        p.name: p.read_text(encoding="utf-8") for p in score_folder.iterdir() if p.suffix in (".md", ".txt", ".tex")
    }
    for path, text in texts.items():
        for word in ("significant", "is neutral", "unbiased", "—"):
            assert word not in text.lower(), (path, word)
        assert not re.search(r"\b(nan|None)\b", text), path


def test_same_findings_same_bytes(scores, score_folder, tmp_path):
    for path in write_score_report(scores, tmp_path):
        assert path.read_bytes() == (score_folder / path.relative_to(tmp_path)).read_bytes(), path.name


def test_a_bare_run_says_what_it_lacks(scores, tmp_path):
    bare = replace(
        scores,
        raw=(),
        records=tuple(r for r in scores.records if r.estimand == "validity"),
        predictive=(),
        sensitivity=(),
        falsification=(),
        priors=(),
        placebo=(),
        warnings=(),
        gates=(),
        analysis=replace(scores.analysis, decision_rule="", limitations=(), simulated=False),
    )
    write_score_report(bare, tmp_path)
    page = read_page((tmp_path / "planted-A" / "essays.html").read_text(encoding="utf-8"))
    for key in SECTIONS:
        assert len(page.one("section", id=key).text()) > 40
    assert "No shift could be estimated" in page.one("section", id="answer").text()
    assert "Labels were not permuted" in page.one("section", id="falsification").text()
    index = read_page((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert "items are missing" in index.one("section", id="barg").text()


def test_many_cells_are_told_by_judge(scores):
    from judgestats.report.pages import score_index

    facts = score_report_facts(scores)
    wide = replace(facts, cells=facts.cells * 3)
    lines = score_index._answers(wide)
    assert len(lines) == len(JUDGES)
    assert all("cue variants x domains lie beyond the ROPE" in line for line in lines)


def test_card_of_a_report_is_json(score_folder):
    document = json.loads((score_folder / "results.json").read_text(encoding="utf-8"))
    assert document["analysis"]["scale"] == {"lowest": 1, "highest": 10, "step": 1}
    assert document["analysis"]["placebo"] == [PLACEBO]
