"""Prior table: every prior of a model with what it implies on the probability scale."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from judgestats.seeds import Seed
from judgestats.spec.correlation import Correlation
from judgestats.spec.model import ModelSpec, StageSpec
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term

Array = NDArray[np.float64]

DRAWS = 40_000
ROPE = (-0.02, 0.02)
PROBS = (0.05, 0.5, 0.95)
HERMITE = 41


@dataclass(frozen=True)
class PriorTableRow:
    """One prior, or one quantity that all priors of a stage imply together.

    Parameters
    ----------
    stage : str
        Stage, or ``joint`` for a correlation over stages.
    parameter, meaning : str
        Name and meaning.
    prior : str
        The prior in the usual notation; ``implied`` where the row follows from the other priors.
    implied : str
        What it means on the probability scale.
    reason : str
        Why this prior.
    """

    stage: str
    parameter: str
    meaning: str
    prior: str
    implied: str
    reason: str


@dataclass(frozen=True)
class ImpliedPrior:
    """Prior of the block probabilities of one cell, item and cluster effects integrated out.

    Parameters
    ----------
    congruent, incongruent, difference : ndarray, dims (draw,)
        Probabilities and their difference.
    """

    congruent: Array
    incongruent: Array
    difference: Array

    def mass_inside(self, rope: tuple[float, float]) -> float:
        """Return the share of the difference inside the ROPE, its ends included."""
        return float(np.mean((self.difference >= rope[0]) & (self.difference <= rope[1])))


def implied_prior(stage: StageSpec, seed: Seed, draws: int = DRAWS) -> ImpliedPrior:
    """Return what the priors of a stage imply for the probabilities of one cell.

    Parameters
    ----------
    stage : StageSpec
        The resolved stage.
    seed : Seed
        Root seed; the stream is ``<stage>/prior_table``.
    draws : int
        Prior draws.

    Returns
    -------
    ImpliedPrior
        Draws on the probability scale.
    """
    rng = seed.generator(f"{stage.name}/prior_table")
    alpha = _coefficient(stage, "alpha", "intercept", rng, draws)
    beta = _coefficient(stage, "beta", "block", rng, draws)
    variance, slope = np.zeros(draws), np.zeros(draws)
    for term in stage.terms:
        if term.kind == "varying" and term.group in ("item", "cluster"):
            sd = term.prior.sample(rng, draws)
            if term.of == "block":
                slope += sd**2
            else:
                variance += sd**2
    # Effects are normal and independent, so their sum is; a slope enters each block with half its size.
    spread = np.sqrt(variance + 0.25 * slope)
    congruent, incongruent = (_new_item(alpha + code * beta, spread) for code in (0.5, -0.5))
    return ImpliedPrior(congruent, incongruent, congruent - incongruent)


def prior_table(
    model: ModelSpec, seed: Seed | None = None, rope: tuple[float, float] = ROPE
) -> tuple[PriorTableRow, ...]:
    """Return every prior of a model with what it implies.

    Parameters
    ----------
    model : ModelSpec
        The resolved model.
    seed : Seed, optional
        Root seed of the prior draws; Seed(0) by default, so the table of a model is always the same.
    rope : tuple of float
        ROPE of the difference between the blocks, probability scale.

    Returns
    -------
    tuple of PriorTableRow
        Per stage one row a term and, where it has a block effect, P(congruent), P(incongruent) and their difference; then
        correlations over stages.
    """
    rows: list[PriorTableRow] = []
    for stage in model.stages:
        rows += [_term_row(stage, term) for term in stage.terms]
        if stage.has("beta"):  # a block effect, whose two probabilities follow from the priors together
            rows += _implied_rows(stage, implied_prior(stage, seed or Seed(0)), rope)
    return (*rows, *(_correlation_row(c) for c in model.correlations))


def _coefficient(stage: StageSpec, name: str, of: str, rng: np.random.Generator, draws: int) -> Array:
    total = stage.term(name).prior.sample(rng, draws)
    for term in stage.pooled(of):
        total = total + term.prior.sample(rng, draws) * rng.standard_normal(draws)
    return total


def _new_item(eta: Array, spread: Array) -> Array:
    """Return E expit(eta + spread Z), by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(HERMITE)
    return np.asarray(expit(eta[:, None] + spread[:, None] * nodes) @ (weights / weights.sum()))


def _term_row(stage: StageSpec, term: Term) -> PriorTableRow:
    return PriorTableRow(stage.name, term.name, term.meaning, term.prior.label(), _implied(term), term.prior.reason)


def _implied(term: Term) -> str:
    low, middle, high = _quantiles(term.prior)
    if term.kind == "varying":
        what = "the block effect" if term.of == "block" else "the log-odds"
        # A middling level has probability .5; 90 % of levels lie within 1.645 standard deviations of it.
        reach = [expit(np.array([-1.645, 1.645]) * sd) for sd in (middle, high)]
        if term.of == "block":
            return (
                f"90 % of {term.group}s move {what} by less than {1.645 * middle:.2f} (median sd) or {1.645 * high:.2f}"
            )
        spans = " or ".join(f"{a:.2f} to {b:.2f}" for a, b in reach)
        return f"around probability .50, 90 % of {term.group}s lie within {spans} (median and 95 % quantile of the sd)"
    if "block" in term.factors:
        return f"odds ratio congruent to incongruent {_three(np.exp([low, middle, high]))}"
    if "variant" in term.factors:
        return f"{low:.2f} / {middle:.2f} / {high:.2f} on the scale of the linear predictor (5 / 50 / 95 %)"
    if term.name in ("scale", "nu"):
        return f"{low:.3g} / {middle:.3g} / {high:.3g} (5 / 50 / 95 %)"
    return f"probability of a typical item {_three(expit(np.array([low, middle, high])))}"


def _quantiles(prior: Prior) -> tuple[float, float, float]:
    from scipy import stats

    if prior.family in ("gamma", "induced_dirichlet"):
        # The law of a gamma has a lower end; draws give three digits, which is what is printed.
        values = np.quantile(prior.sample(np.random.default_rng(0), DRAWS), PROBS)
    elif prior.shape is not None:
        values = 2 * stats.beta(prior.shape, prior.shape).ppf(PROBS) - 1
    elif prior.family == "half_normal":
        values = stats.halfnorm(scale=prior.sd).ppf(PROBS)
    else:
        values = stats.norm(prior.mean, prior.sd).ppf(PROBS)
    return float(values[0]), float(values[1]), float(values[2])


def _implied_rows(stage: StageSpec, implied: ImpliedPrior, rope: tuple[float, float]) -> Iterable[PriorTableRow]:
    event = "a valid answer" if stage.name == "validity" else f"a {stage.response} answer"
    given = " given a valid one" if stage.given == "valid" else ""
    why = "follows from the priors above, item and cluster effects integrated out"
    for block, values in (("congruent", implied.congruent), ("incongruent", implied.incongruent)):
        meaning = f"probability of {event}{given}, {block} block, a new item"
        quantiles = _three(np.quantile(values, PROBS))
        yield PriorTableRow(stage.name, f"P({block})", meaning, "implied", quantiles, why)
    difference = "Delta P" if stage.name == "shift" else "validity difference"
    beyond = float(np.mean(np.abs(implied.difference) > 0.1))
    text = (
        f"{_three(np.quantile(implied.difference, PROBS))}; mass in [{rope[0]:g}, {rope[1]:g}]: "
        f"{implied.mass_inside(rope):.2f}; mass beyond .1 either way: {beyond:.2f}"
    )
    yield PriorTableRow(stage.name, difference, "P(congruent) - P(incongruent)", "implied", text, why)


def _correlation_row(correlation: Correlation) -> PriorTableRow:
    prior = correlation.prior
    text = f"correlation {_three(np.array(_quantiles(prior)))}"
    return PriorTableRow("joint", correlation.name, correlation.meaning, prior.label(), text, prior.reason)


def _three(values: Array) -> str:
    low, middle, high = (f"{value:.3g}" for value in values)
    return f"{low} / {middle} / {high} (5 / 50 / 95 %)"
