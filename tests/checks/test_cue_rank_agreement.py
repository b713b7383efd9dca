"""Cue rank agreement: swapped data sets row by row, shifts of made fits, and the sentence about their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from made_fits import level_rows, score_fit, shift_array
from made_pairs import CELL, SCALE, pair_rows_of
from scipy.special import expit

from judgestats.checks import cue_rank_agreement as module
from judgestats.checks.score_refit import shift_draws
from judgestats.checks.shift_rows import ShiftDraws
from judgestats.draws.score_fit import ScoreFit
from judgestats.estimands.scores.differences import difference_probabilities
from judgestats.inference.contract import EngineSettings
from judgestats.seeds import Seed
from judgestats.spec.model import ModelOptions, ModelSpec, StageSpec
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.table import Score
from judgestats.trials.variant import Variant

CUE = Variant("cue-00", "pos")
RNG = np.random.default_rng(7)
SCORES = RNG.integers(0, 10, (12, 3, 2))
POOLED = Term("tau_effect_domain", "varying", Prior("half_normal", 0.5), (), group="domain", of="variant")
STAGE = StageSpec(
    "shift",
    "level",
    "valid",
    "cumulative_logit",
    (Term("effect", "product", Prior("normal", 1.5), ("cell", "variant")), POOLED),
)
MODEL = ModelSpec("two_stage_ordinal", "t", "q", "score", (STAGE,), ModelOptions(), ("score_shift",))


def levels(scores: np.ndarray) -> ScoreRows:
    """Return rows of the ordinal stage from level indices, dims (item, variant, repeat)."""
    counts = (scores[..., None] == np.arange(10)).sum(axis=2)
    return level_rows(counts[None], items=scores.shape[0])


def same(a: ScoreRows, b: ScoreRows) -> bool:
    """Return whether two sets of rows stand for the same trials."""

    def trials(rows: ScoreRows) -> dict[tuple[int, ...], int]:
        base = np.zeros_like(rows.item) if rows.base is None else rows.base
        keys = zip(rows.item, rows.variant, rows.outcome, base, strict=True)
        found: dict[tuple[int, ...], int] = {}
        for key, n in zip(keys, rows.count, strict=True):
            found[key] = found.get(key, 0) + int(n)
        return found

    return trials(a) == trials(b)


def test_swapped_rows_are_those_of_swapped_scores() -> None:
    flip = np.arange(12) % 3 == 0
    scores = SCORES[:, :2]
    swapped = scores.copy()
    swapped[flip] = scores[flip][:, ::-1]
    assert same(module._swapped(module._of_variant(levels(scores), CELL, CUE), flip), levels(swapped))
    made, wanted = pair_rows_of({CELL: scores}), pair_rows_of({CELL: swapped})
    assert same(module._swapped(module._of_variant(made["shift"], CELL, CUE), flip), wanted["shift"])
    # Of two variants beside the base, only the asked one stays.
    second = module._of_variant(levels(SCORES), CELL, Variant("cue-01", "pos"))
    assert same(second, levels(SCORES[:, [0, 2]]))


def fake(order: int, seen: list[ModelSpec]) -> tuple[Callable[..., object], Callable[..., ShiftDraws]]:
    """Return a stand-in of the engine whose posterior mean is the raw difference times `order`, or noise for 0."""

    def fit_shift(
        model: ModelSpec, rows: Mapping[str, ScoreRows], settings: EngineSettings, scale: Score
    ) -> Mapping[str, ScoreRows]:
        seen.append(model)
        return rows

    def draws(rows: Mapping[str, ScoreRows], scale: Score) -> ShiftDraws:
        one = rows["shift"]
        means = np.array([module._raw({"shift": one.select(c)}) for c in range(len(one.cells))])
        means = means * order if order else np.random.default_rng(1).normal(size=means.size)
        values = np.zeros((2, 5, means.size, 2))
        values[..., 1] = means
        return ShiftDraws(shift_array(values, [("base", ""), ("cue-00", "pos")], one.cells), "markov")

    return fit_shift, draws


@pytest.mark.parametrize(("order", "words"), [(1, "rank the same"), (0, "do not rank the same"), (-1, "do not rank")])
def test_sentence_says_how_refits_rank(monkeypatch: pytest.MonkeyPatch, order: int, words: str) -> None:
    seen: list[ModelSpec] = []
    fit_shift, draws = fake(order, seen)
    monkeypatch.setattr(module, "fit_shift", fit_shift)
    monkeypatch.setattr(module, "shift_draws", draws)
    rows = {"shift": levels(SCORES)}
    found = module.cue_rank_agreement(MODEL, rows, EngineSettings(Seed(1)), SCALE, [(CELL, CUE)])
    assert words in found[CELL, CUE]
    assert found[CELL, CUE].startswith("Over 20 full refits")
    # Data sets must not borrow from each other, even where the model pools.
    assert [term.name for term in seen[0].stage("shift").terms] == ["effect"]


def test_constant_judge_has_nothing_to_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    fit_shift, draws = fake(1, [])
    monkeypatch.setattr(module, "fit_shift", fit_shift)
    monkeypatch.setattr(module, "shift_draws", draws)
    rows = {"shift": levels(np.full((12, 2, 1), 9))}
    found = module.cue_rank_agreement(MODEL, rows, EngineSettings(Seed(1)), SCALE, [(CELL, CUE)])
    assert "nothing to rank" in found[CELL, CUE]


def test_shift_of_an_ordinal_fit_is_the_difference_of_means() -> None:
    threshold = np.sort(RNG.normal(0, 2, (2, 5, 1, 9)), axis=-1)
    effect = np.concatenate([np.zeros((2, 5, 1, 1)), RNG.normal(0, 1, (2, 5, 1, 2))], axis=-1)
    effect[..., 2] = np.nan
    values = {"threshold": threshold, "effect": effect, "sigma_item": np.zeros((2, 5, 1))}
    fits = {"shift": score_fit("cumulative_logit", levels(SCORES), engine="numpyro", **values)}
    found = shift_draws(fits, SCALE)
    # E(level) = sum_k P(level > k), so with no item effect the shift is a sum of differences of logistic functions.
    wanted = np.sum(expit(effect[..., None] - threshold[..., None, :]) - expit(-threshold)[..., None, :], axis=-1)
    np.testing.assert_allclose(found.shift.values[..., :2], wanted[..., :2], atol=1e-9)
    assert np.isnan(found.shift.values[..., 2]).all()
    assert found.source == "markov"
    assert [place[2] for place, _ in found.effects()] == ["cue-00", "cue-01"]


def test_shift_of_a_paired_fit_is_the_mean_difference_in_score_points() -> None:
    scores = np.stack([RNG.integers(4, 8, 20), RNG.integers(3, 9, 20)], axis=1)[:, :, None]
    rows, shape = pair_rows_of({CELL: scores}), (2, 5, 1)
    two = np.zeros((*shape, 2))
    fits: dict[str, ScoreFit] = {
        "moved": score_fit(
            "bernoulli_logit", rows["moved"], alpha=np.zeros(shape), effect=two, sigma_item=np.ones(shape)
        ),
        "shift": score_fit(
            "rounded_t",
            rows["shift"],
            effect=two - 1.0,
            scale=two + 1.0,
            nu=np.full(shape, 5.0),
            sigma_item=np.full(shape, 0.3),
        ),
    }
    half = Score(1, 5.5, 0.5)
    p = difference_probabilities(fits["moved"], fits["shift"])["p_difference"].values[..., 1, :]
    np.testing.assert_allclose(shift_draws(fits, half).shift.values[..., 1], p @ (0.5 * np.arange(-9, 10)), atol=1e-12)
