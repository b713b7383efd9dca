"""The map of ARCHITECTURE.md: every module with the first line of its docstring. ``make map`` writes it anew."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "judgestats"
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- map: begin -->", "<!-- map: end -->"

# The order in which data flows: a package imports only from those before it. Top-level files come before all.
ORDER = (
    "trials",
    "spec",
    "draws",
    "inference",
    "estimands",
    "checks",
    "design",
    "judges",
    "activations",
    "report",
    "study",
    "cli",
)


def modules() -> list[Path]:
    """All modules of the package in map order, ``__init__.py`` files left out."""
    found = [path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"]
    return sorted(found, key=place)


def place(path: Path) -> tuple[int, str]:
    """Where a module stands in the order of the packages."""
    parts = path.relative_to(PACKAGE).parts
    return (-1 if len(parts) == 1 else ORDER.index(parts[0]), "/".join(parts))


def purpose(path: Path) -> str:
    """First line of a module's docstring, without its full stop."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).rstrip(".")


def table() -> str:
    """The map as Markdown, one table for each package."""
    lines: list[str] = []
    last = None
    for path in modules():
        name = path.relative_to(PACKAGE).as_posix()
        package = name.split("/")[0] if "/" in name else "(top level)"
        if package != last:
            lines += ["", f"### {package}", "", "| file | purpose |", "|---|---|"]
            last = package
        lines.append(f"| `{name}` | {purpose(path).replace('|', chr(92) + '|')} |")
    return "\n".join(lines[1:])


def written() -> str:
    """The map as it stands in ARCHITECTURE.md."""
    text = PAGE.read_text(encoding="utf-8")
    return text.split(BEGIN)[1].split(END)[0].strip()


def write() -> None:
    """Write the map into ARCHITECTURE.md."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    write()
