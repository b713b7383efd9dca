"""Posterior of the ceiling tables by adaptive cubature: slow, simple, and sharing no code with the package.

    python independent_quadrature.py [CASE ...]        (some minutes on one core; writes independent_quadrature.csv)

Model of one cell: y ~ Bernoulli(logistic(alpha + beta * block + u)), block -1/2 or +1/2, u ~ N(0, sd) per item,
alpha ~ N(0, 1.5), beta ~ N(0, 1.5), sd ~ half-normal(1). Two pieces of numerics only:

* the item intercept is integrated by the trapezoid rule on z = u / sd over [-9, 9] (a smooth integrand that vanishes at
  both ends, for which the trapezoid rule converges geometrically);
* the three parameters are integrated by scipy.integrate.cubature (adaptive Genz-Malik).

A distribution function is the same integral over the part of the box where the quantity is at most t. That part is
written with a limit on one coordinate, so that the integrand stays smooth: P(congruent) <= t is
eta_congruent <= h(t, sd); Delta P <= t is eta_incongruent >= h(P(congruent) - t, sd) or its mirror image, where h is the
logit that gives a marginal probability, found by Newton steps. Quantiles are its roots, to about 1e-5 in the level.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.integrate import cubature
from scipy.special import expit

HERE = Path(__file__).resolve().parent
Array = NDArray[np.float64]
SD_INTERCEPT, SD_BLOCK, SD_ITEM = 1.5, 1.5, 1.0
LEVELS = (0.025, 0.5, 0.975)
REACH = 7.0  # prior standard deviations kept on each side; the mass outside is below 3e-12 a coordinate
# Genz-Malik's own error estimate is very cautious here: a tenth of either figure changes means by 2e-8 and quantiles by
# 3e-6 at most (measured on the first case).
RTOL = 1e-5
RTOL_CDF = 1e-4
Z = np.linspace(-9.0, 9.0, 121)
W = np.exp(-0.5 * Z**2)
W /= W.sum()
# items of each pattern (congruent, incongruent): 1 success, 0 failure, None no trial
CASES: dict[str, dict[tuple[int | None, int | None], int]] = {
    "79_of_80_against_73": {(1, 1): 72, (1, 0): 7, (0, 1): 1},
    "73_of_80_against_79": {(1, 1): 72, (1, 0): 1, (0, 1): 7},
    "80_of_80_against_80": {(1, 1): 80},
    "0_of_200": {(0, 0): 100},
    "200_of_200": {(1, 1): 100},
    "0_of_200_a_block": {(0, 0): 200},
    "200_of_200_a_block": {(1, 1): 200},
    "refusals": {(1, 1): 50, (1, 0): 6, (0, 1): 1, (0, 0): 3, (1, None): 13, (0, None): 2, (None, 1): 4, (None, 0): 1},
}


def marginal(eta: Array, sd: Array) -> Array:
    """P(success) at linear predictor `eta` with the item intercept integrated out."""
    return expit(eta[:, None] + sd[:, None] * Z) @ W


def log_posterior(congruent: Array, incongruent: Array, sd: Array, patterns: dict) -> Array:
    """Unnormalised log posterior density over (alpha, beta, sd) at the two linear predictors."""
    alpha, beta = (congruent + incongruent) / 2, congruent - incongruent
    total = -0.5 * ((alpha / SD_INTERCEPT) ** 2 + (beta / SD_BLOCK) ** 2 + (sd / SD_ITEM) ** 2)
    shift = sd[:, None] * Z
    predictors = (congruent, incongruent)
    likelihood: dict[tuple[int, int], Array] = {}
    for pattern, count in patterns.items():
        product = 1.0
        for side, outcome in enumerate(pattern):
            if outcome is None:
                continue
            if (side, outcome) not in likelihood:
                sign = 1.0 if outcome else -1.0
                likelihood[side, outcome] = expit(sign * (predictors[side][:, None] + shift))
            product = product * likelihood[side, outcome]
        total = total + count * np.log(product @ W)
    return total


def logit_of(probability: Array, sd: Array) -> Array:
    """Linear predictor whose marginal probability is `probability`; infinite outside (0, 1)."""
    inside = (probability > 0) & (probability < 1)
    target = np.clip(probability, 1e-12, 1 - 1e-12)
    scale = np.sqrt(1 + 0.346 * sd**2)
    eta = np.log(target / (1 - target)) * scale
    low, high = np.full_like(eta, -80.0), np.full_like(eta, 80.0)
    for _ in range(60):
        p = expit(eta[:, None] + sd[:, None] * Z)
        error = p @ W - target
        low, high = np.where(error < 0, eta, low), np.where(error > 0, eta, high)
        step = eta - error / np.maximum((p * (1 - p)) @ W, 1e-300)
        moved = np.where((step > low) & (step < high), step, (low + high) / 2)
        if np.max(np.abs(moved - eta)) < 1e-12:
            break
        eta = moved
    return np.where(inside, eta, np.where(probability >= 1, np.inf, -np.inf))


@dataclass(frozen=True)
class Case:
    """One table: its patterns, the peak of its log posterior and its normalising constant."""

    patterns: dict
    peak: float
    constant: float

    def density(self, congruent: Array, incongruent: Array, sd: Array) -> Array:
        """Density over (alpha, beta, sd), up to the constant."""
        return np.exp(log_posterior(congruent, incongruent, sd, self.patterns) - self.peak)


BOX = np.array(
    [[-SD_INTERCEPT * REACH, SD_INTERCEPT * REACH], [-SD_BLOCK * REACH, SD_BLOCK * REACH], [0, SD_ITEM * REACH]]
)


def integrate(f: Callable[[Array], Array], low: Array, high: Array, rtol: float = RTOL, atol: float = 1e-7) -> Array:
    """Integral of a vector-valued function over a box.

    The absolute tolerance serves components that are 0 by symmetry; the density has peak 1 and an integral near 1.
    """
    result = cubature(f, low, high, rule="genz-malik", rtol=rtol, atol=atol, max_subdivisions=200_000)
    if result.status != "converged":
        raise RuntimeError(f"cubature stopped at error {np.max(result.error)}")
    return np.asarray(result.estimate)


def moments(patterns: dict) -> tuple[Case, dict[str, float], dict[str, float]]:
    """Normalised case with posterior means and standard deviations."""
    rng = np.random.default_rng(1)
    points = np.column_stack([rng.normal(0, 3, 20_000), rng.normal(0, 2, 20_000), np.abs(rng.normal(0, 1, 20_000))])
    peak = float(
        log_posterior(points[:, 0] + points[:, 1] / 2, points[:, 0] - points[:, 1] / 2, points[:, 2], patterns).max()
    )
    case = Case(patterns, peak, 1.0)

    def f(x: Array) -> Array:
        alpha, beta, sd = x.T
        top, low = alpha + beta / 2, alpha - beta / 2
        p, q = marginal(top, sd), marginal(low, sd)
        values = np.column_stack([alpha, beta, sd, p, q, p - q, (p + q) / 2])
        weight = case.density(top, low, sd)[:, None]
        return np.hstack([weight, weight * values, weight * values**2])

    total = integrate(f, BOX[:, 0], BOX[:, 1])
    names = ("alpha", "beta", "sd_item", "p_congruent", "p_incongruent", "delta_p", "p_mean")
    mean = total[1:8] / total[0]
    sd = np.sqrt(np.maximum(total[8:] / total[0] - mean**2, 0))
    return Case(patterns, peak, float(total[0])), dict(zip(names, mean, strict=True)), dict(zip(names, sd, strict=True))


def eta_limits() -> tuple[float, float]:
    """Range of a block's linear predictor that is kept."""
    half = REACH * float(np.hypot(SD_INTERCEPT, SD_BLOCK / 2))
    return -half, half


def cdf_block(case: Case, side: int, t: float) -> float:
    """P(marginal probability of a block <= t); side 0 is congruent."""
    low, high = eta_limits()

    def f(x: Array) -> Array:
        share, other, sd = x.T
        end = np.clip(logit_of(np.full_like(sd, t), sd), low, high)
        this = low + (end - low) * share
        pair = (this, other) if side == 0 else (other, this)
        return case.density(*pair, sd) * (end - low)

    # alpha, beta -> (eta congruent, eta incongruent) has Jacobian 1
    return (
        float(integrate(f, np.array([0, low, 0]), np.array([1, high, SD_ITEM * REACH]), RTOL_CDF, 1e-30))
        / case.constant
    )


def cdf_delta(case: Case, t: float, near_one: bool) -> float:
    """P(Delta P <= t), Delta P marginal.

    Either predictor can carry the limit: eta_incongruent >= h(P(congruent) - t) or eta_congruent <= h(P(incongruent) + t).
    The one is taken whose argument stays away from the end of (0, 1) that the posterior sits at, where h is infinite.
    """
    low, high = eta_limits()

    def limit_on_incongruent(x: Array) -> Array:
        congruent, share, sd = x.T
        start = np.clip(logit_of(marginal(congruent, sd) - t, sd), low, high)
        return case.density(congruent, start + (high - start) * share, sd) * (high - start)

    def limit_on_congruent(x: Array) -> Array:
        incongruent, share, sd = x.T
        end = np.clip(logit_of(marginal(incongruent, sd) + t, sd), low, high)
        return case.density(low + (end - low) * share, incongruent, sd) * (end - low)

    f = limit_on_incongruent if (t > 0) == near_one else limit_on_congruent
    box = np.array([low, 0, 0]), np.array([high, 1, SD_ITEM * REACH])
    return float(integrate(f, *box, RTOL_CDF, 1e-30)) / case.constant


def rough_quantiles(case: Case) -> dict[str, list[float]]:
    """Quantiles from a plain Gauss-Legendre grid, good to about 1e-3: where the root search begins."""
    x, w = np.polynomial.legendre.leggauss(48)
    low, high = eta_limits()
    y, v = np.polynomial.legendre.leggauss(61)  # another count than for x, so that no two grid values tie
    eta, other, sd = low + (high - low) * (x + 1) / 2, low + (high - low) * (y + 1) / 2, 4 * (x + 1) / 2
    top, bottom, spread = (m.ravel() for m in np.meshgrid(eta, other, sd, indexing="ij"))
    weight = (w[:, None, None] * v[:, None] * w).ravel()
    density = np.concatenate(
        [case.density(*chunk) for chunk in zip(*(np.array_split(v, 64) for v in (top, bottom, spread)), strict=True)]
    )
    weight = weight * density
    p = np.concatenate(
        [marginal(a, b) for a, b in zip(np.array_split(top, 64), np.array_split(spread, 64), strict=True)]
    )
    q = np.concatenate(
        [marginal(a, b) for a, b in zip(np.array_split(bottom, 64), np.array_split(spread, 64), strict=True)]
    )
    out = {}
    for name, value in (("p_congruent", p), ("p_incongruent", q), ("delta_p", p - q)):
        order = np.argsort(value)
        mass = np.cumsum(weight[order])
        out[name] = [float(np.interp(level, (mass - weight[order] / 2) / mass[-1], value[order])) for level in LEVELS]
    return out


def root(cdf: Callable[[float], float], level: float, start: float, step: float) -> float:
    """Root of cdf(t) = level by the secant rule from a close start."""
    before, after = start, start + step
    error = cdf(before) - level
    for _ in range(12):
        new_error = cdf(after) - level
        if abs(new_error) < 5e-6 or after == before:
            return after
        slope = (new_error - error) / (after - before)
        before, error, after = after, new_error, after - new_error / slope
    raise RuntimeError(f"no root of the distribution function at {level}")


def quantiles(case: Case, mean: dict[str, float], sd: dict[str, float]) -> dict[str, list[float]]:
    """Quantiles of the probabilities and of Delta P at LEVELS."""
    functions: dict[str, Callable[[float], float]] = {
        "p_congruent": lambda t: cdf_block(case, 0, t),
        "p_incongruent": lambda t: cdf_block(case, 1, t),
        "delta_p": lambda t: cdf_delta(case, t, mean["p_mean"] > 0.5),
    }
    out = {}
    for name, starts in rough_quantiles(case).items():
        out[name] = [root(functions[name], q, t, 0.01 * sd[name]) for q, t in zip(LEVELS, starts, strict=True)]
        # an adaptive rule that misses the peak converges at once on 0: the plain grid guards against it
        if max(abs(a - b) for a, b in zip(out[name], starts, strict=True)) > 0.5 * sd[name]:
            raise RuntimeError(f"{name}: {out[name]} is far from the plain grid's {starts}")
    return out


def main() -> None:
    """Compute the named cases (all by default) and merge them into the CSV."""
    path = HERE / "independent_quadrature.csv"
    rows: dict[tuple[str, str], list] = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as handle:
            rows = {(row[0], row[1]): row for row in list(csv.reader(handle))[1:]}
    for name in sys.argv[1:] or CASES:
        case, mean, sd = moments(CASES[name])
        ends = quantiles(case, mean, sd)
        for quantity in mean:
            figures = [mean[quantity], sd[quantity], *ends.get(quantity, [])]
            rows[name, quantity] = [name, quantity, *(f"{x:.9g}" for x in figures), *[""] * (5 - len(figures))]
        print(name, {k: round(v, 6) for k, v in mean.items()}, ends["delta_p"], flush=True)
        with path.open("w", encoding="utf-8", newline="") as handle:
            out = csv.writer(handle, lineterminator="\n")
            out.writerow(["case", "quantity", "mean", "sd", "q025", "q50", "q975"])
            out.writerows(rows[key] for key in sorted(rows))
    settings = {
        "what": "posterior means, sds and quantiles by adaptive cubature; priors N(0, 1.5), N(0, 1.5), half-normal(1)",
        "origin": "computed by independent_quadrature.py",
        "versions": {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__},
        "cubature": {
            "rule": "genz-malik",
            "rtol": RTOL,
            "rtol_of_distribution_functions": RTOL_CDF,
            "reach_in_prior_sds": REACH,
        },
        "item_intercept": {"rule": "trapezoid", "nodes": Z.size, "range": [-9, 9]},
        "tolerance": 1e-5,
        "cases": {name: [[*pattern, count] for pattern, count in case.items()] for name, case in CASES.items()},
    }
    (HERE / "independent_quadrature.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
