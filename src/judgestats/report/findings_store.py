"""Findings store: findings as JSON and back, without loss."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeAliasType, Union, get_args, get_origin, get_type_hints

import numpy as np

from judgestats.errors import ConfigError
from judgestats.report.atomic import write_text
from judgestats.report.findings import Findings
from judgestats.report.score_findings import ScoreFindings

FORMATS: dict[str, type[Findings] | type[ScoreFindings]] = {
    "judgestats/findings/1": Findings,
    "judgestats/score-findings/1": ScoreFindings,
}


def save_findings(findings: Findings | ScoreFindings, path: Path) -> Path:
    """Write findings as JSON under a temporary name, then rename.

    Parameters
    ----------
    findings : Findings or ScoreFindings
        What to keep.
    path : Path
        File to write; its folder is made where it is missing.

    Returns
    -------
    Path
        `path`.
    """
    name = next(name for name, kind in FORMATS.items() if isinstance(findings, kind))
    document = {"format": name, "findings": _encode(findings)}
    return write_text(path, json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n")


def load_findings(path: Path) -> Findings | ScoreFindings:
    """Read findings written by `save_findings`.

    Raises
    ------
    ConfigError
        If the file is not there, is not JSON or is of another format.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path.name} is not there", remedy="run the analysis first") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ConfigError(f"{path.name} is not findings: {error}", remedy="run the analysis again") from None
    found = document.get("format") if isinstance(document, dict) else None
    if found not in FORMATS:
        raise ConfigError(
            f"{path.name} has format {found!r}", allowed=", ".join(FORMATS), remedy="run the analysis again"
        )
    findings = _decode(FORMATS[found], document["findings"])
    assert isinstance(findings, FORMATS[found])
    return findings


def _encode(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return _encode(value.tolist())
    if isinstance(value, np.generic):
        return _encode(value.item())
    if isinstance(value, Mapping):
        return {str(key): _encode(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_encode(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}  # JSON has no word for nan and infinity
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"findings cannot hold {type(value).__name__}: use text, numbers, lists and dicts")


def _decode(kind: Any, value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"float"}:
        return float(value["float"])
    origin, inner = get_origin(kind), get_args(kind)
    if isinstance(origin, TypeAliasType):  # NDArray is one from NumPy 2.5 on
        origin = get_origin(origin.__value__)
    if origin in (Union, types.UnionType):
        return None if value is None else _decode(next(k for k in inner if k is not type(None)), value)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        return kind(**{name: _decode(hints[name], part) for name, part in value.items() if name in hints})
    if origin is tuple:
        kinds = [inner[0]] * len(value) if len(inner) == 2 and inner[1] is Ellipsis else inner
        return tuple(_decode(k, part) for k, part in zip(kinds, value, strict=True))
    if origin is np.ndarray:
        return np.array([_decode(float, part) for part in value], dtype=np.float64)
    if origin is dict:
        return {key: _decode(inner[1], part) for key, part in value.items()}
    if kind is Any:
        return _decode_plain(value)
    return float(value) if kind is float and value is not None else value


def _decode_plain(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"float"}:
            return float(value["float"])
        return {key: _decode_plain(part) for key, part in value.items()}
    return [_decode_plain(part) for part in value] if isinstance(value, list) else value
