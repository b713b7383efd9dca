"""``judgestats validate``: what a table of trials holds and supports, before anything is fitted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgestats.cli.options import AsJson, DataFolder, Debug
from judgestats.cli.session import Voice, guarded


@guarded
def validate(
    source: Annotated[Path, typer.Argument(metavar="FILE|ANALYSIS", help="A table of trials, or an analysis.")],
    data: DataFolder = None,
    labels: Annotated[
        str | None, typer.Option("--labels", metavar="A,B", help="Response labels of a bare FILE, by commas.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Print columns, counts by judge, domain, block and status, warnings, and what the table supports."""
    from judgestats.errors import ConfigError
    from judgestats.study.analysis import load_analysis
    from judgestats.study.trial_input import analysis_trials, data_folder
    from judgestats.trials.checks import inspect_table
    from judgestats.trials.reading import read_file

    if source.is_dir() or source.suffix == ".toml":
        if labels is not None:
            raise ConfigError("--labels was given for an analysis", remedy="its [trials] section declares the labels")
        analysis = load_analysis(source)
        table = analysis_trials(analysis, data_folder(analysis, source, data))
    else:
        if data is not None:
            raise ConfigError(
                f"--data was given for the bare file {source}", remedy="give an analysis, or leave --data out"
            )
        words = tuple(word.strip() for word in labels.split(",")) if labels else ()
        table = read_file(source, words)
    seen = inspect_table(table)
    Voice(as_json).result("\n".join(seen.lines()), seen.to_dict())
