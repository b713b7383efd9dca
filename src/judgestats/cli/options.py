"""Options: the flags that several verbs share, each with its environment variable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AnalysisPath = Annotated[Path, typer.Argument(metavar="ANALYSIS", help="Folder with analysis.toml, or the file.")]
DataFolder = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        envvar="JUDGESTATS_DATA",
        help="Folder that the trials are read from, any of this layout.",
    ),
]
OutFolder = Annotated[
    Path, typer.Option("--out", metavar="DIR", envvar="JUDGESTATS_OUT", help="Folder that the report is written to.")
]
ReportFolder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder that an earlier run was written to.")]
Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Start afresh, and write into a folder that holds something else."),
]
RootSeed = Annotated[
    int | None,
    typer.Option("--seed", min=0, envvar="JUDGESTATS_SEED", help="Root seed in place of the analysis's own."),
]
EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        envvar="JUDGESTATS_ENGINE",
        help="Engine in place of the analysis's: auto, exact, numpyro, pymc, laplace.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", envvar="JUDGESTATS_JSON", help="One JSON object on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", envvar="JUDGESTATS_QUIET", help="No progress on stderr.")]
Debug = Annotated[bool, typer.Option("--debug", envvar="JUDGESTATS_DEBUG", help="A traceback with every error.")]
