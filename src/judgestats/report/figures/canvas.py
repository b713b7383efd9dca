"""Canvas: matplotlib figures turned into inline SVG whose colours and fonts belong to the page.

Nothing of pyplot is used: no state, no window, the same bytes for the same numbers.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

# Colours are drawn in these tones and become CSS variables, so that light, dark and print need one drawing.
MAIN = "#0072b2"
ACCENT = "#d55e00"
INK = "#1a1a1a"
MUTED = "#5a5a5a"
GRID = "#d0d0d0"
BAND = "#e8e8e8"
PAPER = "#ffffff"
VARIABLES = {
    MAIN: "var(--main)",
    ACCENT: "var(--accent)",
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    GRID: "var(--grid)",
    BAND: "var(--band)",
    PAPER: "var(--paper)",
}
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "judgestats",
    "text.parse_math": False,  # an item may hold a dollar sign
    "axes.unicode_minus": False,
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.facecolor": PAPER,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.linewidth": 0.8,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.left": False,
    "figure.facecolor": PAPER,
    "grid.color": GRID,
    "hatch.color": MUTED,
    "hatch.linewidth": 0.8,
}
WIDTH = 7.4  # inches; 72 points an inch, drawn at 1.33 CSS pixels a point


@dataclass(frozen=True)
class Drawing:
    """A figure being drawn."""

    figure: Figure

    def axes(self, left: float, bottom: float, right: float, top: float) -> Any:
        """Return axes between margins given in inches."""
        width, height = self.figure.get_size_inches()
        box = (left / width, bottom / height, (width - left - right) / width, (height - bottom - top) / height)
        return self.figure.add_axes(box)


@contextmanager
def drawing(height: float, width: float = WIDTH) -> Iterator[Drawing]:
    """Open a drawing of `width` x `height` inches under the project's own style."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height))
        FigureCanvasSVG(figure)
        yield Drawing(figure)


def to_svg(canvas: Drawing, key: str, title: str, alt: str) -> str:
    """Return the drawing as an inline SVG element.

    Parameters
    ----------
    canvas : Drawing
        The finished drawing, still inside its `drawing` block.
    key : str
        Prefix of every id, unique on the page.
    title, alt : str
        Accessible name and description, with the numbers.

    Returns
    -------
    str
        An ``<svg>`` element without addresses, fonts or fixed colours.

    Raises
    ------
    ValueError
        If a colour outside the palette was used.
    """
    buffer = io.StringIO()
    with warnings.catch_warnings():
        # The reader's own fonts draw the text; that ours lack a glyph is of no consequence.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        canvas.figure.savefig(buffer, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    body = buffer.getvalue()
    body = body[body.index("</defs>") + len("</defs>") : body.rindex("</svg>")]
    used = set(re.findall(r'(?:xlink:href="#|url\(#)([\w.-]+)', body))
    body = re.sub(r">\s+<", "><", body)
    body = re.sub(r"<[^>]*>", lambda tag: _clean(tag[0], key, used), body)
    width, height = (72 * side for side in canvas.figure.get_size_inches())
    return (
        f'<svg class="chart" role="img" aria-labelledby="{key}-title {key}-desc" viewBox="0 0 {width:g} {height:g}" '
        f'style="max-width:{width * 4 / 3:.0f}px"><title id="{key}-title">{escape(title)}</title>'
        f'<desc id="{key}-desc">{escape(alt)}</desc>{body.strip()}</svg>'
    )


def _clean(tag: str, key: str, used: set[str]) -> str:
    """Return one tag with page colours, short numbers, unique ids and no font; text between tags is never touched."""
    tag = re.sub(r"\s+", " ", tag)
    tag = re.sub(r"; font-family: [^;\"]*|font-family: [^;\"]*; ?", "", tag)
    tag = re.sub(r' transform="rotate\(-?0 [^"]*\)"', "", tag)
    tag = re.sub(r"(\d\.\d{2})\d+", r"\1", tag)
    tag = re.sub(r' id="([\w.-]+)"', lambda m: f' id="{key}-{m[1]}"' if m[1] in used else "", tag)
    tag = re.sub(r'xlink:href="#([\w.-]+)"', rf'href="#{key}-\1"', tag)
    tag = re.sub(r"url\(#([\w.-]+)\)", rf"url(#{key}-\1)", tag)
    return re.sub(r"#[0-9a-fA-F]{6}\b", _variable, tag)


def _variable(match: re.Match[str]) -> str:
    colour = match[0].lower()
    if colour not in VARIABLES:
        raise ValueError(f"colour {colour} is not in the palette: use the constants of figures/canvas.py")
    return VARIABLES[colour]
