"""The full cue design of one judge: 4,500 items, 9 domains, 15 variants, 67,500 scores; time and memory of the fit alone.

    python benchmarks/full_design.py [--judges 1] [--draws 300]

Prints seconds, peak memory, the worst R-hat and the least bulk ESS over effects, thresholds and item standard deviations,
and last the ratios to the targets (600 s a judge and 8 GiB), above 1 where they are met.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from judgestats.inference.contract import EngineSettings
from judgestats.inference.score_stage import fit_score_stage
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions
from judgestats.trials.cell import Cell
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.variant import Variant

DOMAINS, ITEMS, CUES, LEVELS = 9, 500, 7, 10
SECONDS, GIB = 600.0, 8.0


def simulated_rows(judges: int, domains: int, items: int, variants: int, repeats: int, seed: int) -> ScoreRows:
    """Return scores of an ordinal model: thresholds of a middling judge, effects N(0, 0.7^2), item effects N(0, 1)."""
    rng = np.random.default_rng(seed)
    threshold = np.linspace(-3.0, 2.5, LEVELS - 1)
    cells = tuple(Cell(f"judge {j}", f"domain {d}") for j in range(judges) for d in range(domains))
    cell, item, variant, _ = np.indices((len(cells), items, variants, repeats)).reshape(4, -1)
    effect = np.concatenate([np.zeros((len(cells), 1)), rng.normal(0, 0.7, (len(cells), variants - 1))], axis=1)
    latent = effect[cell, variant] + rng.normal(size=(len(cells), items))[cell, item] + rng.logistic(size=cell.size)
    level = np.searchsorted(threshold, latent)
    keys, count = np.unique(np.stack([cell, item, variant, level]), axis=1, return_counts=True)
    names = tuple(f"item {i:04d}" for i in range(items))
    cues = [Variant(f"cue {(v + 1) // 2}", ("pos", "neg")[v % 2]) for v in range(1, variants)]
    return ScoreRows("shift", cells, (names,) * len(cells), (Variant(), *sorted(cues)), LEVELS, *keys, count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judges", type=int, default=1)
    parser.add_argument("--draws", type=int, default=300, help="draws a chain, of 4 chains")
    parser.add_argument("--warmup", type=int, default=200)
    arguments = parser.parse_args()
    rows = simulated_rows(arguments.judges, DOMAINS, ITEMS, 2 * CUES + 1, 1, 20261201)
    stage = load_model("two_stage_ordinal", ModelOptions(), ()).stage("shift")
    settings = EngineSettings(Seed(1), draws=arguments.draws, warmup=arguments.warmup, target_accept=0.8)
    wall, processor = time.perf_counter(), time.process_time()
    fit = fit_score_stage(stage, rows, settings)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    values = {c: [r.value for r in fit.gate if r.criterion == c and r.value is not None] for c in ("rhat", "ess_bulk")}
    print(f"{int(rows.count.sum())} scores, {len(rows.cells)} cells, {4 * arguments.draws} draws")
    print(f"{wall:.0f} s wall, {processor:.0f} s processor, peak {peak:.2f} GiB")
    print(f"worst R-hat {max(values['rhat']):.4f}, least bulk ESS {min(values['ess_bulk']):.0f}")
    print(f"gate rows that fail: {[r for r in fit.gate if r.status == 'fail']}")
    print(
        f"time allowed over time taken {SECONDS * arguments.judges / wall:.2f}; memory allowed over taken {GIB / peak:.1f}"
    )


if __name__ == "__main__":
    main()
