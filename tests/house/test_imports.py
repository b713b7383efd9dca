"""Imports flow one way, ArviZ has one importer, and importing the package stays light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import module_map

PACKAGE, ORDER = module_map.PACKAGE, module_map.ORDER
FILES = sorted(PACKAGE.rglob("*.py"))
HEAVY = ("jax", "pymc", "torch", "matplotlib")


def imported(path: Path) -> Iterator[str]:
    """Full names of all modules that a file imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            yield module
            # `from judgestats import trials` names the package in the alias.
            yield from (f"{module}.{alias.name}" for alias in node.names if module == "judgestats")


def rank(parts: tuple[str, ...]) -> int:
    """Place in the order; top-level files come first, a name of the package itself counts as top level."""
    return ORDER.index(parts[0]) if parts and parts[0] in ORDER else -1


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_package_imports_only_from_those_before_it(path: Path) -> None:
    own = rank(path.relative_to(PACKAGE).parts)
    for name in imported(path):
        if name.split(".")[0] == "judgestats":
            other = rank(tuple(name.split(".")[1:]))
            assert other <= own, f"{path.relative_to(PACKAGE)} imports {name}, which comes after it"


def test_every_folder_of_the_package_has_a_place_in_the_order() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert folders <= set(ORDER)


def test_one_importer_of_arviz() -> None:
    # Imports by statement, and by name in a string.
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in FILES
        if any(name.split(".")[0].startswith("arviz") for name in imported(path))
        or re.search(r"""import_module\(\s*["']arviz""", path.read_text(encoding="utf-8"))
    }
    assert users == {"draws/arviz.py"}


def test_nothing_is_pickled() -> None:
    for path in FILES:
        assert not {name.split(".")[0] for name in imported(path)} & {"pickle", "dill", "cloudpickle", "shelve"}


def loaded_after(code: str) -> set[str]:
    """Top-level modules in a fresh interpreter after `code`."""
    script = f"{code}\nimport sys\nprint(' '.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_judgestats_is_light() -> None:
    assert not loaded_after("import judgestats") & {*HEAVY, "pandas", "scipy", "xarray"}


def test_the_command_line_imports_heavy_libraries_inside_the_verbs() -> None:
    assert not loaded_after("import judgestats.cli.app") & {*HEAVY, "numpy", "pandas", "scipy", "xarray", "arviz"}


def test_loading_an_analysis_needs_no_engine() -> None:
    assert not loaded_after("import judgestats.study.analysis") & set(HEAVY)
