"""``judgestats validate``: what a table of trials holds and supports, before anything is fitted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgestats.cli.options import AsJson, DataFolder, Debug
from judgestats.cli.session import Voice, guarded

if TYPE_CHECKING:
    from judgestats.trials.table import Score


@guarded
def validate(
    source: Annotated[Path, typer.Argument(metavar="FILE|ANALYSIS", help="A table of trials, or an analysis.")],
    data: DataFolder = None,
    labels: Annotated[
        str | None, typer.Option("--labels", metavar="A,B", help="Response labels of a bare FILE, by commas.")
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option("--scale", metavar="LOW,HIGH[,STEP]", help="Scale of a bare FILE of scores, such as 1,10."),
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Print columns, counts by judge, domain, block or cue and status, warnings, and what the table supports."""
    from judgestats.errors import ConfigError
    from judgestats.study.analysis import load_analysis
    from judgestats.study.trial_input import analysis_trials, data_folder
    from judgestats.trials.checks import inspect_table
    from judgestats.trials.reading import read_file

    if source.is_dir() or source.suffix == ".toml":
        given = "--labels" if labels is not None else "--scale" if scale is not None else None
        if given is not None:
            raise ConfigError(f"{given} was given for an analysis", remedy="its [trials] section declares the verdict")
        analysis = load_analysis(source)
        table = analysis_trials(analysis, data_folder(analysis, source, data))
    else:
        if data is not None:
            raise ConfigError(
                f"--data was given for the bare file {source}", remedy="give an analysis, or leave --data out"
            )
        words = tuple(word.strip() for word in labels.split(",")) if labels else ()
        if words and scale is not None:
            raise ConfigError("--labels and --scale were given together", remedy="name one: choices or scores")
        table = read_file(source, words, scale=None if scale is None else declared_scale(scale))
    seen = inspect_table(table)
    Voice(as_json).result("\n".join(seen.lines()), seen.to_dict())


def declared_scale(text: str) -> Score:
    """Return the scale that ``--scale`` declares; ConfigError for anything but two or three numbers."""
    from judgestats.errors import ConfigError
    from judgestats.trials.table import Score

    try:
        numbers = [float(part) for part in text.split(",")]
        if len(numbers) not in (2, 3):
            raise ValueError(f"{len(numbers)} numbers")
        return Score(*numbers)
    except ValueError as error:
        raise ConfigError(
            f"--scale is {text!r} ({error})", allowed="lowest and highest score, and the step: 1,10 or 1,5,0.5"
        ) from error
