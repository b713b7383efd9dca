"""The command line as a whole: help, speed, exit codes, flags and variables."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from judgestats.cli.app import app
from judgestats.cli.session import EXIT_CODES, guarded
from judgestats.errors import ConfigError, SamplingError, TrialDataError

Command = Callable[..., subprocess.CompletedProcess[str]]
VERBS = ("demo", "run", "validate", "plan", "fit", "falsify", "report", "compare", "doctor")


def test_help_names_every_verb_and_exit_code(judgestats: Command) -> None:
    done = judgestats("--help")
    assert done.returncode == 0
    for verb in VERBS:
        assert f" {verb} " in done.stdout
    for code in ("0", "1", "2", "3", "4", "5", "6", "130"):
        assert f"{code} " in EXIT_CODES
    assert "130 interrupted (says what is kept)" in " ".join(done.stdout.split())


def test_help_answers_in_half_a_second(judgestats: Command) -> None:
    # Processor time of the child, which on an idle machine is what the user waits for and on a busy one stays the same.
    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    for _ in range(3):
        judgestats("--help")
    assert (spent() - before) / 3 < 0.5


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_exit_codes_and_at_most_ten_flags(verb: str, judgestats: Command) -> None:
    command = get_command(app).commands[verb]  # type: ignore[attr-defined]
    flags = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    assert len(flags) <= 10
    assert command.help
    assert command.epilog == EXIT_CODES


def test_version(judgestats: Command) -> None:
    from judgestats import __version__

    assert judgestats("--version").stdout.strip() == __version__


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rum", "x"), "No such command 'rum'"),
        (("run", "x"), "--out"),
        (("run", "nowhere", "--out", "o"), "there is no analysis at nowhere"),
        (("run", "nowhere", "--out", "o", "--sed", "1"), "No such option"),
        (("demo", "--out", "o", "--seed", "-1"), "--seed"),
    ],
)
def test_usage_errors_exit_with_2_in_words(
    words: tuple[str, ...], said: str, judgestats: Command, tmp_path: Path
) -> None:
    done = judgestats(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("c"), 2),
        (TrialDataError("t"), 3),
        (SamplingError("s"), 4),
        (ZeroDivisionError("z"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_each_error_has_its_exit_code_and_a_traceback_only_with_debug(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    @guarded
    def command(debug: bool = False) -> None:
        raise error

    for debug in (False, True):
        with pytest.raises(typer.Exit) as ended:
            command(debug=debug)
        assert ended.value.exit_code == code
        assert ("Traceback" in capsys.readouterr().err) is debug


def test_unknown_flag_values_name_a_near_match(small: Path, judgestats: Command, tmp_path: Path) -> None:
    done = judgestats("run", small, "--out", tmp_path / "o", "--engine", "exat")
    assert done.returncode == 2
    assert "did you mean 'exact'?" in done.stderr
    done = judgestats("run", small, "--out", tmp_path / "o", "--fail-on", "bais")
    assert done.returncode == 2
    assert "did you mean 'bias'?" in done.stderr
    assert not (tmp_path / "o").exists()


def test_a_flag_wins_over_its_variable_and_that_over_the_file(small: Path, judgestats: Command) -> None:
    def seed(*words: object, **extra: str) -> str:
        done = judgestats("plan", small, *words, **extra)
        assert done.returncode == 0, done.stderr
        return next(line for line in done.stdout.splitlines() if line.startswith("model")).split("seed ")[1][0]

    assert seed() == "3"
    assert seed(JUDGESTATS_SEED="4") == "4"
    assert seed("--seed", 5, JUDGESTATS_SEED="4") == "5"
