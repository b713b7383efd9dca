from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from judgestats.errors import ConfigError
from judgestats.report.findings import Findings
from judgestats.report.findings_store import load_findings, save_findings
from judgestats.report.write import write_report


def assert_equal(one, other, where="findings"):
    """Compare two trees of dataclasses value by value and type by type, NaN equal to NaN."""
    assert isinstance(one, type(other)), (where, type(one), type(other))  # a NumPy float is a float
    if dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            assert_equal(getattr(one, field.name), getattr(other, field.name), f"{where}.{field.name}")
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, where)
    elif isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            assert_equal(one[key], other[key], f"{where}[{key!r}]")
    elif isinstance(one, tuple | list):
        assert len(one) == len(other), where
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_equal(a, b, f"{where}[{i}]")
    else:
        assert one == other or (one != one and other != other), (where, one, other)


def test_round_trip_is_lossless(findings, tmp_path):
    path = save_findings(findings, tmp_path / "deep" / "findings.json")
    loaded = load_findings(path)
    assert isinstance(loaded, Findings)
    assert_equal(findings, loaded)


def test_numbers_that_json_has_no_word_for_survive(findings, tmp_path):
    odd = replace(findings.records[0], mean=math.nan, lower=-math.inf, upper=math.inf, sd=5e-324)
    row = replace(
        findings.falsification[0], null=np.array([0.1, np.nan, -0.0]), null_weights=np.full(3, 1 / 3), p_max=None
    )
    changed = replace(
        findings, records=(odd,), falsification=(row,), provenance={"worst": math.inf, "list": [1, {"a": math.nan}]}
    )
    loaded = load_findings(save_findings(changed, tmp_path / "f.json"))
    assert_equal(changed, loaded)
    assert np.signbit(loaded.falsification[0].null[2])
    assert "NaN" not in (tmp_path / "f.json").read_text(encoding="utf-8")


def test_loaded_findings_make_the_same_report(findings, folder, tmp_path):
    loaded = load_findings(save_findings(findings, tmp_path / "findings.json"))
    for path in write_report(loaded, tmp_path / "again"):
        assert path.read_bytes() == (folder / path.relative_to(tmp_path / "again")).read_bytes()


def test_same_findings_same_bytes(findings, tmp_path):
    one, two = (save_findings(findings, tmp_path / name) for name in ("one.json", "two.json"))
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "other"}', '"text"'])
def test_a_file_that_is_no_findings_says_so(content, tmp_path):
    path = tmp_path / "findings.json"
    path.write_text(content)
    with pytest.raises(ConfigError) as caught:
        load_findings(path)
    assert "findings.json" in str(caught.value)
    assert "again" in str(caught.value)


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(ConfigError, match="not there"):
        load_findings(tmp_path / "findings.json")


def test_objects_that_are_no_data_are_refused(findings, tmp_path):
    with pytest.raises(TypeError, match="object"):
        save_findings(replace(findings, provenance={"x": object()}), tmp_path / "f.json")
    assert not (tmp_path / "f.json").exists()


def test_an_unknown_field_of_a_later_version_is_ignored(findings, tmp_path):
    path = save_findings(findings, tmp_path / "f.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["findings"]["records"][0]["added_later"] = 1
    path.write_text(json.dumps(document), encoding="utf-8")
    assert_equal(findings, load_findings(path))
