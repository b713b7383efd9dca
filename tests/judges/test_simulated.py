"""The simulated judge: planted values in closed form, and answers that follow them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from judgestats.design.association import Question, association_test
from judgestats.errors import ConfigError
from judgestats.judges.simulated import PlantedBias, SimulatedJudge, marginal_logit
from judgestats.seeds import Seed


def integral(eta: float, sd: float) -> float:
    """E[expit(eta + sd Z)] by adaptive quadrature, independent of the package's own nodes."""
    if sd == 0:
        return float(expit(eta))
    value, _ = quad(lambda z: expit(eta + sd * z) * norm.pdf(z), -12, 12, epsabs=1e-12, points=[-eta / sd], limit=200)
    return float(value)


@given(
    p=st.floats(0.02, 0.98),
    delta=st.floats(-0.5, 0.5),
    sd=st.floats(0.0, 2.5),
)
@settings(max_examples=60, deadline=None)
def test_coefficients_reproduce_the_planted_margins(p: float, delta: float, sd: float) -> None:
    if not 0.01 < p - delta < 0.99:
        delta = 0.0
    truth = PlantedBias(p, delta, sd).coefficients()
    assert integral(truth.alpha + truth.beta / 2, sd) == pytest.approx(p, abs=1e-8)
    assert integral(truth.alpha - truth.beta / 2, sd) == pytest.approx(p - delta, abs=1e-8)
    assert truth.delta_p() == pytest.approx(delta, abs=1e-10)


def test_marginal_logit_is_odd_in_the_log_odds_and_plain_without_item_spread() -> None:
    # p -> 1 - p flips the sign of eta, because Z is symmetric.
    assert marginal_logit(0.9, 1.3) == pytest.approx(-marginal_logit(0.1, 1.3), abs=1e-11)
    assert marginal_logit(0.75, 0.0) == pytest.approx(np.log(3.0), abs=1e-14)


def test_answers_follow_the_planted_rates() -> None:
    bias = PlantedBias(0.9, 0.2, 0.8, refusal_congruent=0.0, refusal_incongruent=0.25)
    base = association_test("gender-career").questions()
    many = [
        Question(q.domain, f"{q.item}#{copy}", q.category, q.block, q.side_a, q.side_b, q.correct, q.prompt)
        for copy in range(250)
        for q in base
    ]
    frame = SimulatedJudge("s", {"gender-career": bias}).answer(many, Seed(3))
    n = 250 * 80  # trials a block, one an item, so the answers of a block are independent Bernoulli(p)
    for block, p, lost in (("congruent", 0.9, 0.0), ("incongruent", 0.7, 0.25)):
        part = frame[frame["block"] == block]
        assert len(part) == n
        refused = (part["status"] == "refusal").mean()
        assert refused == pytest.approx(lost, abs=4 * np.sqrt(lost * (1 - lost) / n) + 1e-12)
        valid = part[part["status"] == "valid"]
        assert valid["consistent"].astype(float).mean() == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / len(valid)))
    # Item effects are shared by the blocks of an item: the covariance of its two answers is
    # E[expit(eta_c + u) expit(eta_i + u)] - p_c p_i > 0.
    truth = bias.coefficients()
    joint, _ = quad(
        lambda z: (
            expit(truth.alpha + truth.beta / 2 + 0.8 * z) * expit(truth.alpha - truth.beta / 2 + 0.8 * z) * norm.pdf(z)
        ),
        -12,
        12,
    )
    pairs = frame.pivot(index="item", columns="block", values="consistent").dropna().astype(float)
    both = (pairs["congruent"] * pairs["incongruent"]).mean()
    assert both == pytest.approx(joint, abs=4 * np.sqrt(joint * (1 - joint) / len(pairs)))


def test_a_refusal_carries_no_verdict_and_a_valid_answer_a_consistent_label() -> None:
    questions = association_test("gender-science").questions()
    frame = SimulatedJudge("s", {"gender-science": PlantedBias(0.6, 0.1, 1.0, 0.5, 0.5)}).answer(questions, Seed(1))
    lost = frame["status"] == "refusal"
    assert 0 < lost.sum() < len(frame)
    assert frame.loc[lost, ["response", "consistent"]].isna().all().all()
    for question, row in zip(questions, frame.itertuples(), strict=True):
        if row.status == "valid":
            assert row.consistent == (row.response == question.correct)


def test_a_judges_answers_depend_on_the_seed_and_its_name_only() -> None:
    career, science = association_test("gender-career").questions(), association_test("gender-science").questions()
    biases = {name: PlantedBias(0.8, 0.1) for name in ("gender-career", "gender-science")}
    judge = SimulatedJudge("a", biases)
    alone = judge.answer(career, Seed(5))
    together = judge.answer((*science, *career), Seed(5))
    assert together[together["domain"] == "gender-career"].reset_index(drop=True).equals(alone)
    assert not judge.answer(career, Seed(6)).equals(alone)
    assert not SimulatedJudge("b", biases).answer(career, Seed(5))["response"].equals(alone["response"])


@pytest.mark.parametrize(
    "values",
    [{"p_congruent": 1.0}, {"delta_p": 0.95}, {"item_sd": -1.0}, {"refusal_incongruent": 1.2}],
)
def test_impossible_plants_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="planted"):
        PlantedBias(**{"p_congruent": 0.9, "delta_p": 0.1, **values})


def test_a_domain_without_planted_values_is_named() -> None:
    with pytest.raises(ConfigError, match="gender-science"):
        SimulatedJudge("s", {"gender-career": PlantedBias(0.9, 0.1)}).answer(
            association_test("gender-science").questions(), Seed(1)
        )
