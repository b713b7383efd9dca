"""Score stages beside NumPyro's ordinary row-wise ordered logit: same posterior, one run each, ratios last.

    python benchmarks/ordinal.py [--draws 500] [--only rows|items]

`rows`: 10,000 rows, 5 judges x 5 domains, a threshold vector and effects for each cell (the full interaction), no item
intercepts. `items`: 400 items x 5 judges x 5 repeats with item intercepts, written out non-centred on the NumPyro side.
Both sides run NUTS in float64 with 4 chains, the same draws and target acceptance; compilation is counted in both, and
seconds for each 1,000 effective draws of the worst effect stand beside wall seconds.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from full_design import LEVELS, simulated_rows

from judgestats.draws.convergence import convergence
from judgestats.inference.contract import EngineSettings
from judgestats.inference.score_stage import fit_score_stage
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions, StageSpec
from judgestats.trials.score_rows import ScoreRows

TARGET = {"rows": 20.0, "items": 3.0}


def stage_of(items: bool) -> StageSpec:
    stage = load_model("two_stage_ordinal", ModelOptions(), ()).stage("shift")
    kept = tuple(term for term in stage.terms if items or term.name != "sigma_item")
    return StageSpec(stage.name, stage.response, stage.given, stage.family, kept)


def row_wise(rows: ScoreRows, items: bool) -> Any:
    """Return the model as a user of NumPyro would write it: one ordered-logit term a row."""
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    index = np.repeat(np.arange(len(rows.cell)), rows.count)
    cell, variant, level = rows.cell[index], rows.variant[index], rows.outcome[index]
    number = len(rows.items[0])
    unit = cell * number + rows.item[index]
    cells, shifts = len(rows.cells), len(rows.variants) - 1

    def model() -> None:
        with numpyro.plate("cell", cells):
            simplex = numpyro.sample("simplex", dist.Dirichlet(jnp.ones(LEVELS)))
            effect = numpyro.sample("effect", dist.Normal(0.0, 1.5).expand([shifts]).to_event(1))
            if items:
                sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
        below = jnp.clip(jnp.cumsum(simplex, axis=1)[:, :-1], 1e-12, 1 - 1e-12)
        threshold = jnp.log(below) - jnp.log1p(-below)
        eta = jnp.concatenate([jnp.zeros((cells, 1)), effect], axis=1)[cell, variant]
        if items:
            raw = numpyro.sample("raw", dist.Normal(0.0, 1.0).expand([cells * number]).to_event(1))
            eta = eta + sigma[cell] * raw[unit]
        numpyro.sample("level", dist.OrderedLogistic(eta, threshold[cell]), obs=level)

    return model


def theirs(rows: ScoreRows, items: bool, draws: int) -> tuple[float, np.ndarray]:
    import jax
    from numpyro.infer import MCMC, NUTS

    with jax.enable_x64(True):
        start = time.perf_counter()
        kernel = NUTS(row_wise(rows, items), target_accept_prob=0.8)
        mcmc = MCMC(
            kernel, num_warmup=draws, num_samples=draws, num_chains=4, chain_method="vectorized", progress_bar=False
        )
        mcmc.run(jax.random.PRNGKey(1))
        effect = np.asarray(mcmc.get_samples(group_by_chain=True)["effect"])
        return time.perf_counter() - start, effect


def ours(rows: ScoreRows, items: bool, draws: int) -> tuple[float, np.ndarray]:
    settings = EngineSettings(Seed(1), draws=draws, warmup=draws, target_accept=0.8)
    start = time.perf_counter()
    fit = fit_score_stage(stage_of(items), rows, settings)
    return time.perf_counter() - start, fit.posterior["effect"].values[..., 1:]


def compare(name: str, rows: ScoreRows, items: bool, draws: int) -> str:
    mine_seconds, mine = ours(rows, items, draws)
    print(f"{name}: judgestats {mine_seconds:.1f} s", flush=True)
    other_seconds, other = theirs(rows, items, draws)
    ess = {who: float(convergence(values).ess_bulk.min()) for who, values in (("ours", mine), ("theirs", other))}
    error = np.hypot(mine.std(axis=(0, 1)), other.std(axis=(0, 1))) / np.sqrt(min(ess.values()))
    distance = float(np.max(np.abs(mine.mean(axis=(0, 1)) - other.mean(axis=(0, 1))) / error))
    print(f"{name}: NumPyro row-wise {other_seconds:.1f} s; least bulk ESS {ess['ours']:.0f} and {ess['theirs']:.0f}")
    print(f"{name}: largest distance of posterior means {distance:.1f} combined standard errors")
    seconds = other_seconds / mine_seconds
    effective = seconds * ess["ours"] / ess["theirs"]
    return f"{name}: {seconds:.1f} in wall time, {effective:.1f} for each effective draw (target {TARGET[name]:g})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=500, help="draws and warm-up draws a chain")
    parser.add_argument("--only", choices=tuple(TARGET))
    arguments = parser.parse_args()
    found = []
    if arguments.only != "items":
        found.append(compare("rows", simulated_rows(5, 5, 100, 4, 1, 1), False, arguments.draws))
    if arguments.only != "rows":
        found.append(compare("items", simulated_rows(5, 1, 400, 1 + 1, 5, 2), True, arguments.draws))
    print("\n".join(found))


if __name__ == "__main__":
    main()
