"""Choice checks: what the `validate` command says about choices: counts by block and what is supported."""

from __future__ import annotations

from dataclasses import dataclass

from judgestats.trials.table import TrialTable


@dataclass(frozen=True)
class BlockCount:
    """Trials of one judge, domain and block by status; ``block`` is ``none`` for trials without one."""

    judge: str
    domain: str
    block: str
    asked: int
    statuses: dict[str, int]


def block_counts(table: TrialTable) -> tuple[BlockCount, ...]:
    """Return counts by judge x domain x block x status."""
    groups: dict[tuple[str, str, str], dict[str, int]] = {}
    for judge, domain, block, status, n in table.status_counts().itertuples(index=False):
        groups.setdefault((str(judge), str(domain), str(block)), {})[str(status)] = int(n)
    return tuple(BlockCount(*key, sum(found.values()), found) for key, found in sorted(groups.items()))


def filled(table: TrialTable, name: str) -> bool:
    """Return whether the table has a column with an entry in it."""
    return name in table.frame and bool(table.frame[name].notna().any())


def choice_supports(table: TrialTable, counts: tuple[BlockCount, ...]) -> tuple[str, ...]:
    """Return what a table of choices makes it possible to estimate, one line each."""
    blocks: dict[tuple[str, str], dict[str, int]] = {}
    for row in counts:
        if row.block != "none":
            blocks.setdefault((row.judge, row.domain), {})[row.block] = row.statuses.get("valid", 0)
    both = [cell for cell, found in blocks.items() if len(found) == 2]
    answered = [cell for cell in both if all(blocks[cell].values())]
    out = []
    if both:
        out.append(f"validity by block and its difference: {len(both)} of {len(table.cells())} cells")
    if answered:
        out.append(f"Delta P given a valid answer, with bounds: {len(answered)} of {len(table.cells())} cells")
        if filled(table, "cluster"):
            out.append("a second intercept for clusters")
        judges = {judge for judge, _ in answered}
        domains = {domain for _, domain in answered}
        if len(judges) > 1:
            out.append(f"contrasts and ranks of {len(judges)} judges")
        if len(domains) > 1:
            out.append(f"contrasts of {len(domains)} domains")
    return tuple(out)
