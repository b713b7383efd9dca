"""Stages apart: refits of one stage beside a main fit that correlates the two say that they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from judgestats.checks.falsification import Falsification
from judgestats.checks.finding import SensitivityRow
from judgestats.study.setup import Setup

STAGES_APART = (
    "Refitted stage by stage, without the correlation of item effects across the stages that the main fit has."
)


def stages_apart(setup: Setup, rows: Sequence[SensitivityRow]) -> tuple[SensitivityRow, ...]:
    """Return refits of one stage; where the main fit correlates the stages they say that they do not, and are no main fit."""
    if not setup.model.options.correlated_stages:
        return tuple(rows)
    return tuple(
        replace(
            row,
            setting=row.setting.replace("as fitted:", "stages apart, priors as fitted:", 1),
            note=f"{row.note} {STAGES_APART}".strip(),
        )
        for row in rows
    )


def refits_apart(setup: Setup, rows: Sequence[Falsification]) -> tuple[Falsification, ...]:
    """Return rows of permuted labels; a statistic from refits of one stage carries the same remark."""
    if not setup.model.options.correlated_stages:
        return tuple(rows)
    return tuple(
        replace(row, notes=(*row.notes, STAGES_APART)) if row.statistic == "posterior_mean_delta_p" else row
        for row in rows
    )
