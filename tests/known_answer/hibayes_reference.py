"""Posteriors of the GLMs published for ``hibayes_judge_csv``, written out in plain NumPyro, row by row.

    python hibayes_reference.py FOLDER [QUESTION ...]      (FOLDER holds the shared data sets; some minutes on one core)

Forms and priors are those of Dubois et al., Quantifying Biases in LLM-as-a-Judge Evaluations (arXiv:2507.03772), as the
published code has them; nothing of the package is imported. Writes ``hibayes_reference.csv`` and ``.json``.

ordered
    eta = b0 + main effects + interactions, main effects and interactions N(0, 1) with sum-to-zero coding (the last level
    is minus the sum of the others); score 0..10 ~ ordered logistic(eta, cuts), first cut N(-4, 0.2), gaps LogNormal(-0.5,
    0.3) + 0.3.
hierarchical (q3)
    grader = mean[type] + sd[type] z, mean N(0, 3), sd HalfCauchy(1), z N(0, 1), in place of b0 and a grader effect.
pairwise (q5)
    first chosen ~ Bernoulli, logit = b0 + pair + grader + slope[grader] x standardised length difference, slope N(m, t), m
    N(0, 0.5), t HalfNormal(1).
linear
    score ~ Normal(b0 + main effects + interactions, sigma), the same coding. The notes at hand give the form alone, so
    the priors are ours: b0 N(5, 5), effects N(0, 2), sigma HalfNormal(2), wide beside every estimate here.

Quantities are free of the coding. ``effect[G|L]`` is grader G minus the human grader (the mean of the human graders in q3)
on answers of L, logits of the ordered models and score points of the linear one; ``shift[G|L]`` is the same difference of
expected scores in points; ``interaction[G]`` is effect[G|LLM A] - effect[G|LLM B], G's favouring of A beyond the human's;
``slope[G]`` is the log-odds of a choice per standard deviation of the length difference.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import arviz_stats
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import pandas as pd
from numpyro.infer import MCMC, NUTS, init_to_median

HERE = Path(__file__).resolve().parent
SETTINGS = {"chains": 4, "warmup": 600, "draws": 1000, "target_accept": 0.95, "seed": 20261201}
CLASSES = 11
Array = Any
Draws = dict[str, np.ndarray]  # type: ignore[type-arg]


def zero_sum(name: str, levels: int, sd: float) -> Array:
    """Sample main effects whose last level is minus the sum of the others."""
    free = numpyro.sample(f"{name}_free", dist.Normal(0.0, sd).expand([levels - 1]).to_event(1))
    return numpyro.deterministic(name, jnp.concatenate([free, -free.sum(keepdims=True)]))


def zero_sum_table(name: str, first: int, second: int, sd: float) -> Array:
    """Sample interactions of which rows and columns add to 0."""
    free = numpyro.sample(f"{name}_free", dist.Normal(0.0, sd).expand([first - 1, second - 1]).to_event(2))
    wide = jnp.concatenate([free, -free.sum(axis=1, keepdims=True)], axis=1)
    return numpyro.deterministic(name, jnp.concatenate([wide, -wide.sum(axis=0, keepdims=True)], axis=0))


def cuts() -> Array:
    """Sample the ten cuts of eleven classes."""
    first = numpyro.sample("first_cut", dist.Normal(-4.0, 0.2))
    gaps = numpyro.sample("gaps", dist.LogNormal(-0.5, 0.3).expand([CLASSES - 2]).to_event(1)) + 0.3
    return numpyro.deterministic("cuts", jnp.concatenate([first[None], first + jnp.cumsum(gaps)]))


def effects(codes: Mapping[str, Array], sizes: Mapping[str, int], crossed: list[tuple[str, str]], sd: float) -> Array:
    """Return the sum of main effects and interactions of each row."""
    eta: Array = 0.0
    for name, size in sizes.items():
        if size > 1:
            eta = eta + zero_sum(name, size, sd)[codes[name]]
    for one, two in crossed:
        eta = eta + zero_sum_table(f"{one}_{two}", sizes[one], sizes[two], sd)[codes[one], codes[two]]
    return eta


def ordered(codes: Mapping[str, Array], sizes: Mapping[str, int], crossed: list[tuple[str, str]], score: Array) -> None:
    """Ordered logistic model of scores."""
    eta = numpyro.sample("b0", dist.Normal(0.0, 1.0)) + effects(codes, sizes, crossed, 1.0)
    numpyro.sample("score", dist.OrderedLogistic(eta, cuts()), obs=score)


def linear(codes: Mapping[str, Array], sizes: Mapping[str, int], crossed: list[tuple[str, str]], score: Array) -> None:
    """Normal model of scores."""
    eta = numpyro.sample("b0", dist.Normal(5.0, 5.0)) + effects(codes, sizes, crossed, 2.0)
    numpyro.sample("score", dist.Normal(eta, numpyro.sample("sigma", dist.HalfNormal(2.0))), obs=score)


def hierarchical(codes: Mapping[str, Array], kind: Array, llms: int, score: Array) -> None:
    """Ordered logistic model whose graders vary around the mean of their type (0 autograder, 1 human)."""
    mean = numpyro.sample("mean", dist.Normal(0.0, 3.0).expand([2]).to_event(1))
    sd = numpyro.sample("sd", dist.HalfCauchy(1.0).expand([2]).to_event(1))
    z = numpyro.sample("z", dist.Normal(0.0, 1.0).expand([len(kind)]).to_event(1))
    grader = numpyro.deterministic("grader", mean[kind] + sd[kind] * z)
    eta = grader[codes["grader"]] + zero_sum("LLM", llms, 1.0)[codes["LLM"]]
    numpyro.sample("score", dist.OrderedLogistic(eta, cuts()), obs=score)


def pairwise(codes: Mapping[str, Array], sizes: Mapping[str, int], length: Array, chosen: Array) -> None:
    """Bernoulli model of choices with a slope of the length difference for each grader."""
    slope_mean = numpyro.sample("slope_mean", dist.Normal(0.0, 0.5))
    slope_sd = numpyro.sample("slope_sd", dist.HalfNormal(1.0))
    z = numpyro.sample("slope_z", dist.Normal(0.0, 1.0).expand([sizes["grader"]]).to_event(1))
    slope = numpyro.deterministic("slope", slope_mean + slope_sd * z)
    eta = numpyro.sample("b0", dist.Normal(0.0, 1.0)) + effects(codes, sizes, [], 1.0)
    eta = eta + slope[codes["grader"]] * length
    numpyro.sample("chosen", dist.Bernoulli(logits=eta), obs=chosen)


def sampled(model: Callable[..., None], *arguments: Any) -> tuple[Draws, int]:
    """Return draws, dims (chain, draw, ...), and the number of divergences."""
    kernel = NUTS(model, target_accept_prob=SETTINGS["target_accept"], init_strategy=init_to_median)
    mcmc = MCMC(
        kernel,
        num_warmup=int(SETTINGS["warmup"]),
        num_samples=int(SETTINGS["draws"]),
        num_chains=int(SETTINGS["chains"]),
        chain_method="sequential",
        progress_bar=False,
    )
    mcmc.run(jax.random.PRNGKey(int(SETTINGS["seed"])), *arguments)
    draws = {name: np.asarray(x) for name, x in mcmc.get_samples(group_by_chain=True).items()}
    return draws, int(mcmc.get_extra_fields(group_by_chain=True)["diverging"].sum())


def expected_score(cut: Any, eta: Any) -> Any:
    """Return E[score] = sum of P(score > k) over the cuts, dims (chain, draw)."""
    return (1.0 / (1.0 + np.exp(cut - eta[..., None]))).sum(axis=-1)


def contrasts(draws: Draws, levels: Mapping[str, list[str]], at: Callable[[int, int], Any], human: list[int]) -> Draws:
    """Return the coding-free quantities from the linear predictor `at` of a grader and an LLM."""
    out: Draws = {}
    scores = "cuts" in draws

    def mean(quantity: Callable[[int], Any]) -> Any:
        return sum(quantity(h) for h in human) / len(human)

    for g, grader in enumerate(levels["grader"]):
        if g in human:
            continue
        for m, llm in enumerate(levels["LLM"]):
            out[f"effect[{grader}|{llm}]"] = at(g, m) - mean(lambda h, m=m: at(h, m))  # type: ignore[misc]
            if scores:
                out[f"shift[{grader}|{llm}]"] = expected_score(draws["cuts"], at(g, m)) - mean(
                    lambda h, m=m: expected_score(draws["cuts"], at(h, m))  # type: ignore[misc]
                )
        if "grader_LLM" in draws:
            a, b = (out[f"effect[{grader}|{llm}]"] for llm in levels["LLM"])
            out[f"interaction[{grader}]"] = a - b
    return out


def scores_of(question: str, frame: pd.DataFrame, model: str) -> tuple[Draws, int]:
    """Fit one model of scores."""
    factors = [name for name in ("grader", "LLM", "item") if name in frame]
    levels = {name: sorted(frame[name].astype(str).unique()) for name in factors}
    codes = {n: jnp.array([levels[n].index(v) for v in frame[n].astype(str)]) for n in factors}
    sizes = {name: len(found) for name, found in levels.items()}
    score = jnp.array(frame["score"].to_numpy())
    human = [i for i, name in enumerate(levels["grader"]) if name.startswith("Human")]
    if model == "hierarchical":
        kind = jnp.array([int(i in human) for i in range(sizes["grader"])])
        draws, divergent = sampled(hierarchical, codes, kind, sizes["LLM"], score)
        out = contrasts(draws, levels, lambda g, m: draws["grader"][..., g] + draws["LLM"][..., m], human)
        return out | {"type[Autograder - Human]": draws["mean"][..., 0] - draws["mean"][..., 1]}, divergent
    crossed = {"q2": [("grader", "LLM")], "q4": [("grader", "item"), ("grader", "LLM")]}.get(question, [])
    draws, divergent = sampled(linear if model == "linear" else ordered, codes, sizes, crossed, score)

    def at(g: int, m: int) -> Any:
        # Items have equal counts in every cell, and effects of an item add to 0 over items, so they drop out.
        eta = draws["b0"] + draws["grader"][..., g] + (draws["LLM"][..., m] if "LLM" in draws else 0.0)
        return eta + (draws["grader_LLM"][..., g, m] if "grader_LLM" in draws else 0.0)

    out = contrasts(draws, levels, at, human)
    if question == "q4":  # at item effect 0 a shift is not the mean over items, so only effects are kept
        out = {name: x for name, x in out.items() if not name.startswith("shift")}
        for g, grader in enumerate(levels["grader"]):
            if g not in human:
                table = draws["grader_item"]
                out[f"item_contrast[{grader}]"] = (table[..., g, 0] - table[..., g, -1]) - (
                    table[..., human[0], 0] - table[..., human[0], -1]
                )
    return out, divergent


def pairs_of(frame: pd.DataFrame) -> tuple[Draws, int]:
    """Fit the model of pairs."""
    levels = {name: sorted(frame[name].unique()) for name in ("grader", "llm_pair")}
    codes = {n: jnp.array([levels[n].index(v) for v in frame[n]]) for n in levels}
    length = frame["length_diff"].to_numpy()
    standard = jnp.array((length - length.mean()) / length.std())
    draws, divergent = sampled(
        pairwise,
        codes,
        {n: len(f) for n, f in levels.items()},
        standard,
        jnp.array(frame["first_is_chosen"].to_numpy()),
    )
    out = {f"slope[{g}]": draws["slope"][..., i] for i, g in enumerate(levels["grader"])}
    out["slope[Autograder - Human]"] = out["slope[Autograder]"] - out["slope[Human]"]
    out["effect[Autograder]"] = draws["grader"][..., 0] - draws["grader"][..., 1]
    return out, divergent


def rows_of(question: str, model: str, draws: Draws, divergent: int) -> list[dict[str, Any]]:
    """Return one row a quantity, with its Monte Carlo error."""
    out = []
    for name, x in draws.items():
        options: dict[str, Any] = {"chain_axis": 0, "draw_axis": 1}
        low, middle, high = np.quantile(x, [0.025, 0.5, 0.975])
        figures = {
            "mean": x.mean(),
            "sd": x.std(ddof=1),
            "q025": low,
            "q50": middle,
            "q975": high,
            "mcse_mean": arviz_stats.mcse(x, method="mean", **options),
            "rhat": arviz_stats.rhat(x, **options),
            "ess_bulk": arviz_stats.ess(x, method="bulk", **options),
        }
        named = {"question": question, "model": model, "quantity": name}
        out.append(named | {k: f"{float(v):.6g}" for k, v in figures.items()} | {"divergent": divergent})
    return out


FITS = [(q, m) for m in ("ordered", "linear") for q in ("q1", "q2", "q4")] + [
    ("q3", "hierarchical"),
    ("q5", "pairwise"),
]


def main(folder: Path, wanted: list[str]) -> None:
    """Fit the models of the questions and write the reference."""
    numpyro.enable_x64()
    path = HERE / "hibayes_reference.csv"
    kept = list(csv.DictReader(path.open(encoding="utf-8"))) if wanted and path.exists() else []
    found = [row for row in kept if row["question"] not in wanted]
    for question, model in FITS:
        if wanted and question not in wanted:
            continue
        frame = pd.read_csv(folder / "hibayes_judge_csv" / f"{question}.csv")
        made = pairs_of(frame) if model == "pairwise" else scores_of(question, frame, model)
        found += rows_of(question, model, *made)
        print(question, model, "divergent", made[1], flush=True)
        with path.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(found[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(sorted(found, key=lambda r: (r["question"], r["model"], r["quantity"])))
    facts = {
        "what": "posteriors of the GLMs published for hibayes_judge_csv; forms and priors in hibayes_reference.py",
        "origin": "computed by hibayes_reference.py",
        "versions": {name: version(name) for name in ("numpyro", "jax", "numpy")},
        "settings": SETTINGS,
    }
    (HERE / "hibayes_reference.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
