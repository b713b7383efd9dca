"""Noticing: what a table shows that a reader of a report must know, counted and named."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from judgestats.trials.columns import DESIGN, IDENTITY, weights
from judgestats.trials.guessing import likely_columns, question
from judgestats.trials.score_noticing import score_notices
from judgestats.trials.status import Status
from judgestats.trials.table import Notice, Score, TrialTable
from judgestats.trials.wording import quoted

FEW_ITEMS = 100
VENDORS: dict[str, str] = {
    "gpt": "openai",
    "chatgpt": "openai",
    "davinci": "openai",
    "o": "openai",
    "claude": "anthropic",
    "gemini": "google",
    "gemma": "google",
    "palm": "google",
    "bard": "google",
    "llama": "meta",
    "mistral": "mistral",
    "mixtral": "mistral",
    "ministral": "mistral",
    "qwen": "alibaba",
    "qwq": "alibaba",
    "phi": "microsoft",
    "command": "cohere",
    "grok": "xai",
}
"""First letters of a name to its maker; a name that is not listed is a family of its own."""


def data_notices(table: TrialTable) -> tuple[Notice, ...]:
    """Return the notices that follow from the trials themselves.

    Codes: ``duplicated``, ``no_block``, ``cluster_gaps``, ``one_block``, ``one_block_items``, ``few_items``,
    ``no_valid``, ``same_family``; for scores those of `judgestats.trials.score_noticing` in place of what speaks of blocks
    and clusters.
    """
    frame = table.frame
    if isinstance(table.verdict, Score):
        scored = [_duplicated(frame), *score_notices(table), *_cells(frame), *_families(frame)]
        return tuple(notice for notice in scored if notice is not None)
    found = [_duplicated(frame), *_blocks(frame), _cluster_gaps(frame), *_cells(frame), *_families(frame)]
    return tuple(notice for notice in found if notice is not None)


def _duplicated(frame: pd.DataFrame) -> Notice | None:
    if "n" in frame:  # rows of an aggregated table stand for equal trials on purpose
        return None
    if "block" not in frame and "cue" not in frame:
        return None  # what looks like a repeat may be the other block: `_without_block` says so
    extra = [name for name in ("epoch", "scorer", "score_key") if name in frame]
    keys = [name for name in (*IDENTITY, *DESIGN, *extra) if name in frame]
    again = frame.duplicated(keys)
    count = int(again.sum())
    if not count:
        return None
    first = frame.loc[again, list(IDENTITY)].drop_duplicates()
    names = [" / ".join(map(str, entry)) for entry in first.itertuples(index=False)]
    text = (
        f"{count} trials repeat another trial of the same {', '.join(keys)} ({quoted(names, 3)}); "
        "they are kept as data: give them a `repeat` if they are repeats"
    )
    return Notice("duplicated", text, count)


def _blocks(frame: pd.DataFrame) -> list[Notice | None]:
    if "block" not in frame:
        return [_without_block(frame)]
    out: list[Notice | None] = []
    lacking = int(weights(frame)[np.asarray(frame["block"].isna())].sum())
    if lacking:
        out.append(Notice("no_block", f"{lacking} trials have no block and are left out of both stages", lacking))
    blocked = frame[frame["block"].notna()]
    alone = []
    for (judge, domain), part in blocked.groupby(["judge", "domain"], observed=True):
        seen = part["block"].unique()
        if len(seen) == 1:
            alone.append(f"{judge} x {domain}: {seen[0]}")
    if alone:
        text = f"{len(alone)} cells have trials of one block only ({quoted(alone, 30)}): no effect is estimable there"
        out.append(Notice("one_block", text, len(alone)))
    items = blocked.groupby(["judge", "domain", "item"], observed=True)["block"].nunique()
    single = items[items == 1].groupby(level=[0, 1]).size()
    if len(single):
        cells = [f"{judge} x {domain}: {n}" for judge, domain, n in single.reset_index().itertuples(index=False)]
        text = (
            f"{int(single.sum())} items stand in one block only ({quoted(cells, 3)}): "
            "the block is compared between items there"
        )
        out.append(Notice("one_block_items", text, int(single.sum())))
    return out


def _without_block(frame: pd.DataFrame) -> Notice:
    text = "the table has no column `block`, so no effect of a block can be estimated"
    likely = likely_columns(["block"], frame)
    again = 0 if "n" in frame else int(frame.duplicated(list(IDENTITY)).sum())
    if likely:
        text += f"; {question(likely, frame)}"
    elif again:
        text += (
            f"; {again} trials repeat the judge, domain and item of another, and without a block it cannot be told "
            "whether they are its other block or the same trial twice"
        )
    return Notice("no_block", text, len(frame))


def _cluster_gaps(frame: pd.DataFrame) -> Notice | None:
    if "cluster" not in frame or not frame["cluster"].notna().any():
        return None
    gaps = int(frame["cluster"].isna().sum())
    if not gaps:
        return None
    cells = frame.loc[frame["cluster"].isna(), ["judge", "domain"]].drop_duplicates()
    names = [f"{judge} x {domain}" for judge, domain in cells.itertuples(index=False)]
    text = (
        f"{gaps} trials name no cluster while others do ({quoted(names, 3)}); in each cell they form one cluster of "
        "their own, so where no trial has one its standard deviation is the prior's"
    )
    return Notice("cluster_gaps", text, gaps)


def _cells(frame: pd.DataFrame) -> list[Notice | None]:
    out: list[Notice | None] = []
    few, lost = [], []
    blocked = frame[frame["block"].notna()] if "block" in frame else frame
    for (judge, domain), part in blocked.groupby(["judge", "domain"], observed=True):
        n_items = part["item"].nunique()
        if n_items < FEW_ITEMS:
            few.append(f"{judge} x {domain}: {n_items}")
        if not (part["status"] == Status.VALID.value).any():
            lost.append(f"{judge} x {domain}")
    if few:
        text = f"{len(few)} cells have fewer than {FEW_ITEMS} items ({quoted(few, 30)})"
        out.append(Notice("few_items", text, len(few)))
    if lost:
        text = f"{len(lost)} cells have no valid trial ({quoted(lost, 30)}): no effect can be estimated there"
        out.append(Notice("no_valid", text, len(lost)))
    return out


def family(name: str) -> str:
    """Return the maker of an LLM by its name, or the first word of the name where the maker is not known.

    ``openai/gpt-4o``, ``GPT-4`` and ``o3-mini`` are of one family; ``qwen3-8b`` and ``Qwen2.5`` of another.
    """
    last = re.split(r"[/:]", name.strip().lower())[-1]
    if last in VENDORS.values():
        return last
    match = re.search(r"[a-z]+", last)
    word = match.group() if match else last
    for start in sorted(VENDORS, key=len, reverse=True):
        if word == start or (len(start) > 2 and word.startswith(start)):
            return VENDORS[start]
    return word


def _families(frame: pd.DataFrame) -> list[Notice | None]:
    out: list[Notice | None] = []
    for column in ("generator", "author_family"):
        if column not in frame:
            continue
        pairs = frame.assign(trials=weights(frame)).groupby(["judge", column], observed=True)["trials"].sum()
        rows = [(str(j), str(a), int(n)) for j, a, n in pairs.reset_index().itertuples(index=False)]
        same = [(judge, author, n) for judge, author, n in rows if family(judge) == family(author)]
        if same:
            trials = sum(n for _, _, n in same)
            names = [f"{judge} judging {author}" for judge, author, _ in same]
            text = f"{trials} trials have a judge and an author of one family ({quoted(names, 3)}): self-preference"
            out.append(Notice("same_family", text, trials))
    return out
