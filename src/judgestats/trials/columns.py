"""Columns: the words of the trial table, and what each column makes possible."""

from __future__ import annotations

import numpy as np
import pandas as pd

TEXT = pd.StringDtype(na_value=np.nan)
"""Type of every text column: a missing entry is NaN and comparisons give plain booleans."""

IDENTITY: tuple[str, ...] = ("judge", "domain", "item")
REQUIRED: tuple[str, ...] = (*IDENTITY, "status", "consistent")
SCORED: tuple[str, ...] = (*IDENTITY, "status", "score")
"""Columns that a table of scores needs."""
BLOCKS: tuple[str, ...] = ("congruent", "incongruent")
POLARITIES: tuple[str, ...] = ("pos", "neg")

DESIGN: tuple[str, ...] = (
    "block",
    "cue",
    "polarity",
    "cue_strength",
    "repeat",
    "cluster",
    "prompt_config",
    "order",
    "length_words",
    "padding",
    "format",
    "generator",
    "author_family",
    "perplexity",
    "rubric_order",
    "label_style",
    "judge_version",
    "quality",
    "rater",
    "dimension",
)
PROVENANCE: tuple[str, ...] = ("raw_text", "prompt_hash", "prompt_tokens", "completion_tokens", "latency_s")
NUMBERS: tuple[str, ...] = (
    "cue_strength",
    "length_words",
    "perplexity",
    "prompt_tokens",
    "completion_tokens",
    "latency_s",
)
WEIGHT = "n"
"""Count of identical trials that one row of an aggregated table stands for."""

KNOWN: tuple[str, ...] = (*IDENTITY, "status", "response", "consistent", "score", *DESIGN, *PROVENANCE, WEIGHT)

MISSING_NAME = "(missing)"
"""Name given to a judge, domain or item that the file leaves empty, so that no trial is lost."""

OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "judge": ("model", "model_name", "llm", "evaluator", "grader", "annotator", "assistant"),
    "domain": ("dataset", "category", "topic", "task", "test", "subject", "benchmark", "iat"),
    "item": ("question", "question_id", "prompt", "prompt_id", "stimulus", "word", "target", "id", "item_id"),
    "block": ("condition", "congruency", "congruence", "congruent", "pairing", "trial_type", "arm"),
    "status": ("outcome", "state", "answer_type", "validity"),
    "response": ("answer", "output", "label", "choice", "reply", "completion"),
    "consistent": ("correct", "is_correct", "is_consistent", "match", "accurate", "score"),
    "cluster": ("template", "template_id", "group", "conversation"),
}
"""What other people call our columns; used only to ask, never to read."""

UNLOCKS: dict[str, str] = {
    "block": "Delta P per judge and domain (congruent against incongruent), its bounds and its falsification",
    "cluster": "a second intercept for prompts, templates or answers that trials share, and honest intervals there",
    "cue": "the shift of verdicts under an irrelevant cue",
    "polarity": "the asymmetry of a cue's positive and negative form",
    "repeat": "the stability of a judge that is asked twice",
    "response": "a check of every answer against the declared labels",
    "raw_text": "a look at what lost answers said",
    "generator": "self-preference, and a warning where judge and author are of one family",
    "prompt_config": "the instability of a verdict over prompts",
    "judge_version": "drift between versions of a judge",
}


def weights(frame: pd.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return how many trials each row stands for, dims (row,): column ``n``, else 1."""
    if WEIGHT in frame:
        return np.asarray(frame[WEIGHT], dtype=np.int64)
    return np.ones(len(frame), dtype=np.int64)
