"""Provenance: what a result was made with, without naming the machine it was made on."""

from __future__ import annotations

import datetime
import functools
import hashlib
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    "arviz",
    "jax",
    "judgestats",
    "matplotlib",
    "numpy",
    "numpyro",
    "nutpie",
    "pandas",
    "pymc",
    "scipy",
    "xarray",
)


def versions() -> dict[str, str]:
    """Return versions of Python and of the packages that numbers depend on; absent packages are left out."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@functools.cache
def code_digest() -> str:
    """Return the SHA-256 over the package's own source and data files, so that edited code repeats finished work."""
    root = Path(__file__).resolve().parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        hidden = any(part.startswith((".", "__pycache__")) for part in name.parts)
        if path.is_file() and not hidden and path.suffix in {".py", ".toml", ".j2", ".css", ".json"}:
            digest.update(name.as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


@functools.cache
def revision() -> str | None:
    """Return the git revision of the checkout that the package runs from, with ``+changes`` where files differ.

    Returns
    -------
    str or None
        None for an installed package and where git is absent.
    """
    checkout = Path(__file__).resolve().parents[2]
    if not (checkout / ".git").exists():
        return None
    try:
        head = _git(checkout, "rev-parse", "HEAD")
        changed = _git(checkout, "status", "--porcelain", "--untracked-files=no", "--", "src", "models")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{head}+changes" if changed else head


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10, check=True
    )
    return done.stdout.strip()


def machine() -> dict[str, Any]:
    """Return kind, cores and memory of the machine; never its name, user or paths."""
    facts: dict[str, Any] = {"system": platform.system(), "architecture": platform.machine(), "cores": os.cpu_count()}
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        facts["memory_gib"] = round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30)
    return facts


def now() -> str:
    """Return the time in UTC, to the second; ``SOURCE_DATE_EPOCH`` overrides the clock."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.datetime.now(datetime.UTC)
    if epoch is not None and epoch.isdigit():
        moment = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
