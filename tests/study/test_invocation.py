"""The command that a report prints: as typed, and without anybody's absolute paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgestats.study.invocation import Invocation


@pytest.mark.parametrize(
    ("asked", "command"),
    [
        (Invocation("demo"), "judgestats demo --out DIR --seed 7"),
        (Invocation(source=Path("analyses/bbq")), "judgestats run analyses/bbq --out DIR --engine exact --seed 7"),
        (
            Invocation(source=Path("../my study/analysis.toml"), data=Path(".")),
            "judgestats run '../my study/analysis.toml' --data . --out DIR --engine exact --seed 7",
        ),
        (
            Invocation(source=Path("/srv/ann/bbq"), data=Path("/srv/secret/files")),
            "judgestats run bbq --data files --out DIR --engine exact --seed 7",
        ),
        (Invocation(), "judgestats run ANALYSIS --out DIR --engine exact --seed 7"),
    ],
)
def test_command(asked: Invocation, command: str) -> None:
    assert asked.command("exact", 7) == command
