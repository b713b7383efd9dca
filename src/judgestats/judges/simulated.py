"""Simulated judge: answers association tests with a planted Delta P and planted refusals, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from judgestats.design.association import BLOCKS, LABELS, Block, Question
from judgestats.errors import ConfigError
from judgestats.inference.quadrature import logistic_normal_mean
from judgestats.seeds import Seed
from judgestats.trials.status import Status

REFUSAL_TEXT = "I would rather not sort people and words into groups like these."
_NODES = 201


@dataclass(frozen=True)
class PlantedBias:
    """What a simulated judge does in one domain, on the probability scale and marginal over items.

    Parameters
    ----------
    p_congruent : float
        P(consistent | congruent, valid), marginal over items, in (0, 1).
    delta_p : float
        P(consistent | congruent, valid) - P(consistent | incongruent, valid), marginal over items.
    item_sd : float
        Standard deviation of the item intercepts, log-odds scale, at least 0.
    refusal_congruent, refusal_incongruent : float
        P(refusal) in either block, in [0, 1]; a refusal is independent of the item.
    """

    p_congruent: float
    delta_p: float
    item_sd: float = 0.8
    refusal_congruent: float = 0.0
    refusal_incongruent: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("p_congruent", self.p_congruent), ("p_congruent - delta_p", self.p_incongruent)):
            if not 0.0 < value < 1.0:
                raise ConfigError(
                    f"planted {name} is {value:g}", allowed="a probability between 0 and 1, ends excluded"
                )
        for name in ("refusal_congruent", "refusal_incongruent"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ConfigError(f"planted {name} is {getattr(self, name):g}", allowed="a probability from 0 to 1")
        if self.item_sd < 0:
            raise ConfigError(f"planted item_sd is {self.item_sd:g}", allowed="0 or more, on the log-odds scale")

    @property
    def p_incongruent(self) -> float:
        """P(consistent | incongruent, valid), marginal over items."""
        return self.p_congruent - self.delta_p

    def refusal(self, block: Block) -> float:
        """Return P(refusal) in `block`."""
        return self.refusal_congruent if block == "congruent" else self.refusal_incongruent

    def coefficients(self) -> Coefficients:
        """Return the coefficients whose marginal probabilities are exactly the planted ones."""
        congruent = marginal_logit(self.p_congruent, self.item_sd)
        incongruent = marginal_logit(self.p_incongruent, self.item_sd)
        return Coefficients((congruent + incongruent) / 2, congruent - incongruent, self.item_sd)


@dataclass(frozen=True)
class Coefficients:
    """Coefficients of the shift stage, log-odds scale: intercept, block effect (block coded -1/2, +1/2), item sd."""

    alpha: float
    beta: float
    item_sd: float

    def delta_p(self) -> float:
        """Return the marginal Delta P that these coefficients imply."""
        eta = np.array([self.alpha + self.beta / 2, self.alpha - self.beta / 2])
        congruent, incongruent = logistic_normal_mean(eta, np.full(2, self.item_sd), nodes=_NODES)
        return float(congruent - incongruent)


def marginal_logit(probability: float, item_sd: float) -> float:
    """Return the log-odds of an item with effect 0 for which the mean over items is `probability`.

    Solves ``E[expit(eta + item_sd Z)] = probability`` for eta, Z standard normal. The mean rises with eta and lies
    nearer to 1/2 than expit(eta), so the root lies between logit(p) and (1 + item_sd^2) logit(p), widened by 1e-6.

    Parameters
    ----------
    probability : float
        Marginal probability in (0, 1).
    item_sd : float
        Standard deviation of the item effects, log-odds scale.
    """
    logit = float(np.log(probability) - np.log1p(-probability))
    if item_sd == 0:
        return logit

    def excess(eta: float) -> float:
        mean = logistic_normal_mean(np.array([eta]), np.array([item_sd]), nodes=_NODES)
        return float(mean[0]) - probability

    wide = (1.0 + item_sd**2) * logit
    low, high = min(logit, wide) - 1e-6, max(logit, wide) + 1e-6
    return float(brentq(excess, low, high, xtol=1e-13, rtol=1e-13))


@dataclass(frozen=True)
class SimulatedJudge:
    """A judge without a network behind it.

    Parameters
    ----------
    name : str
        Name in the trial table.
    biases : dict of str to PlantedBias
        What it does in each domain.
    """

    name: str
    biases: dict[str, PlantedBias]

    def answer(self, questions: Sequence[Question], seed: Seed) -> pd.DataFrame:
        """Answer every question once.

        Parameters
        ----------
        questions : sequence of Question
            Questions of any of the domains in `biases`.
        seed : Seed
            Root seed; the streams ``simulated/<judge>/<domain>/...`` are used, so one judge's answers do not depend on
            which others are asked.

        Returns
        -------
        pandas.DataFrame
            Trials with columns ``judge domain item category block status response consistent raw_text``; `response` and
            `consistent` are empty for a refusal.
        """
        frames = []
        for domain in dict.fromkeys(question.domain for question in questions):
            if domain not in self.biases:
                raise ConfigError(
                    f"simulated judge {self.name!r} has no planted values for domain {domain!r}",
                    allowed=", ".join(self.biases),
                )
            asked = [question for question in questions if question.domain == domain]
            frames.append(self._answer_domain(domain, asked, seed))
        return pd.concat(frames, ignore_index=True)

    def _answer_domain(self, domain: str, questions: Sequence[Question], seed: Seed) -> pd.DataFrame:
        bias = self.biases[domain]
        truth = bias.coefficients()
        items = {item: index for index, item in enumerate(dict.fromkeys(question.item for question in questions))}
        effects = seed.generator(f"simulated/{self.name}/{domain}/items").normal(0.0, truth.item_sd, len(items))
        rng = seed.generator(f"simulated/{self.name}/{domain}/answers")
        code = np.array([0.5 if question.block == BLOCKS[0] else -0.5 for question in questions])
        eta = truth.alpha + truth.beta * code + effects[[items[question.item] for question in questions]]
        consistent = rng.random(len(questions)) < 1.0 / (1.0 + np.exp(-eta))
        refused = rng.random(len(questions)) < np.array([bias.refusal(question.block) for question in questions])
        rows = [
            self._row(question, bool(right), bool(lost))
            for question, right, lost in zip(questions, consistent, refused, strict=True)
        ]
        return pd.DataFrame(rows)

    def _row(self, question: Question, consistent: bool, refused: bool) -> dict[str, object]:
        other = LABELS[1] if question.correct == LABELS[0] else LABELS[0]
        label = question.correct if consistent else other
        return {
            "judge": self.name,
            "domain": question.domain,
            "item": question.item,
            "category": question.category,
            "block": question.block,
            "status": (Status.REFUSAL if refused else Status.VALID).value,
            "response": None if refused else label,
            "consistent": None if refused else consistent,
            "raw_text": REFUSAL_TEXT if refused else f'{{"label": "{label}"}}',
        }
