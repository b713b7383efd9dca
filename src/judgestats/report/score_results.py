"""Score results: the tidy JSON form of a report on scores, and the records of one cell to save."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from judgestats.checks.score_finding import CueFalsification
from judgestats.draws.record import Record
from judgestats.report.results import SCHEMA, jsonable
from judgestats.report.score_findings import ScoreFindings
from judgestats.report.tables import inert


def score_results(findings: ScoreFindings) -> dict[str, Any]:
    """Return ``results.json`` of a run on scores as JSON-ready built-in types.

    Keys are those of the JSON Schema in ``report/schema/results.schema.json``; rows of falsification and sensitivity have
    ``cue`` and ``polarity`` besides, and raw scores, counts and the scale stand under ``analysis``.

    Parameters
    ----------
    findings : ScoreFindings
        What the run found.
    """
    card = asdict(findings.analysis) | {
        "scale": asdict(findings.scale),
        "placebo": findings.placebo,
        "counts": [asdict(row) for row in findings.counts],
        "raw_scores": [asdict(row) for row in findings.raw],
    }
    document = {
        "schema": SCHEMA,
        "analysis": card,
        "provenance": findings.provenance,
        "records": [record.to_dict() for record in findings.records],
        "falsification": [_falsification(row) for row in findings.falsification],
        "sensitivity": [asdict(row) | {"value": None} for row in findings.sensitivity],
        "gates": [asdict(row) for row in findings.gates],
        "warnings": list(findings.warnings),
    }
    plain: dict[str, Any] = jsonable(document)
    return plain


def _falsification(row: CueFalsification) -> dict[str, Any]:
    """Return a falsification in the keys that all kinds of verdict share; what does not apply is null or 0."""
    weights: dict[float, int] = {}
    for value in row.null:
        if math.isfinite(value):
            weights[value] = weights.get(value, 0) + 1
    total = sum(weights.values()) or 1
    null = {"values": sorted(weights), "weights": [weights[v] / total for v in sorted(weights)]}
    plain = {name: value for name, value in vars(row).items() if name != "null"}
    raw = row.observed if row.statistic == "raw_difference" else None
    shared = {"raw_observed": raw, "failed": 0, "p_lower": None, "p_upper": None, "enumerated": row.permutations == 0}
    return plain | shared | {"null": null}


def score_records_csv(records: Sequence[Record]) -> str:
    """Return records as CSV, unrounded, without columns that are empty throughout.

    A name that a spreadsheet would run as a formula gets an apostrophe.
    """
    rows = [r | {"n_lost": "; ".join(f"{s} {n}" for s, n in r["n_lost"].items()) or None} for r in _plain(records)]
    names = [name for name in Record.__dataclass_fields__ if any(row[name] is not None for row in rows)]
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: inert(v) if isinstance(v, str) else v for k, v in row.items()})
    return out.getvalue()


def _plain(records: Sequence[Record]) -> list[dict[str, Any]]:
    plain: list[dict[str, Any]] = jsonable([record.to_dict() for record in records])
    return plain
