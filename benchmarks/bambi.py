"""judgestats beside Bambi on the demo's trials: whole processes and fits alone, same priors, ratios last.

    python -P benchmarks/bambi.py --bambi-python /path/to/venv/bin/python [TRIALS.csv]

(`-P` because this file would otherwise shadow the package of its name.) Without a file the demo's own 960 trials are
simulated. What is compared and why is in README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

STAGES = ("validity", "shift")
KINDS = ("bambi", "pymc", "exact")
SEED = 20261130
TARGETS = {"whole": {"pymc": 2.0, "exact": 10.0}, "fit": {"exact": 100.0}}
FORMULA = "y ~ 0 + cell + cell:block + (0 + cell | item)"


def main() -> None:
    arguments = parse()
    if arguments.worker:
        work(arguments)
        return
    with tempfile.TemporaryDirectory(prefix="judgestats-benchmark-") as name:
        folder = Path(name)
        trials = arguments.trials.resolve() if arguments.trials else simulate(folder / "trials.csv")
        runs = [run(kind, turn, trials, folder, arguments) for turn in range(arguments.repeat) for kind in KINDS]
    report(runs)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "trials", nargs="?", type=Path, help="trials as CSV: judge, domain, item, block, status, consistent"
    )
    parser.add_argument("--bambi-python", help="interpreter of an environment with bambi 0.21 and pymc 6.4")
    parser.add_argument("--chains", type=int, default=4, help="chains of both NUTS fits")
    parser.add_argument("--draws", type=int, default=1000, help="draws a chain; the warm-up has as many")
    parser.add_argument("--repeat", type=int, default=2, help="runs of each; the first finds no compiled code on disk")
    parser.add_argument("--worker", choices=KINDS, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.worker and not arguments.bambi_python:
        parser.error("--bambi-python is needed: make an environment with `pip install 'bambi==0.21.*' 'pymc==6.4.*'`")
    return arguments


def simulate(path: Path) -> Path:
    """Write the demo's trials."""
    from judgestats.study.analysis import load_analysis
    from judgestats.study.catalog import demo_folder

    simulation = load_analysis(demo_folder()).simulation
    if simulation is None:
        raise SystemExit("the demo analysis simulates no trials")
    simulation.trials().to_csv(path, index=False)
    return path


def run(kind: str, turn: int, trials: Path, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Time one fresh process, from its start to its end."""
    out = folder / f"{kind}.json"
    python = arguments.bambi_python if kind == "bambi" else sys.executable
    command = [python, "-P", str(Path(__file__).resolve()), str(trials), "--worker", kind, "--out", str(out)]
    command += ["--chains", str(arguments.chains), "--draws", str(arguments.draws)]
    # Each kind keeps its compiled code in its own folder, empty at first: the first run is cold, the next ones warm.
    cache = folder / f"compiled-{kind}"
    environment = os.environ | {
        "PYTENSOR_FLAGS": f"base_compiledir={cache / 'pytensor'}",
        "NUMBA_CACHE_DIR": str(cache / "numba"),
    }
    print(f"running {kind}, turn {turn + 1} ...", file=sys.stderr, flush=True)
    before = cpu()
    started = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{kind} failed with exit code {done.returncode}:\n{done.stderr[-4000:]}")
    return {
        "kind": kind,
        "turn": turn,
        "whole": seconds,
        "whole_cpu": cpu() - before,
        **json.loads(out.read_text(encoding="utf-8")),
    }


def cpu() -> float:
    """Return the processor seconds of this process and its finished children: less disturbed by a busy machine than time."""
    return sum(os.times()[:4])


def work(arguments: argparse.Namespace) -> None:
    """Fit both stages in this process and write times and the mean and error of every cell's Delta P."""
    fit = fit_bambi if arguments.worker == "bambi" else fit_ours
    arguments.out.write_text(json.dumps(fit(arguments)), encoding="utf-8")


def fit_bambi(arguments: argparse.Namespace) -> dict[str, Any]:
    started = time.perf_counter()
    import bambi
    import pandas as pd

    imported, used = time.perf_counter(), cpu()
    frame = pd.read_csv(arguments.trials)
    frame = frame[frame["block"].notna()].assign(cell=frame["judge"] + " x " + frame["domain"])
    # Items are numbered within their cell: 80 numbers x 6 cells are exactly the item effects that the trials need.
    frame["item"] = frame.groupby("cell")["item"].transform(lambda names: pd.factorize(names, sort=True)[0]).astype(str)
    frame["block"] = frame["block"].map({"congruent": 0.5, "incongruent": -0.5})
    normal = bambi.Prior("Normal", mu=0.0, sigma=1.5)
    spread = bambi.Prior("Normal", mu=0.0, sigma=bambi.Prior("HalfNormal", sigma=1.0))
    priors = {"cell": normal, "cell:block": normal, "cell|item": spread}
    fits = []
    for stage in STAGES:
        part = frame if stage == "validity" else frame[frame["status"] == "valid"]
        success = part["status"] == "valid" if stage == "validity" else part["consistent"].astype(str) == "True"
        model = bambi.Model(FORMULA, part.assign(y=success.astype(int)), family="bernoulli", priors=priors)
        fit = model.fit(
            draws=arguments.draws,
            tune=arguments.draws,
            chains=arguments.chains,
            cores=min(arguments.chains, os.cpu_count() or 1),
            random_seed=SEED,
            progressbar=False,
        )
        fits.append((stage, fit["posterior"]))
    fitted, spent, values = time.perf_counter(), cpu() - used, {}
    for stage, posterior in fits:
        for cell in posterior["cell_dim"].to_numpy():
            alpha = posterior["cell"].sel(cell_dim=cell).to_numpy()
            beta = posterior["cell:block"].sel({"cell:block_dim": cell}).to_numpy()
            sigma = posterior["cell|item_sigma"].sel(cell__expr_dim=cell).to_numpy()
            values[f"{stage} {cell}"] = delta_p(alpha, beta, sigma)
    return outcome(started, imported, fitted, spent, values, f"bambi {bambi.__version__}")


def fit_ours(arguments: argparse.Namespace) -> dict[str, Any]:
    started = time.perf_counter()
    import judgestats
    from judgestats.inference.choose import fit_stage, load_engine
    from judgestats.inference.contract import EngineSettings
    from judgestats.inference.engines.exact import line_quantities
    from judgestats.seeds import Seed
    from judgestats.spec.catalog import load_model
    from judgestats.spec.model import ModelOptions
    from judgestats.trials.coding import stage_counts
    from judgestats.trials.reading import read_file

    load_engine(arguments.worker)
    # Imported when a table is first checked; with the development tools installed pandera brings in hypothesis as well.
    import pandera.backends.pandas.register
    import pandera.pandas
    import pandera.strategies.pandas_strategies  # noqa: F401

    if arguments.worker == "pymc":  # imported by the engine when it first fits; here so that "fit alone" is without it
        import nutpie  # noqa: F401
        import pymc  # noqa: F401
    imported, used = time.perf_counter(), cpu()
    table = read_file(arguments.trials)
    counts = stage_counts(table)
    model = load_model("two_stage_association", ModelOptions(), list(table.frame.columns))
    settings = EngineSettings(
        Seed(SEED), chains=arguments.chains, warmup=arguments.draws, draws=arguments.draws, target_accept=0.8
    )
    fits = [
        (stage, fit_stage(model.stage(stage), counts[stage], settings, engine=arguments.worker)) for stage in STAGES
    ]
    fitted, spent, values = time.perf_counter(), cpu() - used, {}
    for stage, fit in fits:
        for index, cell in enumerate(counts[stage].cells):
            if cell in fit.lines:
                effect = line_quantities(fit.lines[cell])["difference[marginal]"]
                values[f"{stage} {cell}"] = (effect.mean(), 0.0)
            else:
                draws = fit.posterior.isel(cell=index)
                values[f"{stage} {cell}"] = delta_p(
                    *(draws[name].to_numpy() for name in ("alpha", "beta", "sigma_item"))
                )
    return outcome(started, imported, fitted, spent, values, f"judgestats {judgestats.__version__} {arguments.worker}")


def outcome(
    started: float, imported: float, fitted: float, used: float, values: dict[str, tuple[float, float]], version: str
) -> dict[str, Any]:
    return {
        "import": imported - started,
        "fit": fitted - imported,
        "fit_cpu": used,
        "values": values,
        "version": version,
    }


def marginal(alpha: Any, beta: Any, sigma: Any) -> Any:
    """Return Delta P with the item effect integrated out, by the trapezium rule on 41 nodes over [-6, 6]."""
    import numpy as np

    z = np.linspace(-6, 6, 41)
    weights = np.exp(-0.5 * z * z)
    weights /= weights.sum()
    total = np.zeros(np.shape(alpha))
    for node, weight in zip(z, weights, strict=True):
        total += weight * (expit(alpha + beta / 2 + sigma * node) - expit(alpha - beta / 2 + sigma * node))
    return total


def expit(x: Any) -> Any:
    import numpy as np

    return 0.5 * (1 + np.tanh(x / 2))


def delta_p(alpha: Any, beta: Any, sigma: Any) -> tuple[float, float]:
    """Return mean and Monte Carlo standard error of the marginal Delta P from draws, dims (chain, draw)."""
    import arviz_stats

    draws = marginal(alpha, beta, sigma)
    return float(draws.mean()), float(arviz_stats.mcse(draws, chain_axis=0, draw_axis=1, method="mean"))


def report(runs: list[dict[str, Any]]) -> None:
    """Print times, agreement and, last, the ratios against their targets."""
    print(f"{'':12}{'turn':>6}{'whole s':>10}{'import s':>10}{'fit s':>10}{'whole cpu':>11}{'fit cpu':>10}")
    for one in runs:
        seconds = f"{one['whole']:>10.2f}{one['import']:>10.2f}{one['fit']:>10.3f}"
        print(f"{one['kind']:12}{one['turn'] + 1:>6}{seconds}{one['whole_cpu']:>11.2f}{one['fit_cpu']:>10.3f}")
    print("versions: " + ", ".join(sorted({one["version"] for one in runs})))
    print(f"Bambi's formula: {FORMULA}")
    agreement(runs)
    for measure, targets in TARGETS.items():
        for turn in sorted({one["turn"] for one in runs}):
            seconds = {one["kind"]: one[measure] for one in runs if one["turn"] == turn}
            processor = {one["kind"]: one[f"{measure}_cpu"] for one in runs if one["turn"] == turn}
            for kind in ("pymc", "exact"):
                ratio = seconds["bambi"] / seconds[kind]
                target = f" (target {targets[kind]:g})" if kind in targets else ""
                state = "compiled code on disk" if turn else "nothing compiled"
                work_ratio = processor["bambi"] / processor[kind]
                print(f"{measure}, {state}: bambi / {kind} = {ratio:.1f}{target}; in processor time {work_ratio:.1f}")


def agreement(runs: list[dict[str, Any]]) -> None:
    """Print the largest distance of posterior means of Delta P in combined Monte Carlo standard errors."""
    last = {one["kind"]: one["values"] for one in runs}
    for kind in ("pymc", "exact"):
        distances = {
            name: abs(mean - last[kind][name][0]) / math.hypot(error, last[kind][name][1])
            for name, (mean, error) in last["bambi"].items()
        }
        worst = max(distances, key=lambda name: distances[name])
        words = "within" if distances[worst] < 3 else "NOT within"
        print(
            f"{kind}: {len(distances)} posterior means of Delta P {words} 3 combined MCSE; "
            f"largest {distances[worst]:.2f} ({worst})"
        )


if __name__ == "__main__":
    main()
