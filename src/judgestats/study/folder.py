"""Folder: the place that a run writes to, claimed for one analysis."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from judgestats.errors import ConfigError
from judgestats.study.ledger import FOLDER

_CARD = "run.json"


@dataclass(frozen=True)
class RunCard:
    """What a run's folder says about itself.

    Parameters
    ----------
    analysis : str
        Name of the analysis that owns the folder.
    files : tuple of str
        Files written by the last finished run, relative, with forward slashes.
    """

    analysis: str
    files: tuple[str, ...] = ()


def read_card(folder: Path) -> RunCard | None:
    """Return the card of a run's folder, or None where no run has been."""
    path = folder / FOLDER / _CARD
    if not path.is_file():
        return None
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return RunCard(str(raw["analysis"]), tuple(str(name) for name in raw["files"]))
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} is damaged: {error}", remedy="run again with --overwrite") from error


def claim(folder: Path, analysis: str, *, overwrite: bool) -> RunCard:
    """Make `folder` ready for a run of `analysis`.

    An absent or empty folder is taken, a folder of the same analysis is resumed, any other is refused.

    Raises
    ------
    ConfigError
        If `folder` is a file, cannot be written, or holds something else and `overwrite` is False.
    """
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file", allowed="a folder, new or empty", remedy="give --out another name")
    card = None if overwrite else read_card(folder)
    if not overwrite and folder.is_dir() and any(folder.iterdir()) and (card is None or card.analysis != analysis):
        holds = "files of something else" if card is None else f"the run of analysis {card.analysis!r}"
        raise ConfigError(
            f"the folder {folder} holds {holds}",
            allowed=f"a new or empty folder, or the folder of an earlier run of {analysis!r}",
            remedy="give --out another name, or add --overwrite to write into it",
        )
    try:
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"the folder {folder} cannot be written: {error.strerror}") from error
    mine = card or RunCard(analysis)
    write_card(folder, mine)
    return mine


def write_card(folder: Path, card: RunCard) -> None:
    """Write the card under a temporary name and rename it."""
    path = folder / FOLDER / _CARD
    temporary = path.with_name(f".{_CARD}.{os.getpid()}.tmp")
    text = json.dumps({"analysis": card.analysis, "files": list(card.files)}, indent=1, ensure_ascii=False)
    temporary.write_text(text + "\n", encoding="utf-8")
    temporary.replace(path)


def remove_stale(folder: Path, before: RunCard, written: Iterable[str]) -> tuple[str, ...]:
    """Remove pages that an earlier run wrote and this one did not, such as those of a judge that is gone.

    Only files that the earlier run named as its own are touched. Returns their names.
    """
    stale = tuple(sorted(set(before.files) - set(written)))
    root = folder.resolve()
    for name in stale:
        path = (folder / name).resolve()
        if path.is_relative_to(root) and path.is_file():
            path.unlink()
            if path.parent != root and not any(path.parent.iterdir()):
                path.parent.rmdir()
    return stale
