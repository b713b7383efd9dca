"""Document: what a page says, before it is HTML or Markdown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from judgestats.report.tables import Table

Tone = Literal["plain", "lead", "note", "warn", "fail"]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of plain text; ``note``, ``warn`` and ``fail`` are set in a box with a word in front."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class Listing:
    """A list of sentences, under a line of its own where it has a title."""

    items: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True)
class Headline:
    """The answer in one line, set large, with what belongs to it in smaller type."""

    text: str
    detail: str = ""
    planted: str = ""


@dataclass(frozen=True)
class TableBlock:
    """A table on the page, folded away when it is long or secondary."""

    table: Table
    folded: bool = False
    summary: str = ""


@dataclass(frozen=True)
class Panel:
    """A figure: what it shows, how to read it, the numbers in it, and how to draw it.

    Parameters
    ----------
    key : str
        Stable name, unique on a page; prefix of every id in the drawing.
    title : str
        The finding.
    caption : str
        How to read the figure.
    alt : str
        The figure in words, with its numbers.
    table : Table
        The numbers behind the figure.
    draw : callable
        Returns the inline SVG; called for HTML only.
    """

    key: str
    title: str
    caption: str
    alt: str
    table: Table
    draw: Callable[[], str]


@dataclass(frozen=True)
class Verbatim:
    """Text to copy: a formula, a command, a methods paragraph, a bibliography."""

    text: str
    label: str
    folded: bool = False


@dataclass(frozen=True)
class Download:
    """A file to save: either beside the page (`href`) or inside it (`content`)."""

    label: str
    name: str
    href: str = ""
    content: str = ""
    media_type: str = "text/csv"


@dataclass(frozen=True)
class Downloads:
    """A row of files to save."""

    files: tuple[Download, ...]


Block = Paragraph | Listing | Headline | TableBlock | Panel | Verbatim | Downloads


@dataclass(frozen=True)
class Section:
    """One numbered section of a page."""

    number: int
    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Pill:
    """A status in words, with a shape and a colour that repeat it."""

    words: str
    tone: Literal["pass", "warn", "fail", "undefined", "plain"]


@dataclass(frozen=True)
class Link:
    """A link to another page of the report."""

    text: str
    href: str


@dataclass(frozen=True)
class Page:
    """One page: its head and its sections.

    Parameters
    ----------
    path : str
        Path inside the report folder, forward slashes.
    title : str
        Title of the page.
    lead : tuple of str
        Short lines below the title: analysis, date, version.
    pills : tuple of Pill
        Status at a glance.
    links : tuple of Link
        Neighbouring pages.
    downloads : tuple of Download
        Files named in the head.
    sections : tuple of Section
        The body, in order.
    """

    path: str
    title: str
    lead: tuple[str, ...]
    pills: tuple[Pill, ...]
    links: tuple[Link, ...]
    downloads: tuple[Download, ...]
    sections: tuple[Section, ...]
