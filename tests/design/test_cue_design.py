"""The cue design: counts, variants, rotation of the placebo notes, and the words that name a variant."""

from __future__ import annotations

from collections import Counter

import pytest

from judgestats.design.cue_design import CUES, PLACEBO, PLACEBO_NOTES, CueDesign, read_variant
from judgestats.errors import ConfigError
from judgestats.trials.variant import Variant


def test_every_item_meets_every_variant_once() -> None:
    design = CueDesign(("a", "b"), 60)
    # Base + 7 cues x 2 polarities = the 15 variants of the full cue design; the placebo is a sixteenth.
    assert len(design.variants()) == 16
    assert design.variants()[0] == Variant()
    frame = design.frame("a")
    assert len(frame) == 60 * 16
    assert set(frame["domain"]) == {"a"}
    assert set(Counter(zip(frame["item"], frame["cue"], frame["polarity"], strict=True)).values()) == {1}
    assert frame["item"].nunique() == 60
    assert frame["item"].is_monotonic_increasing
    assert frame.loc[frame["cue"].isin(["base", PLACEBO]), "polarity"].isna().all()
    assert set(frame.loc[frame["cue"].isin(CUES), "polarity"]) == {"pos", "neg"}


def test_wordings_of_the_placebo_rotate_over_items_and_nothing_else_has_one() -> None:
    frame = CueDesign(("a",), 60, ("prestige",)).frame("a")
    note = frame["cue"] == PLACEBO
    assert Counter(frame.loc[note, "wording"]) == {"1": 20, "2": 20, "3": 20}
    assert frame.loc[~note, "wording"].isna().all()
    assert len(set(PLACEBO_NOTES)) == 3
    # Lengths within a fifth of each other, so that a wording is not a length.
    lengths = [len(note) for note in PLACEBO_NOTES]
    assert max(lengths) <= 1.2 * min(lengths)


def test_a_design_without_placebo_and_with_repeats() -> None:
    design = CueDesign(("a",), 4, ("prestige", "diversity"), wordings=0, repeats=3)
    assert [str(v) for v in design.variants()] == [
        "base",
        "prestige pos",
        "prestige neg",
        "diversity pos",
        "diversity neg",
    ]
    frame = design.frame("a")
    assert Counter(frame["repeat"]) == {1: 20, 2: 20, 3: 20}
    assert frame["wording"].isna().all()


def test_items_sort_as_they_are_numbered() -> None:
    names = CueDesign(("a",), 1200).names()
    assert list(names) == sorted(names)
    assert len(set(names)) == 1200


@pytest.mark.parametrize("variant", CueDesign(("a",), 1).variants()[1:], ids=str)
def test_a_variant_is_read_from_its_own_words(variant: Variant) -> None:
    assert read_variant(str(variant)) == variant


@pytest.mark.parametrize(
    ("text", "hint"),
    [("prestgie pos", "did you mean 'prestige pos'"), ("neutral pos", "neutral"), ("base", "no effect of its own")],
)
def test_words_that_name_no_variant(text: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        read_variant(text)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"domains": ()}, "domains"),
        ({"domains": ("a", "a")}, "domains"),
        ({"items": 0}, "items"),
        ({"repeats": 0}, "repeats"),
        ({"wordings": 4}, "wordings"),
        ({"cues": ("prestgie",)}, "did you mean 'prestige'"),
        ({"cues": ("prestige", "prestige")}, "twice"),
    ],
)
def test_impossible_designs_are_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CueDesign(**{"domains": ("a",), "items": 2, **values})  # type: ignore[arg-type]


def test_an_unknown_domain_is_named() -> None:
    with pytest.raises(ConfigError, match="science"):
        CueDesign(("science",), 2).frame("scence")
