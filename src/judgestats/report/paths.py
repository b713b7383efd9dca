"""Paths: safe, unique and stable file names for judges and domains."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

LONGEST = 60
RESERVED = frozenset(
    {"con", "prn", "aux", "nul", "index", "index.html", "results.json", "draws.nc", "provenance.json", "report.md"}
    | {"references.bib", "methods.md", "methods.tex", "methods.txt", "findings.json"}
    | {f"{stem}{digit}" for stem in ("com", "lpt") for digit in range(1, 10)}
)


def safe_name(name: str) -> str:
    """Return a file name for `name` that no file system refuses and no path can escape.

    ASCII letters, digits, ``.``, ``_`` and ``-`` stay; a run of anything else becomes one ``-``. A name that had to be
    changed ends in a digest of the original, so different names keep different files and a name always has the same one.

    Parameters
    ----------
    name : str
        Name of a judge or a domain, e.g. ``openai/gpt-5`` or ``../../x``.

    Returns
    -------
    str
        At most 60 characters, never empty, never starting with a dot.
    """
    folded = unicodedata.normalize("NFKD", name)
    slug = re.sub(r"-+", "-", re.sub(r"[^A-Za-z0-9._-]+", "-", folded)).strip("-.")
    stem = slug.split(".")[0].lower()
    if slug and slug == name and len(slug) <= LONGEST and slug.lower() not in RESERVED and stem not in RESERVED:
        return slug
    return _with_digest(slug, name)


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Return file names for all `names`, unique also where a file system ignores case.

    Parameters
    ----------
    names : iterable of str
        Distinct names; the result does not depend on their order.

    Returns
    -------
    dict of str to str
        Name to file name.
    """
    wanted = {name: safe_name(name) for name in dict.fromkeys(names)}
    lowered = [slug.lower() for slug in wanted.values()]
    return {
        name: _with_digest(slug, name) if lowered.count(slug.lower()) > 1 else slug for name, slug in wanted.items()
    }


def _with_digest(slug: str, name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    head = slug[: LONGEST - len(digest) - 1].strip("-.")
    return f"{head}-{digest}" if head else f"name-{digest}"
