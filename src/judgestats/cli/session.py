"""Session: how one command speaks: results on stdout, progress on stderr, errors in words, one exit code."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import typer

from judgestats.errors import JudgestatsError

UNEXPECTED, CONFIG, DATA, SAMPLING, GATE_RED, RULE_MET, INTERRUPTED = 1, 2, 3, 4, 5, 6, 130

EXIT_CODES = (
    "Exit codes: 0 done; 1 unexpected; 2 usage or configuration; 3 input data; 4 sampling failed; "
    "5 convergence gate red (pages still written); 6 rule met under --fail-on; 130 interrupted (says what is kept)."
)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a run's folder; the message says which work is kept and holds the command to go on with."""


@dataclass(frozen=True)
class Voice:
    """Where a command writes.

    Parameters
    ----------
    as_json : bool
        Results as one JSON object.
    quiet : bool
        No progress.
    """

    as_json: bool = False
    quiet: bool = False

    def result(self, text: str, payload: dict[str, Any]) -> None:
        """Write a result to stdout: `payload` with ``--json``, else `text`."""
        out = json.dumps(payload, indent=2, ensure_ascii=False, sort_keys=False) if self.as_json else text
        sys.stdout.write(out.rstrip("\n") + "\n")
        sys.stdout.flush()

    def note(self, text: str) -> None:
        """Write a line of progress to stderr, unless quiet."""
        if not self.quiet:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()


def guarded[**P](command: Callable[P, None]) -> Callable[P, None]:
    """Turn errors of a command into words on stderr and an exit code; a traceback only with ``--debug``."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except JudgestatsError as error:
            raise _ended(error, error.sentence(), error.exit_code, kwargs) from error
        except Interrupted as stop:
            raise _ended(stop, str(stop), INTERRUPTED, kwargs) from stop
        except KeyboardInterrupt as stop:
            raise _ended(stop, "Interrupted.", INTERRUPTED, kwargs) from stop
        except BrokenPipeError as error:
            # The reader of our output, such as `head`, went away; Python would complain once more at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from error
        except typer.Exit:
            raise
        except Exception as error:
            text = (
                f"Unexpected {type(error).__name__}: {error}\n"
                "What to do: run the same command with --debug and report the traceback."
            )
            raise _ended(error, text, UNEXPECTED, kwargs) from error

    return run


def _ended(error: BaseException, text: str, code: int, options: dict[str, Any]) -> typer.Exit:
    if options.get("debug"):
        import traceback

        traceback.print_exception(error)
    sys.stderr.write(f"{text}\n" if code == INTERRUPTED else f"Error: {text}\n")
    return typer.Exit(code)
