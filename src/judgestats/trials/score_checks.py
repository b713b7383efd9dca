"""Score checks: what the `validate` command says about scores: counts by cue, the scale as it was used, what is supported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from judgestats.trials.columns import weights
from judgestats.trials.pairing import pair_trials
from judgestats.trials.status import STATUSES, Status
from judgestats.trials.table import Score, TrialTable
from judgestats.trials.variant import BASE_CUE

UNLOCKING: tuple[str, ...] = ("cue", "polarity", "repeat", "raw_text", "generator", "prompt_config", "judge_version")
"""Columns that would make more possible where verdicts are scores."""


@dataclass(frozen=True)
class VariantCount:
    """Trials of one judge, domain, cue and polarity by status; the cue is ``base`` for trials without one."""

    judge: str
    domain: str
    cue: str
    polarity: str
    asked: int
    statuses: dict[str, int]


@dataclass(frozen=True)
class ScoreUse:
    """What one judge used of the scale in one domain.

    Parameters
    ----------
    judge, domain : str
        The cell.
    valid : int
        Valid trials.
    lowest, highest : float
        Smallest and largest score given, score points.
    levels : int
        Different scores given.
    mean : float
        Mean of the valid scores over all variants, score points.
    at_lowest, at_highest : int
        Valid trials at the ends of the declared scale, where a cue cannot push further.
    """

    judge: str
    domain: str
    valid: int
    lowest: float
    highest: float
    levels: int
    mean: float
    at_lowest: int
    at_highest: int


def variant_counts(table: TrialTable) -> tuple[VariantCount, ...]:
    """Return counts by judge x domain x cue x polarity x status, the base of each cell first."""
    groups: dict[tuple[str, str, str, str], dict[str, int]] = {}
    for judge, domain, cue, polarity, status, n in table.variant_counts().itertuples(index=False):
        groups.setdefault((str(judge), str(domain), str(cue), str(polarity)), {})[str(status)] = int(n)
    keys = sorted(groups, key=lambda key: (key[0], key[1], key[2] != BASE_CUE, key[2], key[3]))
    return tuple(VariantCount(*key, sum(groups[key].values()), groups[key]) for key in keys)


def score_use(table: TrialTable) -> tuple[ScoreUse, ...]:
    """Return what each judge used of the scale; a cell without a valid trial is not listed."""
    frame, scale = table.frame, table.score
    valid = frame[(frame["status"] == Status.VALID.value) & (weights(frame) > 0)]
    valid = valid.assign(trials=weights(valid))
    out = []
    for (judge, domain), part in valid.groupby(["judge", "domain"], observed=True):
        score, trials = part["score"].to_numpy(dtype=np.float64), part["trials"].to_numpy()
        level = np.round((score - scale.lowest) / scale.step)
        out.append(
            ScoreUse(
                judge=str(judge),
                domain=str(domain),
                valid=int(trials.sum()),
                lowest=float(score.min()),
                highest=float(score.max()),
                levels=len(np.unique(level)),
                mean=float(np.average(score, weights=trials)),
                at_lowest=int(trials[level == 0].sum()),
                at_highest=int(trials[level == len(scale.levels) - 1].sum()),
            )
        )
    return tuple(out)


def score_supports(table: TrialTable, counts: tuple[VariantCount, ...]) -> tuple[str, ...]:
    """Return what a table of scores makes it possible to estimate, one line each."""
    n_cells = len(table.cells())
    asked: dict[tuple[str, str], set[tuple[str, str]]] = {}
    answered: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for row in counts:
        if row.asked:
            asked.setdefault((row.judge, row.domain), set()).add((row.cue, row.polarity))
        if row.statuses.get(Status.VALID.value, 0):
            answered.setdefault((row.judge, row.domain), set()).add((row.cue, row.polarity))
    base = (BASE_CUE, "")
    shifted = [cell for cell, seen in answered.items() if base in seen and len(seen) > 1]
    both = [
        cell for cell in shifted if any((cue, "pos") in answered[cell] for cue, sign in answered[cell] if sign == "neg")
    ]
    out = []
    if tried := sum(base in seen and len(seen) > 1 for seen in asked.values()):
        out.append(f"validity by cue and its difference to the base: {tried} of {n_cells} cells")
    if shifted:
        out.append(f"score shift on levels (two_stage_ordinal): {len(shifted)} of {n_cells} cells")
    pairs = pair_trials(table)
    if n_pairs := int(pairs.count.sum()):
        cells = len(table.frame.iloc[pairs.row][["judge", "domain"]].drop_duplicates())
        out.append(f"paired score shift (two_stage_shift): {n_pairs} pairs in {cells} of {n_cells} cells")
    if both:
        out.append(f"asymmetry between the polarities of a cue: {len(both)} of {n_cells} cells")
    return (*out, *_contrasts(shifted))


def _contrasts(cells: Iterable[tuple[str, str]]) -> list[str]:
    judges, domains = ({cell[i] for cell in cells} for i in range(2))
    out = [f"contrasts and ranks of {len(judges)} judges"] if len(judges) > 1 else []
    return out + ([f"contrasts of {len(domains)} domains"] if len(domains) > 1 else [])


def count_rows(counts: tuple[VariantCount, ...]) -> list[list[str]]:
    """Return the counts as rows of text below their header; only statuses that occur have a column."""
    seen = [status for status in STATUSES if any(row.statuses.get(status) for row in counts)]
    header = ["judge", "domain", "cue", "polarity", "asked", *seen]
    body = [
        [row.judge, row.domain, row.cue, row.polarity, str(row.asked), *(str(row.statuses.get(s, 0)) for s in seen)]
        for row in counts
    ]
    return [header, *body]


def use_lines(scale: Score, used: tuple[ScoreUse, ...]) -> list[str]:
    """Return what was used of the scale as lines of text."""
    n = len(scale.levels)
    return [
        f"{use.judge} x {use.domain}: scores {use.lowest:g} to {use.highest:g}, {use.levels} of {n} levels used, mean "
        f"{use.mean:.2f}; {use.at_lowest} of {use.valid} at the lowest, {use.at_highest} at the highest score"
        for use in used
    ]
