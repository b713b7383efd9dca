from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgestats.report.paths import LONGEST, safe_name, safe_names

SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*|name-[0-9a-f]{8}")
names = st.text(max_size=200)


@given(names)
def test_a_file_name_is_one_plain_part(name):
    slug = safe_name(name)
    assert SAFE.fullmatch(slug)
    assert len(slug) <= LONGEST
    assert PurePosixPath(slug).parts == (slug,)
    assert safe_name(name) == slug


@given(st.lists(names, unique=True, max_size=8))
def test_different_names_keep_different_files_where_case_is_ignored(many):
    slugs = safe_names(many)
    assert len({slug.lower() for slug in slugs.values()}) == len(many)
    assert safe_names(reversed(many)) == slugs


@pytest.mark.parametrize("name", ["gpt-5", "gender-career", "Llama_3.1-8B"])
def test_a_harmless_name_stays(name):
    assert safe_name(name) == name


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/passwd", "..", ".", "", "openai/gpt-5", "a\x00b", "nul", "CON.txt", "index", "日本"]
)
def test_dangerous_names_are_changed(name):
    slug = safe_name(name)
    assert slug != name
    assert re.search(r"[0-9a-f]{8}$", slug)
    assert ".." not in slug
    assert not slug.startswith(".")


def test_names_that_differ_in_what_is_replaced_keep_apart():
    assert len(set(safe_names(["a/b", "a:b", "a b", "A/B"]).values())) == 4


def test_names_that_differ_in_case_only():
    slugs = safe_names(["GPT", "gpt"])
    assert slugs["GPT"].lower() != slugs["gpt"].lower()
