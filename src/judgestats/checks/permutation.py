"""Permutation falsification: the effect among refits under permuted block labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from judgestats.checks.falsification import Falsification
from judgestats.checks.label_permutation import (
    LabelledUnits,
    Scheme,
    item_tables,
    pattern_counts,
    permuted,
    units_asked,
)
from judgestats.checks.permutation_enumeration import outcomes
from judgestats.checks.permutation_p import (
    exact_p,
    monte_carlo_p,
    smallest_exact_p,
    smallest_monte_carlo_p,
    smallest_over_cells,
)
from judgestats.errors import ConfigError, near_match
from judgestats.inference.choose import explain_choice
from judgestats.inference.contract import Progress
from judgestats.inference.refit_batch import raw_difference, refit_means
from judgestats.seeds import Seed
from judgestats.spec.model import StageSpec
from judgestats.trials.cell import Cell
from judgestats.trials.counts import StageCounts

Array = NDArray[np.float64]
SCHEMES: tuple[str, ...] = ("within_item", "between_items", "between_clusters", "within_judge")
_BATCHED = {"alpha", "beta", "sigma_item"}


@dataclass(frozen=True)
class _Null:
    """Statistics of one cell under one scheme."""

    observed: float
    raw_observed: float
    values: Array  # dims (outcome,)
    weights: Array  # dims (outcome,)
    draws: Array  # dims (permutation,), for the maximum over cells
    distinct: int
    failed: int
    enumerated: bool


def falsify(
    stage: StageSpec,
    counts: StageCounts,
    *,
    asked: StageCounts | None = None,
    schemes: Sequence[str] = ("auto", "within_judge"),
    permutations: int = 1000,
    seed: Seed,
    engine: str = "auto",
    progress: Progress | None = None,
) -> tuple[Falsification, ...]:
    """Permute block labels within each cell among its valid trials, refit, and place the observed effect.

    Where the exact engine serves with an item intercept alone the statistic is the posterior mean of the marginal
    Delta P of every refit; elsewhere one refit takes over 0.1 s and the statistic is the raw conditional difference,
    for observed and permuted data alike. Refits of equal data sets are done once and counted. Under ``within_item``
    all distinct data sets are enumerated when they are few.

    Parameters
    ----------
    stage : StageSpec
        The shift stage.
    counts : StageCounts
        Its counts: valid trials only, so lost trials keep out of the permutation.
    asked : StageCounts, optional
        Counts of the validity stage: all trials, lost ones included. The level at which labels were assigned is read from
        them, since loss can leave an item, or a cluster, with one block of the two it was asked in. Default: `counts`.
    schemes : sequence of str
        ``auto`` (the level at which labels were assigned: between clusters where each holds one block, within items where
        some item holds both blocks, else between items), ``within_item``, ``between_items``, ``between_clusters``,
        ``within_judge``.
    permutations : int
        Refits a cell and scheme.
    seed : Seed
        Streams ``permutation/<scheme>/<cell>``.
    engine : str
        Engine of the analysis; decides the statistic.
    progress : callable, optional
        Progress callback.

    Returns
    -------
    tuple of Falsification
        One row a cell and scheme; a scheme that cannot permute a cell gives a row with p = 1 and a note that says why.

    Raises
    ------
    ConfigError
        If a scheme is unknown or `permutations` is below 1.
    """
    _check(schemes, permutations)
    batched = explain_choice(stage, counts, engine)[0] == "exact" and {t.name for t in stage.terms} <= _BATCHED
    rows: list[Falsification] = []
    for position, named in enumerate(schemes):
        results: list[tuple[Falsification, Array]] = []
        for index, cell in enumerate(counts.cells):
            if progress is not None:
                progress("permutation refits", position * len(counts.cells) + index, len(schemes) * len(counts.cells))
            units = LabelledUnits.of(counts.select(index))
            design = units_asked(asked, cell, units)
            scheme: str = design.default_scheme() if named == "auto" else named
            results.append(_falsify_cell(stage, units, design, cell, scheme, permutations, seed, batched=batched))
        rows.extend(_with_maximum(results, permutations))
    if progress is not None:
        progress("permutation refits", len(schemes) * len(counts.cells), len(schemes) * len(counts.cells))
    return tuple({(r.judge, r.domain, r.scheme): r for r in rows}.values())


def _check(schemes: Sequence[str], permutations: int) -> None:
    allowed = ("auto", *SCHEMES)
    for scheme in schemes:
        if scheme not in allowed:
            raise ConfigError(
                f"Permutation scheme {scheme!r} is unknown; {near_match(scheme, allowed)}".rstrip("; "),
                allowed=", ".join(allowed),
                remedy="Set [falsification] schemes in the analysis file.",
            )
    if permutations < 1:
        raise ConfigError(f"permutations = {permutations}; at least 1 refit is needed.")


def _falsify_cell(
    stage: StageSpec,
    units: LabelledUnits,
    design: LabelledUnits,
    cell: Cell,
    scheme: str,
    permutations: int,
    seed: Seed,
    *,
    batched: bool,
) -> tuple[Falsification, Array]:
    refusal = units.refusal(scheme, design)  # type: ignore[arg-type]
    one_block = units.table[:, 0].sum() == 0 or units.table[:, 2].sum() == 0
    if refusal is None and one_block:
        refusal = "one block has no valid trial"
    if refusal is not None:
        return _inapplicable(cell, scheme, refusal), np.zeros(0)
    rng = seed.generator(f"permutation/{scheme}/{cell.judge}\x1f{cell.domain}")
    null = _null(stage, units, scheme, rng, permutations, batched=batched)  # type: ignore[arg-type]
    if np.isnan(null.observed):
        return _inapplicable(cell, scheme, "the refit of the observed data failed"), np.zeros(0)
    if null.enumerated:
        p = exact_p(null.values, null.weights, null.observed)
        lower = upper = p
        smallest = smallest_exact_p(null.values, null.weights)
    else:
        p, lower, upper = monte_carlo_p(null.values, null.observed)
        smallest = smallest_monte_carlo_p(null.values, null.observed)
    row = Falsification(
        judge=cell.judge,
        domain=cell.domain,
        scheme=scheme,
        statistic="posterior_mean_delta_p" if batched else "raw_difference",
        observed=null.observed,
        raw_observed=null.raw_observed,
        null=null.values,
        null_weights=null.weights,
        permutations=0 if null.enumerated else permutations,
        distinct=null.distinct,
        failed=null.failed,
        p_value=p,
        p_lower=lower,
        p_upper=upper,
        smallest_p=smallest,
        p_max=None,
        enumerated=null.enumerated,
        notes=_notes(units, scheme, smallest, null),
    )
    return row, null.draws


def _null(
    stage: StageSpec,
    units: LabelledUnits,
    scheme: Scheme,
    rng: np.random.Generator,
    permutations: int,
    *,
    batched: bool,
) -> _Null:
    listed = outcomes(units) if scheme == "within_item" else None
    if listed is None:
        tables = item_tables(units, np.concatenate([units.table[None], permuted(units, scheme, rng, permutations)]))
        patterns, rows = pattern_counts(tables)
        distinct, which = np.unique(rows, axis=0, return_inverse=True)
        statistic, failed_rows = _statistics(stage, patterns, distinct, batched=batched)
        which = which.ravel()
        values = statistic[which[1:]]
        weights = np.full(permutations, 1 / permutations)
        observed, draws = float(statistic[which[0]]), values
        raw = float(raw_difference(patterns, rows[:1])[0])
        seen = len(np.unique(which[1:]))
        return _Null(observed, raw, values, weights, draws, seen, int(failed_rows[which[1:]].sum()), False)
    patterns, rows, weights = listed
    values, failed_rows = _statistics(stage, patterns, rows, batched=batched)
    own_patterns, own = pattern_counts(item_tables(units, units.table[None]))
    at = {tuple(p): i for i, p in enumerate(patterns.tolist())}
    row = np.zeros(len(patterns), dtype=np.int64)
    row[[at[tuple(p)] for p in own_patterns.tolist()]] = own[0]
    observed = float(values[np.flatnonzero((rows == row).all(axis=1))[0]])
    draws = values[rng.choice(len(values), size=permutations, p=weights / weights.sum())]
    raw = float(raw_difference(patterns, row[None])[0])
    return _Null(observed, raw, values, weights, draws, len(values), int(failed_rows.sum()), True)


def _statistics(
    stage: StageSpec, patterns: NDArray[np.int64], rows: NDArray[np.int64], *, batched: bool
) -> tuple[Array, NDArray[np.bool_]]:
    values = refit_means(stage, patterns, rows).means if batched else raw_difference(patterns, rows)
    return values, np.isnan(values)


def _with_maximum(results: list[tuple[Falsification, Array]], permutations: int) -> list[Falsification]:
    """Add the p-value of the smallest p over the cells whose labels can move."""
    moving = [i for i, (row, draws) in enumerate(results) if row.distinct > 1 and draws.size == permutations]
    if not moving:
        return [row for row, _ in results]
    observed = np.array([results[i][0].observed for i in moving])
    over_cells = smallest_over_cells(observed, np.stack([results[i][1] for i in moving]))
    p_max = dict(zip(moving, over_cells.tolist(), strict=True))
    # Doubling one tail overstates p where the other tail is thick; an adjusted p must not undercut the p that it adjusts.
    return [replace(row, p_max=max(p_max[i], row.p_value)) if i in p_max else row for i, (row, _) in enumerate(results)]


def _notes(units: LabelledUnits, scheme: str, smallest: float, null: _Null) -> tuple[str, ...]:
    notes = []
    if null.distinct == 1:
        notes.append(
            "No label can move under this scheme: every permutation gives the observed data, so p = 1 says nothing."
        )
    if scheme == "within_item":
        table = units.table[units.complete]
        single = (table[:, 0] == 1) & (table[:, 2] == 1)
        if single.all():
            more, less = int(np.sum(table[:, 1] > table[:, 3])), int(np.sum(table[:, 1] < table[:, 3]))
            notes.append(
                f"{more + less} discordant items, {more} towards the congruent block and {less} against; "
                f"only they can change under this scheme, and the smallest two-sided p it can reach is {smallest:.2g}."
            )
        left = int((~units.complete).sum())
        if left:
            notes.append(
                f"{left} incomplete pairs (valid answers in one block only: the other was lost or never asked) keep their label."
            )
    if null.failed:
        notes.append(f"{null.failed} refits failed; they count as exceedances, so p is an upper bound.")
    return tuple(notes)


def _inapplicable(cell: Cell, scheme: str, reason: str) -> Falsification:
    return Falsification(
        judge=cell.judge,
        domain=cell.domain,
        scheme=scheme,
        statistic="none",
        observed=float("nan"),
        raw_observed=float("nan"),
        null=np.zeros(0),
        null_weights=np.zeros(0),
        permutations=0,
        distinct=0,
        failed=0,
        p_value=1.0,
        p_lower=0.0,
        p_upper=1.0,
        smallest_p=1.0,
        p_max=None,
        enumerated=False,
        notes=(f"Labels cannot be permuted with the scheme {scheme}: {reason}.",),
    )
