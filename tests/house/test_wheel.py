"""The wheel holds what an installed package needs, and the demo runs from it alone."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout with the build tools that are installed."""
    folder = tmp_path_factory.mktemp("wheel")
    script = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.split()[-1]


def test_models_demo_words_and_templates_are_inside(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in (ROOT / "models").rglob("*"):
        if path.is_file():
            assert f"judgestats/_catalog/models/{path.relative_to(ROOT / 'models').as_posix()}" in names
    assert "judgestats/_catalog/analyses/demo/analysis.toml" in names
    package = ROOT / "src" / "judgestats"
    kinds = {".py", ".toml", ".j2", ".css", ".json", ".typed", ".js"}
    shipped = [p for p in package.rglob("*") if p.suffix in kinds or p.name == "py.typed"]
    for path in shipped:
        if not any(part.startswith((".", "__pycache__")) for part in path.relative_to(package).parts):
            assert f"judgestats/{path.relative_to(package).as_posix()}" in names
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name or ".mypy_cache" in name]


def test_the_demo_is_found_in_an_unpacked_wheel_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("JUDGESTATS_")}
    environment["PYTHONPATH"] = str(site)
    script = (
        "import judgestats, runpy, sys; assert sys.argv[1] in judgestats.__file__; sys.argv[1:] = ['plan', sys.argv[2]]"
    )
    demo = site / "judgestats" / "_catalog" / "analyses" / "demo"
    script += "; runpy.run_module('judgestats.cli.app', run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", script, str(site), str(demo)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert "960 trials" in done.stdout
    find = "from judgestats.study.catalog import demo_folder; print(demo_folder())"
    found = subprocess.run(
        [sys.executable, "-c", find], cwd=tmp_path, capture_output=True, text=True, check=True, env=environment
    )
    assert found.stdout.strip() == str(demo)
