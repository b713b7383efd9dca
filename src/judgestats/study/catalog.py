"""Catalog: analyses that come with the package."""

from __future__ import annotations

from pathlib import Path

from judgestats.errors import ConfigError
from judgestats.study.analysis import FILE_NAME


def demo_folder() -> Path:
    """Return the folder of the demo analysis, in an installed package or in a checkout.

    Raises
    ------
    ConfigError
        If the package was installed without it.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_catalog" / "analyses" / "demo", package.parents[1] / "analyses" / "demo"):
        if (folder / FILE_NAME).is_file():
            return folder
    raise ConfigError("the demo analysis is missing from this installation", remedy="install judgestats again")
