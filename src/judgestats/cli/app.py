"""The command line ``judgestats``: one file a verb, heavy imports inside the verbs."""

from __future__ import annotations

from typing import Annotated

import typer

from judgestats import __version__
from judgestats.cli.compare import compare
from judgestats.cli.demo import demo
from judgestats.cli.doctor import doctor
from judgestats.cli.falsify import falsify
from judgestats.cli.fit import fit
from judgestats.cli.plan import plan
from judgestats.cli.report import report
from judgestats.cli.run import run
from judgestats.cli.session import EXIT_CODES
from judgestats.cli.validate import validate

app = typer.Typer(
    name="judgestats",
    help="Hierarchical Bayesian statistics for LLM judges: validity kept apart from bias, with credible intervals.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Hierarchical Bayesian statistics for LLM judges: validity kept apart from bias, with credible intervals."""


for verb in (demo, run, validate, plan, fit, falsify, report, compare, doctor):
    app.command(epilog=EXIT_CODES)(verb)


def main() -> None:
    """Run the command line; the entry point of the script ``judgestats``."""
    app()


if __name__ == "__main__":
    main()
