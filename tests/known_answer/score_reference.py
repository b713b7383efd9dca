"""The score tables of this folder as the package sees them, their frozen references, and our fits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

import arviz_stats
import frozen_reference as frozen
import numpy as np
from numpy.typing import NDArray

from judgestats.draws.score_fit import ScoreFit
from judgestats.inference.contract import EngineSettings
from judgestats.inference.families.cumulative_logit import logit_counts
from judgestats.inference.quadrature import logistic_normal_mean
from judgestats.inference.score_density import cell_log_likelihood
from judgestats.inference.score_patterns import collapse_items
from judgestats.inference.score_stage import fit_score_stage
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions, StageSpec
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.variant import Variant

Array = NDArray[np.float64]
WORLDS = frozen.header("scores/worlds.json")


def shift_stage(items: bool = True) -> StageSpec:
    """Return stage ``shift`` of the ordinal model under its shipped priors, without item effects where asked."""
    stage = load_model("two_stage_ordinal", ModelOptions(), ()).stage("shift")
    return replace(stage, terms=tuple(term for term in stage.terms if items or term.name != "sigma_item"))


@cache
def score_rows(table: str) -> ScoreRows:
    """Return the rows of a table: one cell, the reference variant as the base, all declared levels."""
    found = frozen.rows(f"scores/{table}.csv")
    reference = WORLDS["reference"][table]
    items = sorted({row["item"] for row in found})
    others = sorted({row["variant"] for row in found} - {reference})
    place = {reference: 0} | {name: i + 1 for i, name in enumerate(others)}
    keys = sorted((items.index(r["item"]), place[r["variant"]], int(r["level"]) - 1, int(r["count"])) for r in found)
    item, variant, outcome, count = (np.array(column, dtype=np.int64) for column in zip(*keys, strict=True))
    return ScoreRows(
        stage="shift",
        cells=(frozen.CELL,),
        items=(tuple(items),),
        variants=(Variant(), *(Variant(name) for name in others)),
        outcomes=WORLDS["levels"][table],
        cell=np.zeros_like(item),
        item=item,
        variant=variant,
        outcome=outcome,
        count=count,
    )


@cache
def fitted(table: str) -> ScoreFit:
    """Return our fit of a table under the shipped priors; fitted once a session."""
    return fit_score_stage(shift_stage(), score_rows(table), EngineSettings(Seed(20261201)))


def parameters(fit: ScoreFit) -> dict[str, Array]:
    """Return draws, dims (chain, draw), under the names of the references."""
    at = fit.posterior.isel(cell=0)
    out = {f"threshold[{k + 1}]": at["threshold"].to_numpy()[..., k] for k in range(fit.rows.outcomes - 1)}
    for v, variant in enumerate(fit.rows.variants[1:], start=1):
        out[f"effect[{variant.cue}]"] = at["effect"].to_numpy()[..., v]
    return out | {"sigma_item": at["sigma_item"].to_numpy()}


def without_priors(fit: ScoreFit) -> Array:
    """Return weights of the draws, dims (chain, draw), sum 1, that take the shipped priors away again.

    Next to a posterior of thousands of rows a prior is nearly log-linear, so the weights are even.
    """
    at = fit.posterior.isel(cell=0)
    priors = {term.name: term.prior for term in shift_stage().terms}
    log_prior = priors["threshold"].log_density(at["threshold"].to_numpy())
    log_prior = log_prior + priors["effect"].log_density(at["effect"].to_numpy()[..., 1:]).sum(axis=-1)
    log_prior = log_prior + priors["sigma_item"].log_density(at["sigma_item"].to_numpy())
    weight: Array = np.exp(log_prior.min() - log_prior)
    return weight / weight.sum()


def expected_levels(table: str, fit: ScoreFit) -> dict[str, Array]:
    """Return draws of ``expected[v]`` and ``shift[v]``: E[level] = 1 + sum_k P(level > k), item effects integrated out."""
    at = fit.posterior.isel(cell=0)
    threshold, sigma = at["threshold"].to_numpy(), at["sigma_item"].to_numpy()
    out = {}
    for v, variant in enumerate(fit.rows.variants):
        eta = at["effect"].to_numpy()[..., v, None] - threshold
        name = WORLDS["reference"][table] if variant.is_base else variant.cue
        out[name] = 1.0 + logistic_normal_mean(eta, np.broadcast_to(sigma[..., None], eta.shape)).sum(axis=-1)
    base = out[WORLDS["reference"][table]]
    shifts = {f"shift[{v}]": x - base for v, x in out.items() if v != WORLDS["reference"][table]}
    return {f"expected[{v}]": x for v, x in out.items()} | shifts


def log_likelihood(rows: ScoreRows, threshold: Array, effect: Array, sigma: float, nodes: int = 241) -> float:
    """Return our log-likelihood of the rows of one cell, item effects integrated out."""
    patterns = collapse_items(rows, items=True)
    data = logit_counts(patterns, len(rows.variants), rows.outcomes, patterns.size)
    values = {"threshold": threshold, "effect": effect, "sigma_item": sigma}
    return float(cell_log_likelihood("cumulative_logit", values, data, nodes))


def mcse(draws: Array, method: str = "mean", level: float | None = None) -> float:
    """Return the Monte Carlo standard error of a mean or a quantile of draws, dims (chain, draw)."""
    options = {} if level is None else {"prob": level}
    return float(arviz_stats.mcse(draws, chain_axis=0, draw_axis=1, method=method, **options))


def distances(table: str, reference: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[str, str, float]]:
    """Yield quantity, what of it, and how far ours lies from a reference posterior in combined Monte Carlo errors."""
    fit = fitted(table)
    for name, draws in (parameters(fit) | expected_levels(table, fit)).items():
        theirs = reference[name]
        yield name, "mean", (draws.mean() - theirs["mean"]) / math.hypot(mcse(draws), theirs["mcse_mean"])
        spread = math.hypot(mcse(draws, "sd"), theirs["mcse_sd"])
        yield name, "sd", (draws.std() - theirs["sd"]) / spread
        for column, level in {"q025": 0.025, "q50": 0.5, "q975": 0.975}.items():
            error = math.hypot(mcse(draws, "quantile", level), theirs[f"mcse_{column}"])
            yield name, column, (float(np.quantile(draws, level)) - theirs[column]) / error
