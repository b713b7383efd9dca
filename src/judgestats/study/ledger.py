"""Ledger: finished pieces of work in a run's folder, named by what they were made from."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from judgestats.study.codec import decode, encode

FOLDER = ".judgestats"


def digest(key: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a key as canonical JSON."""
    text = json.dumps(encode(key), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class Ledger:
    """Pieces of work of one run: made once, kept under the hash of their ingredients, read back afterwards.

    A piece is written under a temporary name and renamed, so a killed run leaves whole pieces or none. Warnings raised
    while a piece was made are kept with it: a resumed run reports them as an undisturbed one does.

    Parameters
    ----------
    folder : Path
        Folder of the run; pieces go to ``.judgestats`` below it.
    fresh : bool
        Ignore what is there.
    """

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        self.folder = folder / FOLDER
        self.fresh = fresh
        self.made: list[str] = []
        self.reused: list[str] = []
        self._warnings: dict[str, None] = {}
        self._held: dict[Path, Any] = {}

    def path(self, name: str, key: Mapping[str, Any], suffix: str = ".json") -> Path:
        """Return where the piece `name` made from `key` lies."""
        return self.folder / f"{name}-{digest(key)[:16]}{suffix}"

    def holds(self, name: str, key: Mapping[str, Any], suffix: str = ".json") -> bool:
        """Return whether the piece is there and counts: in a fresh run, only what that run made itself."""
        return (not self.fresh or name in self.made) and self.path(name, key, suffix).is_file()

    def piece[T](self, name: str, key: Mapping[str, Any], kind: Any, make: Callable[[], T]) -> T:
        """Return a piece of JSON-ready dataclasses, made now or read back.

        Parameters
        ----------
        name : str
            Name of the piece, safe as a file name.
        key : mapping
            Everything that the piece depends on.
        kind : type or generic alias
            What `make` returns, e.g. ``tuple[Record, ...]``.
        make : callable
            Makes the piece.
        """

        def write(value: T, path: Path, raised: list[str]) -> None:
            text = json.dumps({"warnings": raised, "value": encode(value)}, ensure_ascii=False)
            path.write_text(text, encoding="utf-8")

        def read(path: Path) -> tuple[T, list[str]]:
            stored = json.loads(path.read_text(encoding="utf-8"))
            return decode(kind, stored["value"]), stored["warnings"]

        return self.store(name, key, make, write=write, read=read)

    def store[T](
        self,
        name: str,
        key: Mapping[str, Any],
        make: Callable[[], T],
        *,
        write: Callable[[T, Path, list[str]], None],
        read: Callable[[Path], tuple[T, list[str]]],
        suffix: str = ".json",
    ) -> T:
        """Return a piece in a format of its own; see `piece`. Asked for again, the same object is returned."""
        path = self.path(name, key, suffix)
        if path not in self._held:
            self._held[path] = self._read_or_make(name, path, make, write, read)
        value: T = self._held[path]
        return value

    def _read_or_make[T](
        self,
        name: str,
        path: Path,
        make: Callable[[], T],
        write: Callable[[T, Path, list[str]], None],
        read: Callable[[Path], tuple[T, list[str]]],
    ) -> T:
        if path.is_file() and not self.fresh:
            value, raised = read(path)
            self.reused.append(name)
            self.remember(raised)
            return value
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = make()
        raised = list(dict.fromkeys(one_line(entry) for entry in caught if not _for_developers(entry)))
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        write(value, temporary, raised)
        temporary.replace(path)
        self._forget_older(name, path)
        self.made.append(name)
        self.remember(raised)
        return value

    def mark(self, name: str) -> str | None:
        """Return what a file outside the ledger was made from, as `set_mark` noted it; None where nothing is noted."""
        path = self.folder / f"{name}.mark"
        return path.read_text(encoding="ascii") if path.is_file() else None

    def set_mark(self, name: str, key: str) -> None:
        """Note what a file outside the ledger was made from."""
        (self.folder / f"{name}.mark").write_text(key, encoding="ascii")
        self.made.append(name)

    def remember(self, texts: Iterable[str]) -> None:
        """Add warnings to those of the run."""
        self._warnings.update(dict.fromkeys(texts))

    def warnings(self) -> tuple[str, ...]:
        """Return all warnings of the run in the order in which they were first raised."""
        return tuple(self._warnings)

    def _forget_older(self, name: str, keep: Path) -> None:
        for path in self.folder.glob(f"{name}-{'[0-9a-f]' * 16}{keep.suffix}"):
            if path != keep:
                path.unlink()


def one_line(entry: warnings.WarningMessage) -> str:
    """Return a warning as one line without file and line number."""
    return f"{entry.category.__name__}: {' '.join(str(entry.message).split())}"


def _for_developers(entry: warnings.WarningMessage) -> bool:
    # What Python itself hides from users by default: notices between a dependency and its callers.
    return issubclass(entry.category, (DeprecationWarning, PendingDeprecationWarning, ImportWarning))
