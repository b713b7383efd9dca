"""Contrast and colour distance of the stylesheet, also as three kinds of colour-blind reader see it."""

from __future__ import annotations

import re
from importlib.resources import files

import numpy as np
import pytest

CSS = files("judgestats.report").joinpath("templates/style.css").read_text(encoding="utf-8")

# Machado, Oliveira & Fernandes 2009 (doi 10.1109/TVCG.2009.113), severity 1, on linear RGB.
DICHROMACIES = {
    "none": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def palette(selector: str) -> dict[str, str]:
    body = CSS[CSS.index(selector) :]
    body = body[body.index("{") + 1 : body.index("}")]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", body))


LIGHT, DARK = palette(":root {"), palette(':root[data-theme="dark"] {')


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio."""
    a, b = (float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* under D65 from linear sRGB."""
    m = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
    )
    xyz = m @ np.clip(rgb, 0, 1) / [0.95047, 1.0, 1.08883]
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_the_contrast_formula():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#0072b2", "#ffffff") == pytest.approx(5.2, abs=0.05)  # measured in advance for the three roles
    assert contrast("#d55e00", "#ffffff") == pytest.approx(3.9, abs=0.05)


def test_the_two_ways_into_dark_agree_and_print_is_light():
    assert palette(':root:not([data-theme="light"]) {') == DARK
    assert palette(':root, :root:not([data-theme="light"]), :root[data-theme="dark"] {') == LIGHT
    assert set(LIGHT) == set(DARK)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_marks_can_be_read(colours):
    paper = colours["paper"]
    for name in ("ink", "muted", "link"):
        assert contrast(colours[name], paper) >= 4.5, name
        assert contrast(colours[name], colours["rise"]) >= 4.5, name
    for name in ("pass", "warn", "fail"):
        assert contrast(colours[name], colours[f"{name}-back"]) >= 4.5, name
        assert contrast(colours["ink"], colours[f"{name}-back"]) >= 4.5, name
        assert contrast(colours["link"], colours[f"{name}-back"]) >= 4.5, name
    for name in ("main", "accent"):
        assert contrast(colours[name], paper) >= 3, name
        assert contrast(colours[name], colours["band"]) >= 3, name


@pytest.mark.parametrize("kind", DICHROMACIES)
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_the_three_roles_stay_apart_for_every_reader(colours, kind):
    seen = [lab(np.array(DICHROMACIES[kind]) @ linear(colours[name])) for name in ("main", "accent", "ink")]
    distances = [float(np.linalg.norm(seen[i] - seen[j])) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert min(distances) >= 30


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_stands_out_from_the_strongest_tint_of_a_heat_table(colours):
    from judgestats.report.tables import MOST_TINT, Heat

    assert Heat("", 2.0, 1.0).strength == Heat("", -9.0, -1.5).strength == MOST_TINT
    share = MOST_TINT / 100  # color-mix in srgb with transparent, over the page
    for name in ("accent", "main"):
        top, under = ([int(colours[key][i : i + 2], 16) for i in (1, 3, 5)] for key in (name, "paper"))
        mixed = "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in zip(top, under, strict=True))
        assert contrast(colours["ink"], mixed) >= 4.5


def test_every_variable_is_defined():
    used = set(re.findall(r"var\(--([\w-]+)", CSS))
    assert used <= set(LIGHT)
