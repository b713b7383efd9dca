"""Tally: how many trials stand behind a quantity, and what the lost ones were lost to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from judgestats.trials.cell import Cell
from judgestats.trials.status import LOST, Status

BLOCKS = ("congruent", "incongruent")


@dataclass(frozen=True)
class Tally:
    """Counts behind one quantity.

    Parameters
    ----------
    asked, valid : int
        Trials asked and answered validly.
    lost : dict of str to int
        Lost trials by status; statuses that do not occur are left out.
    """

    asked: int
    valid: int
    lost: dict[str, int]

    @classmethod
    def of(cls, status_counts: pd.DataFrame, cells: Iterable[Cell], blocks: Iterable[str] = BLOCKS) -> Tally:
        """Sum the counts of some cells over some blocks.

        Parameters
        ----------
        status_counts : pandas.DataFrame
            Columns ``judge domain block status n``, as `TrialTable.status_counts` gives them. Trials without a block
            (``none``) belong to no effect.
        cells : iterable of Cell
            Cells to sum over.
        blocks : iterable of str
            Blocks to sum over; both for an effect.
        """
        wanted = {(c.judge, c.domain) for c in cells}
        taken = set(blocks)
        sums: dict[str, int] = {}
        columns = status_counts[["judge", "domain", "block", "status", "n"]]
        for judge, domain, block, status, n in columns.itertuples(index=False):
            if (str(judge), str(domain)) in wanted and str(block) in taken:
                sums[str(status)] = sums.get(str(status), 0) + int(n)
        lost = {s.value: sums[s.value] for s in LOST if sums.get(s.value)}
        return cls(sum(sums.values()), sums.get(Status.VALID.value, 0), lost)
