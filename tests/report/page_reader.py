"""A small reader of HTML pages for tests: elements, tables and texts, nothing repaired."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input"}


@dataclass
class Node:
    tag: str
    attrs: dict[str, str]
    children: list[Node | str] = field(default_factory=list)

    def walk(self):
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def all(self, tag: str, **attrs: str) -> list[Node]:
        return [
            n for n in self.walk() if n.tag == tag and all(n.attrs.get(k.rstrip("_")) == v for k, v in attrs.items())
        ]

    def one(self, tag: str, **attrs: str) -> Node:
        found = self.all(tag, **attrs)
        assert len(found) == 1, f"{len(found)} <{tag}> with {attrs}"
        return found[0]

    def text(self) -> str:
        parts = [
            c if isinstance(c, str) else c.text()
            for c in self.children
            if isinstance(c, str) or c.tag not in ("script", "style")
        ]
        return " ".join("".join(parts).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("document", {})
        self.open = [self.root]
        self.faults: list[str] = []

    def handle_starttag(self, tag, attrs):
        node = Node(tag, {k: v or "" for k, v in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag, attrs):
        self.open[-1].children.append(Node(tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag):
        if self.open[-1].tag == tag:
            self.open.pop()
        else:
            self.faults.append(f"</{tag}> closes <{self.open[-1].tag}>")

    def handle_data(self, data):
        self.open[-1].children.append(data)


def read_page(html: str) -> Node:
    """Return the tree of a page; fails where a tag is not closed."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert not reader.faults, reader.faults[:3]
    assert len(reader.open) == 1, [n.tag for n in reader.open]
    return reader.root


def read_table(page: Node, key: str) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of the table with the id ``t-KEY``, as printed."""
    table = page.one("table", id=f"t-{key}")
    heads = [th.text() for th in table.one("thead").all("th")]
    body = table.one("tbody")
    rows = [[c.text() for c in row.children if isinstance(c, Node)] for row in body.all("tr")]
    return heads, rows
