"""Fit store: sampled stage fits in a run's folder, so that a resumed run does not sample again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import xarray as xr

from judgestats.draws.fit import StageFit
from judgestats.draws.gate import GateRow
from judgestats.study.codec import decode, encode
from judgestats.trials.counts import StageCounts

SUFFIX = ".nc"


def write_fits(fits: Mapping[str, StageFit], path: Path, raised: list[str]) -> None:
    """Write sampled fits and the warnings that they raised to one netCDF file.

    Parameters
    ----------
    fits : mapping of str to StageFit
        Fits by stage. Posterior lines are not stored: exact fits are made again, which is as quick as reading them.
    path : Path
        File to write.
    raised : list of str
        Warnings.
    """
    groups: dict[str, xr.Dataset] = {}
    cards: dict[str, object] = {}
    for stage, fit in fits.items():
        if fit.lines:
            raise ValueError("a fit on posterior lines is made again, not stored")
        groups[f"/{stage}/posterior"] = fit.posterior
        if fit.sample_stats is not None:
            groups[f"/{stage}/sample_stats"] = fit.sample_stats
        card = {"engine": fit.engine, "why": fit.why, "seconds": fit.seconds, "notes": fit.notes, "gate": fit.gate}
        cards[stage] = encode(card)
    tree = xr.DataTree.from_dict(groups)
    tree.attrs["judgestats"] = json.dumps({"warnings": raised, "fits": cards})
    tree.to_netcdf(path, engine="h5netcdf")


def read_fits(path: Path, counts: Mapping[str, StageCounts]) -> tuple[dict[str, StageFit], list[str]]:
    """Read what `write_fits` wrote; `counts` are the data that were fitted, which the file's name vouches for."""
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        stored = json.loads(tree.attrs["judgestats"])
        fits = {}
        for stage, card in stored["fits"].items():
            group = tree[stage]
            stats = group["sample_stats"].to_dataset().load() if "sample_stats" in group.children else None
            fits[stage] = StageFit(
                stage=stage,
                engine=card["engine"],
                why=card["why"],
                counts=counts[stage],
                posterior=group["posterior"].to_dataset().load(),
                sample_stats=stats,
                gate=decode(tuple[GateRow, ...], card["gate"]),
                seconds=card["seconds"],
                notes=tuple(card["notes"]),
            )
    return fits, list(stored["warnings"])
