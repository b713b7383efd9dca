"""HTML: a page as one self-contained file without a network request."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from urllib.parse import quote

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from judgestats.report.document import Block, Download, Page, Panel


def render(page: Page, paths: Mapping[tuple[str, str], str] | None = None) -> str:
    """Return the HTML of a page.

    Every text is escaped by the template engine, and a content security policy lets only our own script run, so an item,
    a judge or an answer that holds markup is inert twice over.

    Parameters
    ----------
    page : Page
        The page.
    paths : mapping of (judge, domain) to str, optional
        Where the rows of the table of cells lead to; given for the index.
    """
    script = _resource("page.js")
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            paths=dict(paths or {}),
            is_index=paths is not None,
            style=Markup(_resource("style.css")),  # our own file
            script=Markup(script),  # our own file
            script_hash=script_hash(script),
        )
    )


def script_hash(script: str) -> str:
    """Return the source expression of an inline script for the content security policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


@cache
def _resource(name: str) -> str:
    return files("judgestats.report").joinpath(f"templates/{name}").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_resource),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["kind"] = _kind
    environment.filters["drawn"] = _drawn
    environment.filters["href"] = _href
    environment.filters["plain"] = lambda value: repr(float(value))
    return environment


def _kind(block: Block) -> str:
    return type(block).__name__


def _drawn(panel: Panel) -> Markup:
    """Return the drawing of a panel, whose texts the canvas has escaped."""
    return Markup(panel.draw())


def _href(file: Download) -> str:
    if file.href:
        return file.href
    return f"data:{file.media_type};charset=utf-8,{quote(file.content)}"
