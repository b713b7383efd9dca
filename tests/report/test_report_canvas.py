from __future__ import annotations

import re

import pytest
from page_reader import read_page

from judgestats.report.figures.canvas import ACCENT, MAIN, drawing, to_svg


def draw(label: str = "label", colour: str = MAIN, key: str = "k") -> str:
    with drawing(1.5) as canvas:
        axes = canvas.axes(0.5, 0.4, 0.1, 0.1)
        axes.plot([0, 1], [0, 1], "o", color=colour)
        axes.bar([0], [1], color=ACCENT, hatch="//", edgecolor=colour)
        axes.text(0.5, 0.5, label)
        return to_svg(canvas, key, "title", "alt 1.0")


def test_colours_are_variables_and_fonts_are_the_page_s():
    svg = draw()
    assert not re.search(r"#[0-9a-fA-F]{6}", svg)
    assert "var(--main)" in svg
    assert "var(--accent)" in svg
    assert "font-family" not in svg
    assert "http" not in svg


def test_a_colour_outside_the_palette_is_refused():
    with pytest.raises(ValueError, match="palette"):
        draw(colour="#123456")


@pytest.mark.parametrize(
    "label",
    [
        "<script>alert(1)</script>",
        "a & b",
        "$x^2$ costs 5$",
        "#123456",
        'id="q"',
        "0.123456789",
        "  two  spaces",
        "日本 🎉",
        "url(#x)",
    ],
)
def test_text_is_printed_as_it_is(label):
    page = read_page(draw(label))
    assert " ".join(label.split()) in [n.text() for n in page.all("text")]
    assert not page.all("script")


def test_ids_carry_the_key_and_are_all_used():
    svg = draw(key="one")
    ids = set(re.findall(r' id="([^"]+)"', svg))
    assert all(i.startswith("one-") for i in ids)
    used = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', svg))
    assert ids - {"one-title", "one-desc"} == {a or b for a, b in used}


def test_same_numbers_same_bytes():
    assert draw() == draw()


def test_the_caller_s_matplotlib_is_left_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw()
    assert dict(matplotlib.rcParams) == before
