from __future__ import annotations

import pytest
from markdown_it import MarkdownIt


@pytest.fixture(scope="module")
def tokens(folder):
    text = (folder / "report.md").read_text(encoding="utf-8")
    return MarkdownIt("commonmark").enable("table").parse(text)


@pytest.fixture(scope="module")
def tables(tokens):
    """Rows of cells of every table in the document."""
    out, row = [], []
    for i, token in enumerate(tokens):
        if token.type == "table_open":
            out.append([])
        elif token.type == "tr_open":
            row = []
        elif token.type in ("th_open", "td_open"):
            row.append("".join(c.content for c in tokens[i + 1].children or []))
        elif token.type == "tr_close":
            out[-1].append(row)
    return out


def test_nothing_in_the_document_is_markup_of_others(tokens):
    kinds = {c.type for t in tokens for c in t.children or []} | {t.type for t in tokens}
    assert not kinds & {"html_inline", "html_block", "link_open", "image"}


def test_the_index_table_is_the_facts(tables, facts):
    (table,) = [t for t in tables if t[0][:3] == ["judge", "domain", "planted"] and "computation" in t[0]]
    assert len(table) == 1 + len(facts.cells)
    for cell, row in zip(facts.cells, table[1:], strict=True):
        by_head = dict(zip(table[0], row, strict=True))
        assert by_head["judge"] == cell.judge
        if cell.quotable:
            assert by_head["Delta P, mean"] == cell.headline.mean.text
            assert by_head["lower 95 % (eti)"] == cell.headline.lower.text


def test_every_table_of_a_page_is_there(tables, pages):
    on_pages = sum(len(p.all("table")) for p in pages.values())
    # Provenance is printed once, with the index; each of the pages repeats it.
    assert len(tables) == on_pages - (len(pages) - 1)


def test_sections_and_answers(tokens, facts):
    headings = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open"]
    assert sum(h.startswith("1. Answer in one line") for h in headings) == len(facts.cells)
    text = "\n".join("".join(c.content for c in t.children or []) for t in tokens if t.type == "inline")
    for cell in facts.cells:
        if cell.quotable:
            assert f"95 % CrI [{cell.headline.lower}, {cell.headline.upper}] (equal-tailed)" in text
