"""Score fit store: fits of score stages in a run's folder, so that a resumed run does not sample again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import xarray as xr

from judgestats.draws.gate import GateRow
from judgestats.draws.score_fit import ScoreFit
from judgestats.study.codec import decode, encode
from judgestats.trials.score_rows import ScoreRows

SUFFIX = ".nc"


def write_score_fit(fit: ScoreFit, path: Path, raised: list[str]) -> None:
    """Write one fit and the warnings that it raised to a netCDF file."""
    groups: dict[str, xr.Dataset] = {"/posterior": fit.posterior}
    if fit.sample_stats is not None:
        groups["/sample_stats"] = fit.sample_stats
    card = {"stage": fit.stage, "family": fit.family, "engine": fit.engine, "why": fit.why, "seconds": fit.seconds}
    card |= {"notes": fit.notes, "gate": encode(fit.gate)}
    tree = xr.DataTree.from_dict(groups)
    tree.attrs["judgestats"] = json.dumps({"warnings": raised, "fit": encode(card)})
    tree.to_netcdf(path, engine="h5netcdf")


def read_score_fit(path: Path, rows: Mapping[str, ScoreRows]) -> tuple[ScoreFit, list[str]]:
    """Read what `write_score_fit` wrote; `rows` are the data that were fitted, which the file's name vouches for."""
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        stored = json.loads(tree.attrs["judgestats"])
        card = stored["fit"]
        stats = tree["sample_stats"].to_dataset().load() if "sample_stats" in tree.children else None
        fit = ScoreFit(
            stage=card["stage"],
            family=card["family"],
            engine=card["engine"],
            why=card["why"],
            rows=rows[card["stage"]],
            posterior=tree["posterior"].to_dataset().load(),
            sample_stats=stats,
            gate=decode(tuple[GateRow, ...], card["gate"]),
            seconds=card["seconds"],
            notes=tuple(card["notes"]),
        )
    return fit, list(stored["warnings"])
