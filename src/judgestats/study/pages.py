"""Pages: the report of a finished run, written again from its stored findings."""

from __future__ import annotations

from pathlib import Path

from judgestats.errors import ConfigError
from judgestats.report.findings import Findings
from judgestats.report.findings_store import load_findings
from judgestats.report.score_write import write_score_report
from judgestats.report.write import write_report
from judgestats.study.folder import RunCard, read_card, remove_stale, write_card
from judgestats.study.ledger import FOLDER
from judgestats.trials.near_path import near_path

FINDINGS = f"{FOLDER}/findings.json"


def rewrite_pages(folder: Path) -> tuple[Path, ...]:
    """Write the pages of a finished run again.

    Raises
    ------
    ConfigError
        If the folder holds no finished run.
    """
    card = read_card(folder)
    if card is None or not (folder / FINDINGS).is_file():
        raise ConfigError(
            f"{folder} holds no finished run" if folder.is_dir() else f"there is no folder {folder}",
            allowed="the folder that `judgestats run ... --out` was given",
            remedy=("" if folder.is_dir() else near_path(folder)) or "finish the run first",
        )
    findings = load_findings(folder / FINDINGS)
    paths = write_report(findings, folder) if isinstance(findings, Findings) else write_score_report(findings, folder)
    names = {path.relative_to(folder).as_posix() for path in paths}
    # What the report does not write (draws, simulated trials) stays.
    kept = {name for name in card.files if not name.endswith((".html", ".md", ".tex", ".txt", ".bib", ".json"))}
    remove_stale(folder, card, names | kept)
    write_card(folder, RunCard(card.analysis, tuple(sorted(names | kept))))
    return paths
