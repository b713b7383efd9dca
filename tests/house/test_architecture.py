"""The map of ARCHITECTURE.md equals the tree; sizes stay in bounds; nothing names the machine it was written on."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import module_map

ROOT = module_map.ROOT
SOURCES = module_map.modules()
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MAX_LINES, MAX_FUNCTION = 400, 80


def test_the_map_equals_the_tree() -> None:
    assert module_map.written() == module_map.table().strip(), "run `make map` and commit ARCHITECTURE.md"


def test_every_package_of_the_order_is_in_the_text() -> None:
    text = module_map.PAGE.read_text(encoding="utf-8")
    for package in {path.relative_to(module_map.PACKAGE).parts[0] for path in SOURCES if path.parent.name}:
        assert package.removesuffix(".py") in text


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(module_map.PACKAGE).as_posix())
def test_size_of_files_and_functions(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MAX_LINES, f"{path.name} is longer than {MAX_LINES} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            docstring = ast.get_docstring(node, clean=False)
            code = length - (docstring.count("\n") + 1 if docstring else 0)
            assert code <= MAX_FUNCTION, f"{path.name}: {node.name} has {code} lines"


def test_no_catch_all_module() -> None:
    names = {path.stem for path in SOURCES}
    assert not names & {"utils", "util", "helpers", "common", "misc"}


def test_basenames_of_tests_are_unique() -> None:
    names = [path.name for path in TESTS if path.name.startswith("test_")]
    assert len(names) == len(set(names))


def tracked() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        reason = "this is not a git checkout, so the tracked files are not known"
        (pytest.fail if os.environ.get("JUDGESTATS_REQUIRE_ALL") == "1" else pytest.skip)(reason)
    return [ROOT / name for name in done.stdout.decode().split("\0") if name]


def test_no_file_names_the_machine_it_was_written_on() -> None:
    # Spelt in parts so that this file passes its own test.
    forbidden = re.compile("|".join(("/" + "work/", "/" + "root/", "/" + "home/[a-z]", r"\bC:\\" + "Users")))
    for path in tracked():
        if path.suffix in {".gz", ".parquet", ".png", ".eval", ".nc"} or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found = forbidden.search(text)
        assert found is None, f"{path.relative_to(ROOT)} holds {found.group() if found else ''!r}"


def test_locks_hold_names_versions_and_hashes_only() -> None:
    line = re.compile(r"^[A-Za-z0-9._\[\],-]+==\S+( ; .+)? \\$|^    --hash=sha256:[0-9a-f]{64}( \\)?$")
    locks = sorted((ROOT / "locks").glob("*.txt"))
    assert [path.stem for path in locks] == ["all", "build", "core", "dev"]
    for path in locks:
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert line.match(text), f"{path.name}:{number}: {text}"


def pins(name: str) -> dict[str, str]:
    text = (ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)", text, flags=re.M))


def test_the_core_lock_covers_the_core_dependencies_and_no_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = pins("core")
    for requirement in project["dependencies"]:
        assert re.split(r"[<>=\[ ]", requirement)[0] in core
    for absent in ("torch", "transformers", "inspect-ai", "dask", "pytest", "mypy"):
        assert absent not in core


@pytest.mark.parametrize("name", ["dev", "build", "all"])
def test_locks_agree_where_they_overlap(name: str) -> None:
    core, other = pins("core"), pins(name)
    differ = {package for package in core.keys() & other.keys() if core[package] != other[package]}
    assert name == "all" or not differ
