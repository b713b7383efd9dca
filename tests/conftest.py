"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REQUIRE_ALL = os.environ.get("JUDGESTATS_REQUIRE_ALL") == "1"


def skip_or_fail(reason: str) -> None:
    """Skip with `reason`, or fail where the environment says that nothing may be skipped."""
    if REQUIRE_ALL:
        pytest.fail(f"would be skipped, and JUDGESTATS_REQUIRE_ALL=1: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the real data sets beside the checkout."""
    named = os.environ.get("JUDGESTATS_SHARED_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        skip_or_fail(f"the shared data folder is not there: set JUDGESTATS_SHARED_DATA or put it at {folder.name}")
    return folder
