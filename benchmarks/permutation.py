"""Permutation refits of the 960-trial design: seconds, distinct data sets, and the ratio to fitting each one singly.

python benchmarks/permutation.py
"""

from __future__ import annotations

import time

import numpy as np

from judgestats.checks.permutation import falsify
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import ExactEngine
from judgestats.seeds import Seed
from judgestats.study.analysis import load_analysis
from judgestats.study.catalog import demo_folder
from judgestats.study.setup import prepare


def main() -> None:
    setup = prepare(load_analysis(demo_folder() / "analysis.toml"), None)
    counts, stage = setup.counts["shift"], setup.model.stage("shift")
    single = []
    for _ in range(3):
        started = time.perf_counter()
        ExactEngine().fit(stage, counts, EngineSettings(Seed(1)))
        single.append(time.perf_counter() - started)
    one = float(np.median(single))
    print(f"one exact fit of the 6 cells, engine's own gate included: {one:.3f} s")
    for scheme, permutations in (("within_item", 1000), ("within_judge", 1000), ("within_judge", 10_000)):
        started = time.perf_counter()
        rows = falsify(stage, counts, schemes=(scheme,), permutations=permutations, seed=Seed(1))
        seconds = time.perf_counter() - started
        distinct = sum(row.distinct for row in rows)
        print(
            f"{permutations} {scheme} refits of all cells: {seconds:.2f} s, {distinct} distinct data sets over the cells"
        )
    print(f"ratio: {permutations} refits singly / in one batch = {permutations * one / seconds:.0f}")


if __name__ == "__main__":
    main()
