"""The worlds: named, distinct, reproducible, and true to what they plant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from score_worlds import WORLDS, World

from judgestats.trials.score_coding import pair_rows, score_rows
from judgestats.trials.score_schema import check_scores

NULLS = [name for name, world in WORLDS.items() if world.null]


def test_there_are_enough_worlds_and_enough_of_either_kind() -> None:
    assert len(WORLDS) >= 30
    assert len(NULLS) >= 10
    assert len(WORLDS) - len(NULLS) >= 15
    assert len({world.planted.kind for world in WORLDS.values()}) == 4


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_gives_a_table_that_the_models_take(name: str) -> None:
    world = WORLDS[name]
    table = world.trials(1)
    check_scores(table.frame, name, world.scale)
    assert set(table.frame["score"].dropna()) <= set(world.scale.levels)
    assert len(table.frame) == world.items * len(world.design.variants())
    rows = score_rows(table)
    assert rows["validity"].count.sum() == len(table.frame)
    assert set(rows["validity"].variants) == set(world.design.variants())
    pd.testing.assert_frame_equal(table.frame, world.trials(1).frame)
    if world.planted.kind != "constant":
        assert not table.frame["score"].equals(world.trials(2).frame["score"])


def test_worlds_are_distinct() -> None:
    truths = {(world.scale, repr(world.planted), world.cues) for world in WORLDS.values()}
    assert len(truths) == len(WORLDS)


@pytest.mark.parametrize("name", ["greedy, nothing moves", "constant", "constant at the top"])
def test_a_world_without_noise_has_no_pair_that_differs(name: str) -> None:
    rows = pair_rows(WORLDS[name].trials(3))
    assert rows["moved"].outcome.max() == 0
    assert len(rows["shift"].count) == 0


@pytest.mark.parametrize("name", WORLDS)
def test_mean_differences_over_many_items_are_the_planted_shifts(name: str) -> None:
    # Pairs of different items are independent, so the mean difference of a variant has the standard error
    # sd / sqrt(pairs). Over 15 variants and 36 worlds (540 comparisons) one |z| > 5 has probability 3e-4.
    world = replace(WORLDS[name], items=1500)
    wide = _wide(world)
    for variant, truth in world.truths.items():
        difference = (wide[str(variant)] - wide["base"]).dropna().to_numpy()
        if world.planted.loss(variant) == 1.0:
            assert len(difference) == 0
            continue
        assert len(difference) > 500
        error = 5 * difference.std() / np.sqrt(len(difference))
        assert difference.mean() == pytest.approx(truth.score_shift, abs=error + 1e-12)


def _wide(world: World) -> pd.DataFrame:
    frame = world.trials(11).frame
    variant = (frame["cue"] + " " + frame["polarity"].fillna("")).str.strip()
    assert set(variant) == {str(v) for v in world.design.variants()}
    return frame.assign(variant=variant).pivot(index="item", columns="variant", values="score")
