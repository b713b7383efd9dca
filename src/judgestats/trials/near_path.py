"""Near path: the file or folder that a misspelt path may have meant."""

from __future__ import annotations

import difflib
from pathlib import Path


def near_path(path: Path) -> str:
    """Return a hint such as ``did you mean 'data/answers.csv'?``, or an empty string.

    The deepest folder of the path that exists is looked through for a name that is like the next part; the rest of the
    path must then exist below it, or the hint ends there.

    Parameters
    ----------
    path : Path
        A path that does not exist.
    """
    parts = path.parts
    for depth in range(len(parts), 0, -1):
        above = Path(*parts[: depth - 1]) if depth > 1 else Path()
        if not above.is_dir():
            continue
        try:
            names = sorted(entry.name for entry in above.iterdir() if not entry.name.startswith("."))
        except OSError:
            return ""
        folded = {name.lower(): name for name in reversed(names)}
        close = difflib.get_close_matches(parts[depth - 1].lower(), folded, n=1)
        if not close:
            return ""
        found = above / folded[close[0]]
        whole = found.joinpath(*parts[depth:])
        return f"did you mean {(whole if whole.exists() else found).as_posix()!r}?"
    return ""
