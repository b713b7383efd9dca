"""Named readers: shapes that a column map cannot express."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from judgestats.errors import ConfigError, near_match
from judgestats.trials.readers.bbq_answers import read_bbq_answers
from judgestats.trials.readers.fastchat_single import read_fastchat_single
from judgestats.trials.readers.lm_eval import read_lm_eval
from judgestats.trials.readers.paired_conditions import read_paired_conditions
from judgestats.trials.readers.prometheus import read_prometheus
from judgestats.trials.readers.raw import RawTable
from judgestats.trials.readers.word_assignment import read_word_assignment

Reader = Callable[[Path, Path, str, Mapping[str, Any], int], RawTable]
"""Called with (file, data folder, name in messages, options, most uncompressed bytes)."""

NAMED: dict[str, Reader] = {
    "bbq_answers": read_bbq_answers,
    "fastchat_single": read_fastchat_single,
    "lm_eval": read_lm_eval,
    "paired_conditions": read_paired_conditions,
    "prometheus": read_prometheus,
    "word_assignment": read_word_assignment,
}


def named_reader(name: str) -> Reader:
    """Return the reader called `name`; ConfigError when there is none."""
    if name not in NAMED:
        hint = near_match(name, NAMED)
        raise ConfigError(
            f"[trials]: reader {name!r} is unknown" + (f"; {hint}" if hint else ""),
            allowed=", ".join(NAMED),
            remedy="correct the spelling, or describe the file with a column map instead",
        )
    return NAMED[name]
