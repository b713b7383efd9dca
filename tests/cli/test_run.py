"""``run`` and its neighbours on a small analysis: results, resuming, interruption, determinism."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judgestats.cli.running import Request, watched
from judgestats.cli.session import Interrupted, Voice
from judgestats.draws.store import load_tree
from judgestats.study.ledger import FOLDER

Command = Callable[..., subprocess.CompletedProcess[str]]
QUIET = Voice(quiet=True)
Finished = tuple[Path, subprocess.CompletedProcess[str]]


def pieces(out: Path) -> dict[str, bytes]:
    """Finished pieces of work by file name."""
    return {path.name: path.read_bytes() for path in (out / FOLDER).glob("*-*.json")}


def test_a_run_writes_all_its_files_and_says_so(finished: Finished) -> None:
    out, done = finished
    said = json.loads(done.stdout)
    assert said["gate"] in {"pass", "warn"}
    assert said["reused"] == []
    for name in (
        "index.html",
        "results.json",
        "report.md",
        "draws.nc",
        "methods.md",
        "methods.tex",
        "methods.txt",
        "references.bib",
        "provenance.json",
    ):
        assert (out / name).is_file(), name
    assert len([path for path in out.rglob("*.html") if path.parent != out]) == 2
    assert {Path(name) for name in said["files"]} == {
        path for path in out.rglob("*") if path.is_file() and FOLDER not in path.parts
    }
    assert not list(out.rglob("*.tmp"))


def test_counts_in_the_results_are_those_of_the_file(finished: Finished) -> None:
    results = json.loads((finished[0] / "results.json").read_text(encoding="utf-8"))
    effects = [r for r in results["records"] if r["estimand"] == "delta_p" and r["version"] == "marginal"]
    assert {(r["judge"], r["domain"], r["n_asked"], r["n_valid"]) for r in effects} == {
        ("j/1", "d", 24, 24),
        ("k", "d", 24, 18),
    }
    lost = {r["judge"]: sum(r["n_lost"].values()) for r in effects}
    assert lost == {"j/1": 0, "k": 6}
    # j/1 errs on 4 of 12 incongruent trials and no congruent one: the effect is positive.
    assert next(r for r in effects if r["judge"] == "j/1")["p_gt_0"] > 0.95


def test_provenance_names_versions_hashes_seed_and_no_path(finished: Finished, small: Path) -> None:
    out = finished[0]
    found = json.loads((out / "provenance.json").read_text(encoding="utf-8"))
    file = (small / "data" / "trials.csv").read_bytes()
    assert found["trials"]["files"] == [{"path": "trials.csv", "sha256": hashlib.sha256(file).hexdigest(), "rows": 48}]
    assert found["seed"] == 3
    # Typed with an absolute path, of which only the last part is told.
    assert found["command"] == f"judgestats run {small.name} --out DIR --engine auto --seed 3"
    assert {"python", "numpy", "judgestats"} <= found["versions"].keys()
    text = json.dumps(found)
    for secret in (str(small), str(out), os.uname().nodename):
        assert secret not in text


def test_a_second_run_does_nothing_anew(finished: Finished, small: Path, judgestats: Command) -> None:
    out = finished[0]
    before = pieces(out)
    done = judgestats("run", small, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["made"] == []
    assert {"records", "falsification", "draws"} <= set(said["reused"])
    assert pieces(out) == before


def comparable(out: Path) -> dict[str, Any]:
    """What a run wrote, without its times."""
    found: dict[str, Any] = {}
    for path in sorted(out.rglob("*")):
        if path.is_file() and FOLDER not in path.parts and path.suffix != ".nc":
            text = path.read_text(encoding="utf-8")
            for key in ("started", "finished"):
                stamp = json.loads((out / "provenance.json").read_text(encoding="utf-8"))[key]
                text = text.replace(stamp, "TIME")
            found[path.relative_to(out).as_posix()] = text
    return found


def test_the_same_seed_gives_the_same_files_in_another_place(
    finished: Finished, small: Path, judgestats: Command, tmp_path: Path
) -> None:
    home = tmp_path / "elsewhere" / small.name  # the last part of the path is in the printed command
    shutil.copytree(small, home)
    # Rows in another order, and another set of finished work: neither may show.
    lines = (home / "data" / "trials.csv").read_text(encoding="utf-8").splitlines()
    (home / "data" / "trials.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n", encoding="utf-8")
    done = judgestats("run", home, "--out", tmp_path / "other", "--quiet")
    assert done.returncode == 0, done.stderr
    one, two = comparable(finished[0]), comparable(tmp_path / "other")
    assert one.keys() == two.keys()
    for name in one:
        # The file's own hash differs with the order of its rows; every other number is equal.
        plain = [re.sub(r"\b[0-9a-f]{64}\b", "HASH", text) for text in (one[name], two[name])]
        assert plain[0] == plain[1], name
    trees = [load_tree(out / "draws.nc") for out in (finished[0], tmp_path / "other")]
    assert trees[0].equals(trees[1])


def test_another_seed_changes_the_draws_and_a_title_changes_no_number(
    finished: Finished, small: Path, judgestats: Command, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished[0], out)
    home = tmp_path / "small"
    shutil.copytree(small, home)
    file = home / "analysis.toml"
    file.write_text(file.read_text(encoding="utf-8").replace('"Small"', '"Another title"'), encoding="utf-8")
    done = judgestats("run", home, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["made"] == []
    assert "Another title" in (out / "index.html").read_text(encoding="utf-8")
    done = judgestats("run", home, "--out", out, "--json", "--seed", 4)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert {"records", "falsification", "draws"} <= set(said["made"])


def test_progress_goes_to_stderr_in_lines_and_quiet_is_quiet(small: Path, judgestats: Command, tmp_path: Path) -> None:
    done = judgestats("fit", small, "--out", tmp_path / "a")
    assert done.returncode == 0
    assert "shift: exact: done in" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout
    assert "Draws:" in done.stdout
    assert judgestats("fit", small, "--out", tmp_path / "b", "--quiet").stderr == ""


def test_fail_on_exits_with_6_when_its_rule_is_met(finished: Finished, small: Path, judgestats: Command) -> None:
    out = finished[0]
    # k refuses 6 of 12 incongruent and 0 of 12 congruent questions.
    assert judgestats("run", small, "--out", out, "--fail-on", "loss").returncode == 6
    # With 12 items nothing lies inside the ROPE.
    assert judgestats("run", small, "--out", out, "--fail-on", "undecided").returncode == 6


def test_a_foreign_folder_is_refused(small: Path, judgestats: Command, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("keep")
    done = judgestats("run", small, "--out", tmp_path)
    assert done.returncode == 2
    assert "--overwrite" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def wait_for(path: Path, pattern: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while not list(path.glob(pattern)):
        assert process.poll() is None, "the run ended before it could be stopped"
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
def test_a_stopped_run_goes_on_where_it_was_and_ends_alike(
    kill: signal.Signals,
    finished: Finished,
    small: Path,
    judgestats: Command,
    background: Callable[..., subprocess.Popen[str]],
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    process = background("run", small, "--out", out)
    wait_for(out / FOLDER, "records-*.json", process)
    process.send_signal(kill)
    _, said = process.communicate(timeout=60)
    assert not (out / "index.html").exists()
    if kill is signal.SIGINT:
        assert process.returncode == 130
        assert "To go on:" in said
        assert f"Kept in {out}: records" in said
        assert "Exact fits (validity, shift) are not stored" in said
        assert f"judgestats run {small} --out {out}" in said
    else:
        assert process.returncode == -signal.SIGKILL
    done = judgestats("run", small, "--out", out, "--json")
    again = json.loads(done.stdout)
    assert "records" in again["reused"]
    assert "falsification" in again["made"]
    assert pieces(out) == pieces(finished[0])
    # Leftovers of the stopped process are gone or were never whole pieces.
    assert comparable(out).keys() == comparable(finished[0]).keys()


def test_report_writes_the_pages_again(finished: Finished, judgestats: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished[0], out)
    page = (out / "index.html").read_bytes()
    (out / "index.html").unlink()
    done = judgestats("report", out)
    assert done.returncode == 0, done.stderr
    assert (out / "index.html").read_bytes() == page
    assert (out / "draws.nc").exists()
    refused = judgestats("report", tmp_path)
    assert refused.returncode == 2
    assert "no finished run" in refused.stderr


def test_compare_of_a_run_with_itself_shows_no_difference(finished: Finished, judgestats: Command) -> None:
    out = finished[0]
    found = json.loads(judgestats("compare", out, out, "--json").stdout)
    assert {(c["judge"], c["estimand"]) for c in found["contrasts"]} >= {
        ("j/1", "delta_p"),
        ("k", "validity_difference"),
    }
    for contrast in found["contrasts"]:
        assert contrast["mean"] == 0.0
        assert contrast["lower"] < 0.0 < contrast["upper"]


def test_falsify_prints_p_values_and_run_uses_them(small: Path, judgestats: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = judgestats("falsify", small, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    rows = {row["judge"]: row for row in json.loads(done.stdout)["falsification"]}
    # j/1: 4 discordant pairs, all one way: two-sided 2 / 2^4 = .125, the smallest this design can reach. k has none.
    assert rows["j/1"]["p_value"] == pytest.approx(0.125)
    assert rows["j/1"]["smallest_p"] == pytest.approx(0.125)
    assert rows["k"]["p_value"] == pytest.approx(1.0)
    done = judgestats("run", small, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert "falsification" in said["reused"]


def test_plan_fits_nothing_and_sees_finished_work(finished: Finished, small: Path, judgestats: Command) -> None:
    done = judgestats("plan", small, "--out", finished[0], "--json")
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert plan["trials"] == 48
    assert ["k", "d", "incongruent", "refusal", 6] in plan["counts"]
    assert {name for name, _ in plan["engines"].values()} == {"exact"}
    assert {"records", "falsification"} <= set(plan["finished"])
    assert any(row["parameter"] == "beta" and row["reason"] for row in plan["priors"])


def test_a_run_stopped_before_anything_is_finished_says_so(small: Path, tmp_path: Path) -> None:
    with (
        pytest.raises(Interrupted, match="nothing had been finished yet"),
        watched(Request(small, None, tmp_path), QUIET),
    ):
        raise KeyboardInterrupt
    assert pieces(tmp_path) == {}


def test_what_an_interruption_says_was_kept_is_what_is_reused(
    finished: Finished, small: Path, tmp_path: Path, judgestats: Command
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished[0], out)
    for name in ("draws.nc", *(path.name for path in (out / FOLDER).glob("gates-*"))):
        (out / name if name == "draws.nc" else out / FOLDER / name).unlink()
    with pytest.raises(Interrupted) as stopped, watched(Request(small, None, out), QUIET):
        raise KeyboardInterrupt
    kept = set(str(stopped.value).split("Kept in ")[1].split(": ", 1)[1].split(".")[0].split(", "))
    assert {"records", "falsification"} <= kept
    assert not {"gates", "draws"} & kept
    said = json.loads(judgestats("run", small, "--out", out, "--json", "--quiet").stdout)
    assert set(said["reused"]) == kept
    assert {"gates", "draws"} <= set(said["made"])
    # Asked to start afresh, the same folder holds nothing that counts.
    with (
        pytest.raises(Interrupted, match="nothing had been finished yet"),
        watched(Request(small, None, out, overwrite=True), QUIET),
    ):
        raise KeyboardInterrupt


def test_the_printed_command_makes_the_same_numbers(small: Path, tmp_path: Path, judgestats: Command) -> None:
    home = tmp_path / "analyses" / "small"
    shutil.copytree(small, home)
    data = home / "data"
    data = data.rename(tmp_path / "files")
    words = ("run", "analyses/small", "--data", "files")
    done = judgestats(*words, "--out", "one", "--json", "--quiet", "--seed", "5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    command = json.loads((tmp_path / "one" / "provenance.json").read_text(encoding="utf-8"))["command"]
    assert command == "judgestats run analyses/small --data files --out DIR --engine auto --seed 5"
    typed = shlex.split(command.replace("DIR", "two"))[1:]
    again = judgestats(*typed, "--json", "--quiet", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["effects"] == json.loads(done.stdout)["effects"]


def test_rows_that_no_stage_counts_are_named_in_the_terminal(small: Path, judgestats: Command, tmp_path: Path) -> None:
    home = tmp_path / "small"
    shutil.copytree(small, home)
    with (home / "data" / "trials.csv").open("a", encoding="utf-8") as file:
        file.writelines(f"k,d,é{item},,valid,A,true\n" for item in range(7))
        # A judge with one block only: its effect is not estimable, and no number of the prior is printed for it.
        file.writelines(f"one,d,é{item},congruent,valid,A,true\n" for item in range(5))
    done = judgestats("fit", home, "--out", tmp_path / "out", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "Left out: 7 trials have no block and are left out" in done.stdout
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line}
    assert re.fullmatch(r"one\s+d\s+0/5\s+not estimable", lines["one"])
    assert re.search(r"(undecided|beyond the ROPE|not resolved)$", lines["j/1"])
    assert "Delta P, mean" in lines["judge"]
    assert "95 % interval" in lines["judge"]


@pytest.mark.sampling
def test_a_red_gate_exits_with_5_and_the_pages_are_there(small: Path, judgestats: Command, tmp_path: Path) -> None:
    # 4 chains of 100 draws: 400 draws cannot hold an effective size of 400 in every tail.
    out = tmp_path / "out"
    done = judgestats("run", small, "--out", out, "--engine", "numpyro", "--json")
    assert done.returncode == 5, done.stderr
    assert json.loads(done.stdout)["gate"] == "fail"
    assert (out / "index.html").exists()
    again = judgestats("run", small, "--out", out, "--engine", "numpyro", "--json")
    assert again.returncode == 5, again.stderr
    assert json.loads(again.stdout)["made"] == []
