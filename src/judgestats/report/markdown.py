"""Markdown: the whole report as one document, from the same facts as the pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from judgestats.report.document import (
    Block,
    Downloads,
    Headline,
    Listing,
    Page,
    Panel,
    Paragraph,
    TableBlock,
    Verbatim,
)
from judgestats.report.methods import markdown as escape
from judgestats.report.tables import Table

TONE_WORDS = {"note": "Note. ", "warn": "Attention. ", "fail": "Stop. "}
ONCE = ("methods", "mechanism")  # the same on every page: printed with the index only


def markdown_report(index: Page, cells: Sequence[Page]) -> str:
    """Return index and cell pages as one Markdown document.

    Parameters
    ----------
    index : Page
        The index page.
    cells : sequence of Page
        The pages of judges and domains, in order.
    """
    parts = [_page(index, 1)]
    parts += [_page(page, 2) for page in cells]
    if cells:
        shared = [s for s in cells[0].sections if s.key == "methods"]
        for section in shared:
            parts.append(
                f"## {escape(section.title)}\n\n" + "\n\n".join(filter(None, (_block(b) for b in section.blocks)))
            )
    return "\n\n".join(parts) + "\n"


def _page(page: Page, level: int) -> str:
    lines = ["#" * level + " " + escape(page.title)]
    lines.append(escape(" · ".join(page.lead)))
    lines.append(" · ".join(f"**{escape(pill.words)}**" for pill in page.pills))
    for section in page.sections:
        if level > 1 and section.key in (*ONCE, "reproduce"):
            continue
        lines.append("#" * (level + 1) + f" {section.number}. {escape(section.title)}")
        lines += [text for text in (_block(block) for block in section.blocks) if text]
    return "\n\n".join(lines)


def _block(block: Block) -> str:
    writers: dict[type, Callable[..., str]] = {
        Paragraph: lambda b: escape(TONE_WORDS.get(b.tone, "") + b.text) if b.text else "",
        Listing: _listing,
        Headline: lambda b: "\n\n".join(filter(None, (f"**{escape(b.text)}**", escape(b.detail), escape(b.planted)))),
        TableBlock: lambda b: table(b.table),
        Panel: lambda b: f"*{escape(b.title)}.* {escape(b.alt)}\n\n{table(b.table, b.table.caption)}",
        Verbatim: lambda b: f"{escape(b.label)}:\n\n{_fenced(b.text)}",
        Downloads: lambda b: "",
    }
    return writers[type(block)](block)


def _listing(block: Listing) -> str:
    head = f"{escape(block.title)}:\n\n" if block.title else ""
    return head + "\n".join(f"- {escape(item)}" for item in block.items)


def _fenced(text: str) -> str:
    """Return text in a fence longer than any run of backticks in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def table(content: Table, caption: str = "") -> str:
    """Return a table in pipes, its caption above and its note below."""
    heads = [escape(column.head) for column in content.columns]
    rules = ["---:" if column.kind in ("number", "estimate") else "---" for column in content.columns]
    rows = [[escape(str(cell)) for cell in row.cells] for row in content.rows]
    body = "\n".join("| " + " | ".join(line) + " |" for line in (heads, rules, *rows))
    note = f"\n\n{escape(content.note)}" if content.note else ""
    return f"{escape(caption or content.caption)}:\n\n{body}{note}"
