"""Pages in headless Chromium: no error on the console, no request, hostile text inert."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from example_findings import HOSTILE_ITEM, HOSTILE_JUDGE
from page_reader import read_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--enable-logging=stderr",
    "--v=0",
)
RESOURCE_OF_A_PAGE = 101845102  # Chromium's traffic annotation of everything that a document loads

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """Return a function that opens a page with further flags and returns (stdout, stderr)."""
    if not Path(CHROMIUM).exists():
        plugins = request.config.pluginmanager.get_plugins()
        next(p for p in plugins if hasattr(p, "skip_or_fail")).skip_or_fail("Chromium is not installed")

    def open_page(path: Path, *flags: str) -> tuple[str, str]:
        profile = tmp_path_factory.mktemp("profile")
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *flags, path.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        return done.stdout, done.stderr

    return open_page


def requested(net_log: Path) -> set[str]:
    """Return the addresses that a page asked for; the browser's own errands carry other annotations."""
    asked = re.findall(r'"traffic_annotation":(\d+),"url":"([^"]*)"', net_log.read_text(encoding="utf-8"))
    return {url for annotation, url in asked if int(annotation) == RESOURCE_OF_A_PAGE}


def console(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if ":CONSOLE" in line]


def test_what_is_looked_for_would_be_found(browser, tmp_path):
    page = tmp_path / "control.html"
    page.write_text(
        "<!DOCTYPE html><title>before</title><img src='http://127.0.0.1:9/x.png'>"
        "<script>console.error('loud'); document.title = 'taken'</script>"
    )
    net = tmp_path / "net.json"
    dom, stderr = browser(page, "--dump-dom", f"--log-net-log={net}")
    assert any("loud" in line for line in console(stderr))
    assert requested(net) == {"http://127.0.0.1:9/x.png"}
    assert "<title>taken</title>" in dom


@pytest.mark.parametrize("name", ["index", "hostile"])
def test_a_page_is_silent_asks_for_nothing_and_runs_nothing_foreign(browser, facts, folder, tmp_path, name):
    path = "index.html" if name == "index" else facts.cell(HOSTILE_JUDGE, "gender-career").path
    net = tmp_path / "net.json"
    dom, stderr = browser(folder / path, "--dump-dom", f"--log-net-log={net}")
    assert console(stderr) == []
    assert requested(net) == set()
    assert "taken</title>" not in dom
    page = read_page(re.sub(r"<!DOCTYPE html>", "", dom))
    assert page.one("button", id="theme").text() == "Theme: system", "our own script ran"
    if name == "hostile":
        assert HOSTILE_ITEM in page.one("section", id="items").text()
        assert not page.all("b")
    else:
        assert len(page.one("table", id="t-cells").one("thead").all("button")) == 14, "the table can be sorted"


def test_the_policy_stops_a_script_even_where_escaping_failed(browser, folder, tmp_path):
    text = (folder / "index.html").read_text(encoding="utf-8")
    broken = tmp_path / "broken.html"
    broken.write_text(text.replace("</main>", "<script>document.title = 'taken'</script></main>"), encoding="utf-8")
    dom, stderr = browser(broken, "--dump-dom")
    assert "taken</title>" not in dom
    assert any("Content Security Policy" in line for line in console(stderr))
