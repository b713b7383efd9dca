"""Prepare the score tables that the R references fit, by item, variant and level.

    python prepare_scores.py FOLDER

FOLDER holds the shared data sets; ``prometheus`` is read from it by its README: the item is the question (``idx``), the
variant is the source of the answer, each question and source has three repeated scores from 1 to 5. The other tables are
simulated here from P(level <= k) = expit(threshold_k - effect - u_item), u_item ~ N(0, sigma_item), with the values of
`WORLDS`. Writes ``scores/*.csv`` with columns ``item variant level count`` (levels count from 1) and ``scores/worlds.json``.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
SEED = 20261201
NEVER = 1e-12  # distance of the two thresholds around a level that must not occur
WORLDS: dict[str, dict[str, Any]] = {
    # Many items, because the distance of a maximum from a posterior mean falls as 1 / sqrt(items).
    "simulated": {
        "items": 1000,
        "effects": [0.0, 0.8, -0.5, 0.1, -1.2],
        "thresholds": [-4.2, -3.1, -2.2, -1.3, -0.4, 0.5, 1.5, 2.6, 3.8],
        "sigma_item": 1.3,
    },
    "unused_level": {
        "items": 600,
        "effects": [0.0, 0.6, -0.6, 0.2, -1.0],
        "thresholds": [-3.6, -2.6, -2.6 + NEVER, -1.2, -0.4, 0.5, 1.4, 2.4, 3.4],
        "sigma_item": 1.0,
    },
    "small": {
        "items": 60,
        "effects": [0.0, 0.9, -0.7, 0.0, -1.5],
        "thresholds": [-2.0, -0.6, 0.7, 2.2],
        "sigma_item": 1.2,
    },
    # 10 levels, of which the last two and one in the middle never occur. (The last, because Stan counts thresholds from the
    # first one: unused levels below the others make a ridge there on which it diverges, 246 times of 10,000.)
    "small_unused": {
        "items": 60,
        "effects": [0.0, 0.5, -0.8],
        "thresholds": [-2.6, -1.4, -0.5, 0.3, 1.4, 1.4 + NEVER, 2.4, 39.0, 40.0],
        "sigma_item": 0.8,
    },
}


def simulated(world: dict[str, Any], rng: np.random.Generator) -> Counter[tuple[str, str, int]]:
    """Return counts by item, variant and level of one answer an item and variant."""
    thresholds = np.array(world["thresholds"])
    u = rng.normal(0.0, world["sigma_item"], world["items"])
    eta = u[:, None] + np.array(world["effects"])[None, :]
    latent = eta + rng.logistic(size=eta.shape)
    levels = 1 + (latent[..., None] > thresholds).sum(axis=-1)
    return Counter(
        (f"item{i + 1:04d}", "base" if v == 0 else f"cue{v}", int(levels[i, v])) for i, v in np.ndindex(levels.shape)
    )


def prometheus(folder: Path) -> Counter[tuple[str, str, int]]:
    """Return counts by question, source of the answer and score."""
    with gzip.open(folder / "prometheus_vicuna_gpt4" / "vicuna_eval.json.gz", "rt", encoding="utf-8") as handle:
        rows = json.load(handle)
    return Counter((f"{int(r['idx']):03d}", str(r["response_source"]), int(s)) for r in rows for s in r["gpt4_score"])


def write(name: str, counts: Counter[tuple[str, str, int]]) -> None:
    """Write one table in canonical order."""
    with (HERE / "scores" / f"{name}.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(["item", "variant", "level", "count"])
        writer.writerows([*key, counts[key]] for key in sorted(counts))


def main(folder: Path) -> None:
    """Write every table and the planted values."""
    (HERE / "scores").mkdir(exist_ok=True)
    for position, (name, world) in enumerate(WORLDS.items()):
        write(name, simulated(world, np.random.default_rng([SEED, position])))
    write("prometheus", prometheus(folder))
    levels = {name: len(world["thresholds"]) + 1 for name, world in WORLDS.items()} | {"prometheus": 5}
    facts = {"seed": SEED, "levels": levels, "reference": dict.fromkeys(WORLDS, "base") | {"prometheus": "vicuna"}}
    text = json.dumps(facts | {"planted": WORLDS}, indent=2)
    (HERE / "scores" / "worlds.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
