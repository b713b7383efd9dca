"""Any damage to a file gives a table in which every row arrives, or an error in words."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgestats.errors import JudgestatsError
from judgestats.trials.checks import inspect_table
from judgestats.trials.coding import stage_counts
from judgestats.trials.reading import read_file

FRAME = pd.DataFrame(
    {
        "judge": ["a", "a", "b"],
        "domain": ["d"] * 3,
        "item": ["1", "2", "1"],
        "block": ["congruent", "incongruent", "congruent"],
        "status": ["valid", "refusal", "valid"],
        "response": ["yes", None, "no"],
        "consistent": ["true", None, "false"],
    }
)


def whole(ending: str) -> bytes:
    if ending == ".csv":
        return FRAME.to_csv(index=False).encode()
    if ending == ".parquet":
        buffer = io.BytesIO()
        FRAME.to_parquet(buffer)
        return buffer.getvalue()
    if ending == ".jsonl":
        return FRAME.to_json(orient="records", lines=True).encode()
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
    samples = [{"id": i, "epoch": 1, "scores": {"s": {"value": "C"}}, "output": {"completion": "x"}} for i in range(3)]
    if ending == ".json":
        return json.dumps({**log, "samples": samples}).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(log))
        for i, sample in enumerate(samples):
            archive.writestr(f"samples/{i}_epoch_1.json", json.dumps(sample))
    return buffer.getvalue()


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".json", ".parquet", ".eval"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(st.tuples(st.floats(0, 0.9999), st.integers(0, 255)), min_size=1, max_size=4),
    cut=st.one_of(st.none(), st.floats(0, 1)),
)
def test_damage(tmp_path: Path, ending: str, changes: list[tuple[float, int]], cut: float | None) -> None:
    data = bytearray(whole(ending))
    for place, byte in changes:
        data[int(place * len(data))] = byte
    if cut is not None:
        data = data[: int(cut * len(data))]
    path = tmp_path / f"x{ending}"
    path.write_bytes(bytes(data))
    try:
        table = read_file(path)
    except JudgestatsError:
        return
    assert table.sources[0].rows == len(table.frame)
    inspect_table(table)
    stage_counts(table)


def test_the_package_loads_no_heavy_library() -> None:
    code = (
        "import sys, judgestats.trials; from judgestats.trials import Status, Cell; "
        "print(sorted({'jax', 'pymc', 'torch', 'matplotlib', 'pandas', 'pandera'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_reading_loads_no_engine(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(whole(".csv"))
    code = (
        "import sys; from pathlib import Path; from judgestats.trials import read_file; "
        f"read_file(Path({str(tmp_path / 'x.csv')!r})); "
        "print(sorted({'jax', 'pymc', 'torch', 'matplotlib'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
