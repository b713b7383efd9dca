"""The association design: counts, balance and the meaning of the blocks."""

from __future__ import annotations

from collections import Counter

import pytest

from judgestats.design.association import AssociationTest, association_domains, association_test
from judgestats.errors import ConfigError


@pytest.mark.parametrize("domain", association_domains())
def test_published_size_and_balance(domain: str) -> None:
    questions = association_test(domain).questions()
    # 4 categories x 20 words = 80 items, each once in each of 2 blocks = 160 trials for a judge.
    assert len(questions) == 160
    assert len({question.item for question in questions}) == 80
    assert Counter(question.block for question in questions) == {"congruent": 80, "incongruent": 80}
    # The task-consistent label is A as often as B in each block and category.
    assert set(Counter((q.block, q.category, q.correct) for q in questions).values()) == {10}


@pytest.mark.parametrize("domain", association_domains())
def test_the_correct_side_holds_the_words_category(domain: str) -> None:
    test = association_test(domain)
    for question in test.questions():
        side = question.side_a if question.correct == "A" else question.side_b
        other = question.side_b if question.correct == "A" else question.side_a
        assert question.category in side.split(" or ")
        assert question.category not in other.split(" or ")
        assert question.item == f"{question.category}/{question.item.split('/')[1]}"


def test_blocks_pair_the_first_target_with_the_first_or_second_attribute() -> None:
    test = AssociationTest("d", "t", ("x", "y"), ("u", "v"), {"x": ("1",), "y": ("2",), "u": ("3",), "v": ("4",)})
    assert test.groups("congruent") == ({"x", "u"}, {"y", "v"})
    assert test.groups("incongruent") == ({"x", "v"}, {"y", "u"})
    assert {(q.item, q.block, q.side_a) for q in test.questions() if q.item == "x/1"} == {
        ("x/1", "congruent", "x or u"),
        ("x/1", "incongruent", "x or v"),
    }


def test_unknown_domain_and_broken_words_are_config_errors() -> None:
    with pytest.raises(ConfigError, match="did you mean 'gender-science'"):
        association_test("gender-scince")
    with pytest.raises(ConfigError, match="categories"):
        AssociationTest("d", "t", ("x", "y"), ("u", "v"), {"x": ("1",)})
    with pytest.raises(ConfigError, match="repeats a word"):
        AssociationTest("d", "t", ("x", "y"), ("u", "v"), {"x": ("1", "1"), "y": ("2",), "u": ("3",), "v": ("4",)})
