"""Simulated score judges: truths against independent integrals and sums, and answers that follow them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from judgestats.design.cue_design import PLACEBO, CueDesign
from judgestats.errors import ConfigError
from judgestats.judges.planted_scores import CueEffect, PlantedScores
from judgestats.judges.simulated_scores import SimulatedScoreJudge
from judgestats.seeds import Seed
from judgestats.trials.table import Score
from judgestats.trials.variant import Variant

TEN = Score(1, 10)
NEG, POS = Variant("prestige", "neg"), Variant("prestige", "pos")
ONE = ("prestige",)


def answers(planted: PlantedScores, scale: Score = TEN, items: int = 20_000, seed: int = 1) -> pd.DataFrame:
    """Scores by item, one column a variant."""
    frame = SimulatedScoreJudge("j", scale, {"d": planted}).answer(CueDesign(("d",), items, ONE), Seed(seed))
    names = (frame["cue"] + " " + frame["polarity"].fillna("")).str.strip()
    return frame.assign(variant=names).pivot(index="item", columns="variant", values="score")


def agree(wide: pd.DataFrame, variant: Variant, planted: PlantedScores, scale: Score = TEN) -> None:
    """Mean difference and drop shares of independent items lie within 4.5 standard errors of the planted values."""
    difference = (wide[str(variant)] - wide["base"]).dropna().to_numpy()
    truth = planted.truth(variant, scale)
    n = len(difference)
    assert difference.mean() == pytest.approx(truth.score_shift, abs=4.5 * difference.std() / np.sqrt(n) + 1e-12)
    for share, cut in ((truth.drop_1, -1), (truth.drop_2, -2)):
        error = 4.5 * np.sqrt(share * (1 - share) / n)
        assert (difference <= cut).mean() == pytest.approx(share, abs=error + 1e-12)


@given(
    level=st.floats(0.0, 11.0),
    sd=st.floats(0.1, 3.0),
    noise=st.floats(0.1, 1.5),
    shift=st.floats(-3.0, 3.0),
)
@settings(max_examples=25, deadline=None)
def test_ordinal_shift_is_the_integral_of_expected_scores(level: float, sd: float, noise: float, shift: float) -> None:
    # E(score | latent x) = 10 - sum over the nine cuts c of P(score <= level below c) = 10 - sum expit((c - x) / noise);
    # the item effect is integrated by adaptive quadrature, independent of the package's nodes.
    cuts = np.arange(1.5, 10)

    def mean(latent: float) -> float:
        value, _ = quad(
            lambda z: (10 - expit((cuts - latent - sd * z) / noise).sum()) * norm.pdf(z),
            -10,
            10,
            epsabs=1e-9,
            limit=400,
        )
        return float(value)

    planted = PlantedScores("ordinal", level, sd, noise, effects={NEG: CueEffect(shift=shift)})
    truth = planted.truth(NEG, TEN)
    assert truth.score_shift == pytest.approx(mean(level + shift) - mean(level), abs=1e-6)
    assert 0 <= truth.drop_2 <= truth.drop_1 <= 1
    # The slope of the mean in the latent score is a sum of logistic densities at distance 1, on an endless scale
    # 1 + 2 sum over k of kx / sinh(kx) cos(2 pi k latent) with x = 2 pi^2 noise (Poisson summation), and less on this one.
    kx = 2 * np.pi**2 * noise * np.arange(1, 40)
    assert abs(truth.score_shift) <= abs(shift) * (1 + 2 * (kx / np.sinh(np.minimum(kx, 700))).sum()) + 1e-9
    assert truth.score_shift * shift >= 0


def test_ordinal_answers_follow_the_planted_values() -> None:
    planted = PlantedScores("ordinal", 6.0, 1.2, 0.4, effects={NEG: CueEffect(shift=-1.3), POS: CueEffect(shift=0.4)})
    wide = answers(planted)
    for variant in (NEG, POS, Variant(PLACEBO)):
        agree(wide, variant, planted)
    assert planted.truth(Variant(PLACEBO), TEN).score_shift == 0
    # Items are shared by all variants: scores of two variants of an item correlate.
    assert np.corrcoef(wide["base"], wide[PLACEBO])[0, 1] > 0.5


@pytest.mark.parametrize(("level", "moved_sd"), [(6.0, 0.0), (6.0, 2.0), (9.5, 1.0), (1.0, 0.0)])
def test_greedy_answers_follow_the_planted_values(level: float, moved_sd: float) -> None:
    effect = CueEffect(moved=0.4, steps=(-1, -2, 1), shares=(0.6, 0.3, 0.1))
    planted = PlantedScores("greedy", level, 1.5, moved_sd=moved_sd, effects={NEG: effect})
    wide = answers(planted)
    agree(wide, NEG, planted)
    # What no cue moves is bit for bit the base.
    assert (wide[str(POS)] == wide["base"]).all()
    assert (wide[PLACEBO] == wide["base"]).all()


def test_greedy_truth_by_hand() -> None:
    # All items at level 2 of 1..5 (no spread): of steps -1 (.6), -2 (.3), +1 (.1) the -2 leaves the scale, so of the 40 %
    # that move, 6/7 fall by one and 1/7 rise by one: shift .4 (-6 + 1)/7, drop_1 .4 * 6/7, drop_2 0.
    effect = CueEffect(moved=0.4, steps=(-1, -2, 1), shares=(0.6, 0.3, 0.1))
    truth = PlantedScores("greedy", 2.0, 0.0, effects={NEG: effect}).truth(NEG, Score(1, 5))
    assert truth.score_shift == pytest.approx(-0.4 * 5 / 7, abs=1e-12)
    assert truth.drop_1 == pytest.approx(0.4 * 6 / 7, abs=1e-12)
    assert truth.drop_2 == 0
    # At the lowest level only the +1 is left; with steps downwards only, nothing moves at all.
    assert PlantedScores("greedy", 1.0, 0.0, effects={NEG: effect}).truth(
        NEG, Score(1, 5)
    ).score_shift == pytest.approx(0.4)
    down = CueEffect(moved=1.0, steps=(-1,), shares=(1.0,))
    assert PlantedScores("greedy", 1.0, 0.0, effects={NEG: down}).truth(NEG, Score(1, 5)).score_shift == 0


def test_drops_count_score_points_and_not_steps() -> None:
    # Half steps: a move of -1 step is -.5 points and no drop, -2 steps are one point, -4 steps two.
    effect = CueEffect(moved=1.0, steps=(-1, -2, -4), shares=(0.5, 0.3, 0.2))
    scale = Score(1, 10, 0.5)
    planted = PlantedScores("greedy", 6.0, 0.5, effects={NEG: effect})
    truth = planted.truth(NEG, scale)
    # Base scores stay above 3 (6 sd), so every step fits the scale.
    assert truth.score_shift == pytest.approx(-0.25 - 0.3 - 0.4, abs=1e-7)
    assert (truth.drop_1, truth.drop_2) == (pytest.approx(0.5, abs=1e-7), pytest.approx(0.2, abs=1e-7))
    agree(answers(planted, scale, items=5_000), NEG, planted, scale)


def test_a_coin_flip_judge_has_no_shift_and_the_drops_of_two_dice() -> None:
    planted = PlantedScores("coin_flip")
    truth = planted.truth(NEG, TEN)
    # Of 100 equally likely pairs 45 lie below the diagonal, 36 at least two below.
    assert truth.score_shift == 0
    assert (truth.drop_1, truth.drop_2) == (pytest.approx(0.45), pytest.approx(0.36))
    wide = answers(planted)
    agree(wide, NEG, planted)
    share = wide["base"].value_counts(normalize=True)
    assert len(share) == 10
    assert share.to_numpy() == pytest.approx(0.1, abs=4.5 * np.sqrt(0.09 / len(wide)))
    assert abs(np.corrcoef(wide["base"], wide[str(NEG)])[0, 1]) < 4.5 / np.sqrt(len(wide))


def test_a_constant_judge_never_moves_and_may_still_refuse() -> None:
    planted = PlantedScores("constant", 7.0, effects={NEG: CueEffect(refusal=0.3)})
    wide = answers(planted)
    scores = wide.to_numpy()
    assert set(scores[~np.isnan(scores)]) == {7.0}
    assert wide[str(NEG)].isna().mean() == pytest.approx(0.3, abs=4.5 * np.sqrt(0.21 / len(wide)))
    truth = planted.truth(NEG, TEN)
    assert (truth.score_shift, truth.drop_1, truth.drop_2) == (0, 0, 0)
    with pytest.raises(ConfigError, match=r"always answers 7\.5"):
        SimulatedScoreJudge("j", TEN, {"d": PlantedScores("constant", 7.5)})


def test_refusals_follow_their_rates_and_carry_no_score() -> None:
    planted = PlantedScores(refusal=0.1, effects={NEG: CueEffect(refusal=0.5), POS: CueEffect(refusal=0.0, shift=1.0)})
    frame = SimulatedScoreJudge("j", TEN, {"d": planted}).answer(CueDesign(("d",), 5_000, ONE), Seed(2))
    assert (frame["score"].isna() == (frame["status"] == "refusal")).all()
    lost = (frame["status"] == "refusal").groupby([frame["cue"], frame["polarity"].fillna("")]).mean()
    rates = {("base", ""): 0.1, ("prestige", "neg"): 0.5, ("prestige", "pos"): 0.0, (PLACEBO, ""): 0.1}
    for place, rate in rates.items():
        assert lost[place] == pytest.approx(rate, abs=4.5 * np.sqrt(rate * (1 - rate) / 5_000))


@pytest.mark.parametrize("kind", ["ordinal", "greedy", "coin_flip"])
@pytest.mark.parametrize("level", [-3.0, 1.0, 5.0, 20.0])
def test_scores_stay_on_the_scale(kind: str, level: float) -> None:
    effects = {
        "ordinal": {NEG: CueEffect(shift=-9.0)},
        "greedy": {NEG: CueEffect(moved=1.0, steps=(-30, -3, 3, 30), shares=(1, 1, 1, 1))},
        "coin_flip": {},
    }
    scale = Score(0, 5, 0.5)
    planted = PlantedScores(kind, level, 2.0, effects=effects[kind])  # type: ignore[arg-type]
    wide = answers(planted, scale, items=500)
    assert set(np.unique(wide.to_numpy())) <= set(scale.levels)


def test_repeats_of_a_greedy_judge_are_equal_and_those_of_an_ordinal_one_are_not() -> None:
    design = CueDesign(("d",), 300, ONE, repeats=3)
    effect = CueEffect(moved=0.5, steps=(-1, 1), shares=(1, 1))
    spread = {}
    for kind, effects in (("greedy", {NEG: effect}), ("ordinal", {})):
        planted = PlantedScores(kind, effects=effects)  # type: ignore[arg-type]
        frame = SimulatedScoreJudge("j", TEN, {"d": planted}).answer(design, Seed(4))
        groups = frame.groupby(["item", "cue", "polarity"], dropna=False)["score"]
        assert set(groups.size()) == {3}
        spread[kind] = (groups.nunique() > 1).mean()
    assert spread["greedy"] == 0
    assert spread["ordinal"] > 0.5


def test_answers_depend_on_the_seed_the_judge_and_the_variant_only() -> None:
    planted = {"a": PlantedScores(), "b": PlantedScores(level=7.0)}
    judge = SimulatedScoreJudge("j", TEN, planted)
    alone = judge.answer(CueDesign(("b",), 40, ONE), Seed(5))
    more = judge.answer(CueDesign(("a", "b"), 40, ("diversity", "prestige")), Seed(5))
    same = more[(more["domain"] == "b") & more["cue"].isin(["base", "prestige", PLACEBO])]
    pd.testing.assert_frame_equal(same.reset_index(drop=True), alone)
    assert not judge.answer(CueDesign(("b",), 40, ONE), Seed(6)).equals(alone)
    other = SimulatedScoreJudge("k", TEN, planted).answer(CueDesign(("b",), 40, ONE), Seed(5))
    assert not other["score"].equals(alone["score"])


@pytest.mark.parametrize(
    "values",
    [
        {"refusal": 1.1},
        {"item_sd": -1.0},
        {"noise": 0.0},
        {"noise": 0.01, "item_sd": 1.0},
        {"level": float("nan")},
        {"effects": {Variant(): CueEffect(refusal=0.1)}},
        {"kind": "greedy", "effects": {NEG: CueEffect(shift=1.0)}},
        {"kind": "ordinal", "effects": {NEG: CueEffect(moved=0.5, steps=(1,), shares=(1.0,))}},
    ],
)
def test_impossible_judges_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="planted"):
        PlantedScores(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "values",
    [
        {"moved": 1.5, "steps": (1,), "shares": (1.0,)},
        {"moved": 0.5},
        {"moved": 0.0, "steps": (1,), "shares": (1.0,)},
        {"moved": 0.5, "steps": (0,), "shares": (1.0,)},
        {"moved": 0.5, "steps": (1, 1), "shares": (0.5, 0.5)},
        {"moved": 0.5, "steps": (1, 2), "shares": (0.5,)},
        {"moved": 0.5, "steps": (1,), "shares": (-1.0,)},
        {"refusal": -0.1},
        {"shift": float("inf")},
    ],
)
def test_impossible_effects_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="planted"):
        CueEffect(**values)  # type: ignore[arg-type]


def test_a_domain_without_planted_values_is_named() -> None:
    with pytest.raises(ConfigError, match="'b'"):
        SimulatedScoreJudge("j", TEN, {"a": PlantedScores()}).answer(CueDesign(("b",), 2), Seed(1))
