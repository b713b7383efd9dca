"""Results: the tidy, versioned JSON form of a report, and the records of one cell to save."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import asdict
from importlib.resources import files
from typing import Any

import numpy as np

from judgestats.checks.falsification import Falsification
from judgestats.draws.record import Record
from judgestats.report.facts import CellFacts
from judgestats.report.findings import Findings
from judgestats.report.tables import inert

SCHEMA = "judgestats/results/1"


def results(findings: Findings) -> dict[str, Any]:
    """Return ``results.json`` as JSON-ready built-in types.

    Numbers are unrounded; a value that is not finite is null. Keys are those of the JSON Schema in
    ``report/schema/results.schema.json``.

    Parameters
    ----------
    findings : Findings
        What the run found.
    """
    document = {
        "schema": SCHEMA,
        "analysis": asdict(findings.analysis),
        "provenance": findings.provenance,
        "records": [record.to_dict() for record in findings.records],
        "falsification": [_falsification(row) for row in findings.falsification],
        "sensitivity": [asdict(row) for row in findings.sensitivity],
        "gates": [asdict(row) for row in findings.gates],
        "warnings": list(findings.warnings),
    }
    plain: dict[str, Any] = jsonable(document)
    return plain


def results_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``results.json``."""
    text = files("judgestats.report").joinpath("schema/results.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def dumps(value: Any) -> str:
    """Return JSON text with a final newline; refuses what JSON cannot hold."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def jsonable(value: Any) -> Any:
    """Return `value` with NumPy scalars and arrays, tuples and non-finite numbers turned into what JSON holds."""
    if isinstance(value, dict):
        return {str(key): jsonable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(inner) for inner in value]
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, np.generic):
        return jsonable(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def _falsification(row: Falsification) -> dict[str, Any]:
    """Return a falsification whose null distribution is its distinct values with their weights."""
    finite = np.isfinite(row.null)
    values, inverse = np.unique(row.null[finite], return_inverse=True)
    weights = np.bincount(inverse, weights=row.null_weights[finite], minlength=values.size)
    plain = {name: value for name, value in vars(row).items() if name not in ("null", "null_weights")}
    return plain | {"null": {"values": values, "weights": weights}}


def cell_records(cell: CellFacts) -> list[dict[str, Any]]:
    """Return the estimates of one cell with the keys of ``records`` that apply to it."""
    return [
        {
            "judge": e.judge,
            "domain": e.domain,
            "estimand": e.estimand,
            "version": e.version,
            "block": e.block,
            "stage": e.stage,
            "scale": e.scale,
            "setting": e.setting,
            "reference": e.reference,
            "target": e.target,
            "mean": e.mean.value,
            "median": e.median.value,
            "sd": e.sd.value,
            "lower": e.lower.value,
            "upper": e.upper.value,
            "ci_prob": e.ci_prob,
            "p_gt_0": e.p_gt_0.value,
            "p_rope": e.p_rope.value,
            "rhat": e.rhat.value,
            "ess_bulk": e.ess_bulk.value,
            "ess_tail": e.ess_tail.value,
            "mcse": e.mcse.value,
            "outcome": e.outcome,
            "planted": e.planted.value,
        }
        for e in (*cell.estimates, *cell.contrasts)
    ]


def cell_records_json(cell: CellFacts) -> str:
    """Return the records of one cell as JSON."""
    return dumps(jsonable(cell_records(cell)))


def cell_records_csv(cell: CellFacts) -> str:
    """Return the records of one cell as CSV; a name that a spreadsheet would run as a formula gets an apostrophe."""
    rows = cell_records(cell)
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: inert(v) if isinstance(v, str) else v for k, v in jsonable(row).items()})
    return out.getvalue()


def record_keys() -> tuple[str, ...]:
    """Return the keys of a record in ``results.json``, in order."""
    return tuple(Record.__dataclass_fields__)
