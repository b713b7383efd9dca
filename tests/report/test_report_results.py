from __future__ import annotations

import json
import math
from dataclasses import replace

import jsonschema
import numpy as np
import pytest

from judgestats.draws.record import Record
from judgestats.report.results import SCHEMA, dumps, jsonable, results, results_schema

DESIGN_KEYS = (
    "judge",
    "domain",
    "block",
    "cue",
    "polarity",
    "cue_strength",
    "prompt_config",
    "stage",
    "model",
    "engine",
    "setting",
    "estimand",
    "version",
    "reference",
    "target",
    "scale",
    "mean",
    "median",
    "sd",
    "lower",
    "upper",
    "ci_prob",
    "ci_kind",
    "p_gt_0",
    "p_rope",
    "p_rope_prior",
    "rope",
    "rhat",
    "ess_bulk",
    "ess_tail",
    "mcse",
    "mcse_end",  # beyond the design page: the larger error of the two ends, for the gate
    "n_asked",
    "n_valid",
    "n_lost",
    "layer",
    "estimator",
    "control",
    "split",
    "threshold",
    "gate",
    "outcome",
    "planted",
)


@pytest.fixture(scope="module")
def document(folder):
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


def test_the_schema_is_a_schema_and_the_file_obeys_it(document):
    schema = results_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    assert document["schema"] == SCHEMA


def test_top_level_keys(document):
    assert list(document) == [
        "schema",
        "analysis",
        "provenance",
        "records",
        "falsification",
        "sensitivity",
        "gates",
        "warnings",
    ]


def test_every_record_has_every_key_and_no_other(document):
    for record in document["records"]:
        assert set(record) == set(DESIGN_KEYS)
    properties = results_schema()["properties"]["records"]["items"]
    assert set(properties["properties"]) == set(DESIGN_KEYS) == set(properties["required"])
    assert set(Record.__dataclass_fields__) == set(DESIGN_KEYS)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("records", 0, "mean"), "0.1"),
        (("records", 0, "p_gt_0"), 1.2),
        (("records", 0, "judge"), 3),
        (("gates", 0, "status"), "fine"),
    ],
)
def test_the_schema_refuses_what_is_wrong(document, where, value):
    broken = json.loads(json.dumps(document))
    part, index, key = where
    broken[part][index][key] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, results_schema(), cls=jsonschema.Draft202012Validator)


def test_numbers_are_unrounded(document, findings):
    assert len(document["records"]) == len(findings.records)
    for written, record in zip(document["records"], findings.records, strict=True):
        assert written["mean"] == record.mean
        assert written["planted"] == record.planted


def test_the_null_distribution_is_whole(document, findings):
    for written, source in zip(document["falsification"], findings.falsification, strict=True):
        values, weights = written["null"]["values"], written["null"]["weights"]
        assert sum(weights) == pytest.approx(1)
        assert len(values) == source.distinct
        assert np.dot(values, weights) == pytest.approx(float(np.mean(source.null)))
        assert "null_weights" not in written


def test_what_json_cannot_hold_becomes_null(findings):
    odd = replace(findings.records[0], mean=math.nan, sd=np.float64(0.5), upper=math.inf, n_asked=np.int64(3))
    written = results(replace(findings, records=(odd,)))["records"][0]
    assert written["mean"] is None
    assert written["upper"] is None
    assert written["sd"] == 0.5
    assert type(written["n_asked"]) is int
    with pytest.raises(ValueError, match="JSON"):
        dumps(math.nan)


def test_jsonable_turns_arrays_and_tuples_into_lists():
    assert jsonable({"a": np.array([[1.5, np.nan]]), 2: ("x", None, True)}) == {
        "a": [[1.5, None]],
        "2": ["x", None, True],
    }
